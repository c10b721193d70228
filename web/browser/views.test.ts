import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessible, say, watched } from "./pages";
import { Server } from "./server";

const server = new Server();
const browser = watched();
beforeAll(() => server.start());
afterAll(() => server.close());

/** Nothing stands out of the screen to the side. */
async function fits(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0);
}

test("on a phone one pane shows at a time, and everything can be reached", async () => {
  const page = await browser.open(server, "/", { viewport: { width: 390, height: 780 }, hasTouch: true, colorScheme: "dark" });
  await page.getByRole("button", { name: "Start the tour" }).click();
  await page.getByRole("dialog", { name: "May this plan run?" }).waitFor();
  await fits(page);
  await accessible(page);
  const panes = page.getByRole("group", { name: "Panes" });
  await panes.getByRole("button", { name: "Plan" }).click();
  await page.locator(".box").first().waitFor();
  await page.getByRole("dialog", { name: "May this plan run?" }).waitFor({ state: "hidden" });
  await fits(page);
  await panes.getByRole("button", { name: "Conversation" }).click();
  await page.getByRole("button", { name: "Run it" }).click();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("button", { name: "Take this back" }).waitFor();
  await panes.getByRole("button", { name: "Time" }).click();
  await page.getByRole("list", { name: "Moments" }).getByText("create a file").waitFor();
  await accessible(page);
  await fits(page);
  await page.getByRole("button", { name: "Show the sessions" }).click();
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  await fits(page);
});

test("settings, secrets and the look of the page", async () => {
  const page = await browser.open(server, "/settings", { colorScheme: "light" });
  await page.getByRole("radio", { name: "Dark" }).check();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
  await accessible(page);
  await page.getByRole("tab", { name: "Secrets" }).click();
  await page.getByRole("textbox", { name: "Name" }).or(page.getByRole("combobox", { name: "Name" })).fill("MY_KEY");
  await page.getByLabel("Value").fill("hush");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Remove MY_KEY" }).waitFor();
  expect(await page.content()).not.toContain("hush");
  await page.getByRole("button", { name: "Remove MY_KEY" }).click();
  await page.getByText("None are stored.").waitFor();
  await page.getByRole("tab", { name: "Approval" }).click();
  await page.getByRole("switch", { name: "execute" }).click();
  await page.getByText("set by you").waitFor();
  await accessible(page);
  await page.getByRole("button", { name: "Back to the default" }).click();
  await page.getByText("set by you").waitFor({ state: "hidden" });
  await page.getByRole("tab", { name: "This browser" }).click();
  await page.getByRole("radio", { name: "한국어" }).check();
  await page.getByRole("heading", { name: "설정" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "설정" }).waitFor();
});

test("sessions are made, found, forked and deleted; keys and commands do it too", async () => {
  const page = await browser.open(server);
  await page.getByRole("button", { name: "Start the tour" }).waitFor();
  await page.keyboard.press("c");
  const dialog = page.getByRole("dialog", { name: "New session" });
  await dialog.getByLabel("Title").fill("A quiet corner");
  await accessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("heading", { name: "A quiet corner" }).waitFor();
  await say(page, "echo marmalade");
  await page.getByRole("button", { name: "Take this back" }).waitFor();

  await page.getByRole("button", { name: "Time", exact: true }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Fork from here" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByRole("heading", { name: "A quiet corner (fork)" }).waitFor();

  await page.getByRole("searchbox", { name: "Search" }).fill("marmalade");
  await page.locator(".hits mark").first().waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("");

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Type a command" }).fill("shortcuts");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "Session", exact: true }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Start the tour" }).waitFor();
  await page.getByRole("link", { name: "A quiet corner (fork)" }).waitFor({ state: "hidden" });
});

test("a long conversation keeps few rows in the page and loads older ones", async () => {
  const many = Number(process.env["PARLEY_SOAK"] ? 100_000 : 3000);
  const at = Date.parse("2026-02-06T10:00:00Z");
  const messages = Array.from({ length: many }, (_, i) => ({ role: i % 2 ? "assistant" : "user", type: "text", content: `line ${i}`, timestamp: at + i * 1000 }));
  const { session_id } = await server.call<{ session_id: string }>("POST", "import?format=store", JSON.stringify({ sessionId: "long", messages, updatedAt: at }));
  const page = await browser.open(server, "/s/" + session_id);
  await page.getByText(`line ${many - 1}`, { exact: true }).waitFor();
  const scroller = page.locator(".rows");
  const oldest = () => page.evaluate(() => Number(/line (\d+)/.exec(document.querySelector(".rows .row")?.textContent ?? "")?.[1]));
  const from = await oldest();
  await scroller.hover();
  while ((await oldest()) > Math.min(from, many - 1000) - 700) await page.mouse.wheel(0, -4000);
  expect(await page.locator(".rows .row").count()).toBeLessThan(150);
  await page.getByRole("button", { name: "To the newest" }).click();
  await page.getByText(`line ${many - 1}`, { exact: true }).waitFor();
});
