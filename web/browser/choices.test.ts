import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SettingList } from "@parley/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessible, ended, say, watched } from "./pages";
import { Server } from "./server";

const server = new Server();
const browser = watched();
beforeAll(() => server.start());
afterAll(() => server.close());

const fresh = async (more = {}) => (await server.call<{ session_id: string }>("POST", "sessions", { pipeline: "direct", ...more })).session_id;
const state = (id: string) => server.call<{ model: string; auto_approve: string[]; settings?: object }>("GET", "sessions/" + id);
const option = (page: Page, name: string) => page.getByRole("option", { name: new RegExp("^" + name) });

/** Opens the pane about the session. */
async function about(page: Page) {
  await page.getByRole("button", { name: "Session", exact: true }).click();
  const pane = page.getByRole("complementary");
  await pane.locator("[data-key=model]").waitFor();
  return pane;
}

test("models are offered by provider, with what is missing, asked for once and again when a key comes", async () => {
  const page = await browser.open(server);
  const asked: string[] = [];
  page.on("request", (r) => r.url().endsWith("/models") && asked.push(r.url()));
  await page.getByRole("button", { name: "Start the tour" }).waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "New session" });
  const model = dialog.getByRole("combobox", { name: "Model" });
  await model.click();
  await page.getByRole("group", { name: "Always there" }).getByText("offline").first().waitFor();
  const missing = page.getByRole("group", { name: "anthropic: not available now" });
  await missing.getByText("ANTHROPIC_API_KEY is not set").waitFor();
  expect(await missing.getByRole("option").first().getAttribute("aria-disabled")).toBe("true");
  await missing.getByRole("option").first().click({ force: true });
  expect(await model.inputValue()).toBe(""); // which is not there to be chosen
  await accessible(page);

  // Escape closes the list and leaves the dialog; keys choose.
  await page.keyboard.press("Escape");
  await page.getByRole("listbox").waitFor({ state: "hidden" });
  await model.press("ArrowDown");
  await model.press("ArrowDown");
  expect(await model.getAttribute("aria-activedescendant")).not.toBeNull();
  await model.press("Enter");
  expect(await model.inputValue()).toBe("offline");

  // What is typed narrows the list, and need not be in it.
  await model.fill("opus");
  await option(page, "anthropic/claude-opus").first().waitFor();
  await option(page, "offline").waitFor({ state: "hidden" });
  await model.fill("offline|openai/of-my-own");
  await page.getByText("It is used as you write it.").waitFor();
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.locator("#composer").waitFor();
  const id = new URL(page.url()).pathname.slice(3);
  expect((await state(id)).model).toBe("offline|openai/of-my-own");
  const own = await about(page);
  await own.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("group", { name: "anthropic: not available now" }).waitFor();
  expect(asked).toHaveLength(1);

  await page.getByRole("button", { name: "Settings", exact: true }).first().click();
  await page.getByRole("tab", { name: "Agent" }).click();
  await page.locator("[data-key=model]").getByRole("combobox").click();
  await page.getByRole("group", { name: "anthropic: not available now" }).waitFor();
  await expect.poll(() => asked.length).toBe(2); // on joining the line by which changes are heard
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Secrets" }).click();
  await page.getByRole("combobox", { name: "Name" }).fill("ANTHROPIC_API_KEY");
  await page.getByLabel("Value").fill("no-real-key");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove ANTHROPIC_API_KEY" }).waitFor();
  await page.getByRole("tab", { name: "Agent" }).click();
  await page.locator("[data-key=model]").getByRole("combobox").click();
  await page.getByRole("group", { name: "anthropic", exact: true }).getByRole("option").first().waitFor();
  await page.getByRole("group", { name: "openai: not available now" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("tab", { name: "Secrets" }).click();
  await page.getByRole("button", { name: "Remove ANTHROPIC_API_KEY" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await page.getByText("None are stored.").waitFor();
});

test("a model is chosen for a session from the list, and for all in the settings", async () => {
  const id = await fresh();
  const page = await browser.open(server, "/s/" + id);
  const pane = await about(page);
  const row = pane.locator("[data-key=model]");
  await row.getByText("from the command line").waitFor();
  await row.getByRole("combobox").click();
  await option(page, "auto now offline").click();
  await row.getByText("set for this session").waitFor();
  expect((await state(id)).model).toBe("auto");
  await row.getByRole("button", { name: "As elsewhere" }).click();
  await row.getByText("from the command line").waitFor();
  expect((await state(id)).settings).toBeUndefined();

  const settings = await browser.open(server, "/settings");
  await settings.getByRole("tab", { name: "Agent" }).click();
  const all = settings.locator("[data-key=model]");
  await all.getByRole("combobox").click();
  await option(settings, "auto").click();
  await all.getByText("set by you").waitFor();
  await row.getByText("set by you").waitFor(); // the other page hears of it
  expect(await row.getByRole("combobox").inputValue()).toBe("auto");
  await all.getByRole("button", { name: "Back to the default" }).click();
  await row.getByText("from the command line").waitFor();
});

test("settings are changed for one session alone, refused at their field, and given back", async () => {
  const [id, other] = [await fresh(), await fresh()];
  const layerIn = async (session: string) => (await server.call<SettingList>("GET", "settings?session=" + session)).items.find((s) => s.key === "mistake_limit")!;
  const page = await browser.open(server, "/s/" + id);
  const pane = await about(page);
  await pane.getByText("More settings").click();
  const row = pane.locator("[data-key=mistake_limit]");
  const field = row.getByRole("spinbutton");
  await row.getByText("the default").waitFor();
  await field.fill("1000");
  await field.press("Enter");
  await row.getByRole("alert").getByText("mistake_limit must be from 0 to 100").waitFor();
  await field.fill("7");
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("set for this session").waitFor();
  await pane.getByText("1 set for this session").waitFor();
  await accessible(page);
  expect(await layerIn(id)).toMatchObject({ value: 7, layer: "session" });
  expect(await layerIn(other)).toMatchObject({ value: 3, layer: "default" });
  await row.getByRole("button", { name: "As elsewhere" }).click();
  await row.getByText("the default").waitFor();
  expect(await field.inputValue()).toBe("3");
  expect(await layerIn(id)).toMatchObject({ value: 3, layer: "default" });

  // Every key that a session can have is here, and no other.
  const { items } = await server.call<SettingList>("GET", "settings");
  expect((await pane.locator(".setting-foot > code").allInnerTexts()).sort()).toEqual(items.filter((s) => s.scope === "session").map((s) => s.key).sort());
});

test("what a session may do without asking takes the place of what its owner allows", async () => {
  await server.call("PATCH", "settings", { settings: { auto_approve: ["read", "write"] } });
  const id = await fresh();
  const page = await browser.open(server, "/s/" + id);
  const pane = await about(page);
  const row = pane.locator("[data-key=auto_approve]");
  await row.getByText("set by you").waitFor();
  const writing = row.getByRole("switch", { name: /^Writing files/ });
  expect(await writing.isChecked()).toBe(true);
  await row.getByRole("switch", { name: /^Reading/ }).click();
  await expect.poll(() => row.getByRole("switch", { name: /^Reading/ }).isChecked()).toBe(false);
  await writing.click();
  await row.getByText("set for this session").waitFor();
  await expect.poll(() => writing.isChecked()).toBe(false);
  expect((await state(id)).settings).toMatchObject({ auto_approve: [] }); // none at all is a choice, too
  await say(page, "create a file asked.txt with one");
  await page.getByRole("dialog", { name: "May this run?" }).getByRole("button", { name: "Refuse" }).click();
  await ended(page);

  await row.getByRole("button", { name: "As elsewhere" }).click();
  await row.getByText("set by you").waitFor();
  expect(await writing.isChecked()).toBe(true);
  await say(page, "create a file unasked.txt with two");
  await ended(page, 2);
  expect(existsSync(join(server.workspace, "unasked.txt"))).toBe(true);
  await server.call("PATCH", "settings", { settings: { auto_approve: null } });
});
