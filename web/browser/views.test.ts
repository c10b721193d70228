import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessible, ended, say, watched } from "./pages";
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
  await ended(page);
  await panes.getByRole("button", { name: "Time" }).click();
  await page.getByRole("list", { name: "Moments" }).getByText("create a file").waitFor();
  await accessible(page);
  await fits(page);
  await page.getByRole("button", { name: "Show the sessions" }).click();
  await page.getByRole("navigation", { name: "Sessions" }).waitFor();
  await fits(page);
});

test("the look of the page", async () => {
  const page = await browser.open(server, "/settings", { colorScheme: "light" });
  await page.getByRole("radio", { name: "Dark" }).check();
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("dark");
  await accessible(page);
  await page.getByRole("radio", { name: "Dark" }).press("ArrowLeft");
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe("light");
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
  await ended(page);

  await page.getByRole("button", { name: "Time", exact: true }).click();
  await page.getByRole("complementary").getByRole("button", { name: "Fork from here" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Fork", exact: true }).click();
  await page.getByRole("heading", { name: "A quiet corner (fork)" }).waitFor();

  await page.getByRole("searchbox", { name: "Search" }).fill("marmalade");
  const hits = page.getByRole("region", { name: "In conversations" });
  await hits.getByRole("heading", { name: /^A quiet corner \(fork\).*\d{4}/ }).waitFor(); // which session, and when
  await hits.getByRole("heading", { name: /^A quiet corner(?! \(fork\)).*\d{4}/ }).waitFor();
  await accessible(page);
  await hits.getByRole("link", { name: "echo marmalade" }).first().click();
  await page.locator(".row-found").getByText("echo marmalade").waitFor();
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
  const messages = Array.from({ length: many }, (_, i) => ({ role: i % 2 ? "assistant" : "user", type: "text", content: i === 7 ? "line 7 is seven" : `line ${i}`, timestamp: at + i * 1000 }));
  const { session_id } = await server.call<{ session_id: string }>("POST", "import?format=store", JSON.stringify({ sessionId: "long", messages, updatedAt: at }));
  const page = await browser.open(server, "/s/" + session_id);
  await page.getByText(`line ${many - 1}`, { exact: true }).waitFor();
  const scroller = page.locator(".rows");
  const oldest = () => page.evaluate(() => Number(/line (\d+)/.exec(document.querySelector(".rows .row :is(.user-text, .markdown)")?.textContent ?? "")?.[1]));
  const from = await oldest();
  await scroller.hover();
  while ((await oldest()) > Math.min(from, many - 1000) - 700) await page.mouse.wheel(0, -4000);
  expect(await page.locator(".rows .row").count()).toBeLessThan(150);
  await page.getByRole("button", { name: "To the newest" }).click();
  await page.getByText(`line ${many - 1}`, { exact: true }).waitFor();

  // What a search finds far back is led to, without what lies between, and found again after a reload.
  await expect.poll(async () => (await server.call<{ items: unknown[] }>("GET", "search?q=seven")).items.length).toBe(1);
  await page.getByRole("searchbox", { name: "Search" }).fill("seven");
  const read: string[] = [];
  page.on("request", (r) => /\/(?:events|messages)\?/.test(r.url()) && read.push(r.url()));
  await page.getByRole("region", { name: "In conversations" }).getByRole("link", { name: "line 7 is seven" }).click();
  const found = page.locator(".row-found");
  await found.getByText("line 7 is seven").waitFor();
  await expect.poll(() => found.evaluate((e) => e === document.activeElement && e.getBoundingClientRect().top < innerHeight)).toBe(true);
  expect(read).toHaveLength(1);
  await page.reload();
  await found.getByText("line 7 is seven").waitFor();

  // From there one can read on, and come back.
  await scroller.hover();
  while ((await oldest()) < 400) await page.mouse.wheel(0, 4000);
  while ((await oldest()) > 0) await page.mouse.wheel(0, -4000);
  await page.getByRole("button", { name: "To the newest" }).click();
  await page.getByText(`line ${many - 1}`, { exact: true }).waitFor();
});

test("what a search finds and one went back from leads to a way there", async () => {
  const { session_id } = await server.call<{ session_id: string }>("POST", "sessions", { title: "Two ways" });
  const page = await browser.open(server, "/s/" + session_id);
  await say(page, "echo persimmon");
  await ended(page);
  await page.locator(".user").getByRole("button", { name: "Go back to here" }).click();
  await page.getByText("messages are hidden").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Go back to here" }).click();
  await page.locator(".rewound").waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("persimmon");
  await page.getByRole("region", { name: "In conversations" }).getByRole("link", { name: /echo persimmon.*left when you went back/ }).first().click();
  await page.locator(".toast").getByRole("button", { name: "Go back to here" }).click();
  await page.getByRole("dialog", { name: "Go back to here?" }).getByText("1 message comes back").waitFor();
});

test("an error says what happened and what to do; its code is folded away", async () => {
  browser.expect(/404/);
  const page = await browser.open(server, "/s/nobody");
  await page.getByText('There is no session "nobody"').waitFor();
  await page.getByText("Begin a new session.").waitFor();
  expect(await page.getByText("WS_SESSION_NOT_FOUND").isVisible()).toBe(false);
  await page.getByText("Details").click();
  await page.getByText("3001 WS_SESSION_NOT_FOUND").waitFor();
  await accessible(page);
});
