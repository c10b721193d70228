import { readFile } from "node:fs/promises";
import type { SettingList } from "@parley/client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settingsKo } from "../src/words/settings.ko";
import { accessible, watched } from "./pages";
import { Server } from "./server";

const server = new Server();
const browser = watched();
beforeAll(() => server.start());
afterAll(() => server.close());

const TABS = ["Agent", "Approval", "Limits", "Keeping", "Others", "MCP servers"];

test("every setting of the server has its place, its key and where its value comes from", async () => {
  const { items } = await server.call<SettingList>("GET", "settings");
  const page = await browser.open(server, "/settings");
  await page.getByRole("tab", { name: "Agent" }).waitFor();
  const shown: string[] = [];
  for (const tab of await page.getByRole("tab").allInnerTexts()) {
    if (!TABS.includes(tab)) continue;
    await page.getByRole("tab", { name: tab }).click();
    await page.locator(".setting").first().waitFor();
    shown.push(...(await page.locator(".setting-foot > code").allInnerTexts()));
    expect(await page.locator(".setting").count()).toBe(await page.locator(".setting :is(input, select, textarea)").evaluateAll((all) => new Set(all.map((e) => e.closest(".setting"))).size));
    await accessible(page);
  }
  expect(shown.sort()).toEqual(items.map((s) => s.key).sort());
});

test("the Korean words know every key of the server", async () => {
  const { items } = await server.call<SettingList>("GET", "settings");
  expect(items.map((s) => s.key).filter((key) => !/[가-힣]/.test(`${settingsKo[key]?.name}${settingsKo[key]?.text}`))).toEqual([]);
  const page = await browser.open(server, "/settings", { locale: "ko-KR" });
  await page.getByRole("tab", { name: "승인" }).click();
  await page.getByRole("spinbutton", { name: "연속 실수 한도" }).waitFor();
  await page.getByText("mistake_limit").waitFor();
  await accessible(page);
});

test("a value is changed, refused in the server's words at its field, and goes back to the default", async () => {
  browser.expect(/400/);
  const page = await browser.open(server, "/settings");
  await page.getByRole("tab", { name: "Approval" }).click();
  const row = page.locator("[data-key=mistake_limit]");
  const field = row.getByRole("spinbutton");
  await field.fill("1000");
  await field.press("Enter");
  await row.getByRole("alert").getByText("mistake_limit must be from 0 to 100").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  expect(await field.inputValue()).toBe("1000"); // what was written stays, to be mended
  await accessible(page);
  await field.fill("7");
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByText("set by you").waitFor();
  expect(await row.getByRole("alert").count()).toBe(0);
  expect(await field.evaluate((e) => e === document.activeElement)).toBe(true);
  await row.getByRole("button", { name: "Back to the default" }).click();
  await row.getByText("the default", { exact: true }).waitFor();
  expect(await field.inputValue()).toBe("3");
  await expect.poll(() => field.evaluate((e) => e === document.activeElement)).toBe(true);

  await page.getByRole("switch", { name: /^Commands/ }).click();
  await page.locator("[data-key=auto_approve]").getByText("set by you").waitFor();
  await page.getByRole("tab", { name: "Agent" }).click();
  const profiles = page.locator("[data-key=profiles]");
  await profiles.getByRole("textbox").fill("{");
  await profiles.getByRole("button", { name: "Save" }).click();
  await profiles.getByRole("alert").getByText("This is not JSON").waitFor();
  await profiles.getByRole("button", { name: "Cancel" }).click();
  expect(await profiles.getByRole("textbox").inputValue()).toBe("{}");
});

test("what is changed elsewhere shows at once, and leaves alone what is being written", async () => {
  await server.call("POST", "sessions", {});
  await expect.poll(async () => (await server.call<{ items: unknown[] }>("GET", "sessions")).items.length).toBeGreaterThan(0);
  const page = await browser.open(server, "/settings");
  await page.getByRole("tab", { name: "Approval" }).click();
  await page.locator("[data-key=allowed_commands]").getByRole("textbox").fill("git st");
  const field = page.locator("[data-key=auto_approval_max_requests]").getByRole("spinbutton");
  for (const most of [77, 78]) { // the first may be seen on joining, the second only by being told
    await server.call("PATCH", "settings", { settings: { auto_approval_max_requests: most } });
    await expect.poll(() => field.inputValue(), { timeout: 20_000 }).toBe(String(most));
  }
  expect(await page.locator("[data-key=allowed_commands]").getByRole("textbox").inputValue()).toBe("git st");
});

test("settings go out as a file and come in again, all or nothing", async () => {
  browser.expect(/400/);
  await server.call("PATCH", "settings", { settings: { language: "ko", mistake_limit: 5 } });
  const page = await browser.open(server, "/settings");
  await page.getByRole("tab", { name: "Export, import" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export settings" }).click()]);
  const text = await readFile((await file.path())!, "utf8");
  expect(JSON.parse(text)).toMatchObject({ version: 1, settings: { language: "ko", mistake_limit: 5 } });

  const bring = (content: string) => page.locator("input[type=file]").setInputFiles({ name: "settings.json", mimeType: "application/json", buffer: Buffer.from(content) });
  await bring(JSON.stringify({ version: 1, settings: { retention_days: 9, mistake_limit: 5000 } }));
  await page.getByRole("alert").getByText("mistake_limit must be from 0 to 100").waitFor();
  expect((await server.call<SettingList>("GET", "settings")).settings["retention_days"]).toBe(0);
  await bring(JSON.stringify({ version: 1, settings: { retention_days: 9, mistake_limit: 6 } }));
  await page.getByText("2 settings are imported").waitFor();
  expect((await server.call<SettingList>("GET", "settings")).settings).toMatchObject({ retention_days: 9, mistake_limit: 6, language: "ko" });
  await accessible(page);
});

test("a secret goes in, only its name comes out, and it can be removed", async () => {
  browser.expect(/400/);
  const page = await browser.open(server, "/settings");
  await page.getByRole("tab", { name: "Secrets" }).click();
  const name = page.getByRole("combobox", { name: "Name" });
  await name.fill("my key");
  await page.getByLabel("Value").fill("hush-hush-hush");
  expect(await page.getByLabel("Value").getAttribute("type")).toBe("password");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("alert").waitFor();
  await name.fill("MY_KEY");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove MY_KEY" }).waitFor();
  expect(await page.getByLabel("Value").inputValue()).toBe("");
  expect(await page.content()).not.toContain("hush-hush");
  await accessible(page);
  await page.getByRole("button", { name: "Remove MY_KEY" }).click();
  await page.getByRole("dialog", { name: "Remove MY_KEY?" }).getByRole("button", { name: "Remove" }).click();
  await page.getByText("None are stored.").waitFor();
});
