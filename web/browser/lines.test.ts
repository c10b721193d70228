import { afterAll, beforeAll, expect, test } from "vitest";
import { say, watched } from "./pages";
import { Server } from "./server";

const SCRIPT = `
model: {name: story, context_window: 50000}
turns:
  - when: {user_contains: slowly, step: 0}
    text: "It begins. "
    generate: {deltas: 300, text: "word ", interval: 10ms}
  - when: {user_contains: flood, step: 0}
    generate: {deltas: 20000, text: "drop ", interval: 0s}
  - when: {user_contains: write, step: 0}
    text: "I will write it."
    calls: [{name: write_file, input: {path: made.txt, content: "made\\n"}}]
  - when: {result_of: write_file}
    text: "It is written."
  - when: {user_contains: show}
    reasoning: ["First I think."]
    text: "## A heading\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |\\n\\n\`\`\`go\\nfunc main() {}\\n\`\`\`\\n\\n![spy](https://spy.example/x.png)"
  - text: "Yes?"
    repeat: forever
`;

const server = new Server();
const browser = watched();
beforeAll(async () => {
  server.model = "script:" + server.write("story.yaml", SCRIPT);
  await server.start();
});
afterAll(() => server.close());

const fresh = async (more = {}) => (await server.call<{ session_id: string }>("POST", "sessions", { pipeline: "direct", ...more })).session_id;

test("two tabs: what one answers closes in the other, which says so", async () => {
  const id = await fresh();
  const one = await browser.open(server, "/s/" + id);
  const two = await browser.open(server, "/s/" + id);
  await say(one, "please write a file");
  const ask = { name: "May this run?" };
  await two.getByRole("dialog", ask).getByText("made.txt").waitFor();
  await one.getByRole("dialog", ask).getByRole("button", { name: "Allow" }).click();
  await two.getByText("Answered elsewhere: allowed by you").waitFor();
  await two.getByRole("dialog", ask).waitFor({ state: "hidden" });
  await one.getByText("It is written.").waitFor();
  await two.getByText("It is written.").waitFor();
  expect(await one.getByText("Answered elsewhere").count()).toBe(0);
});

test("a reload in the middle of an answer goes on with it", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "tell me slowly");
  await page.locator(".markdown-live").getByText("It begins. word word").waitFor();
  await page.reload();
  await page.locator(".markdown-live").getByText("It begins. word word").waitFor();
  await page.getByRole("button", { name: "Take this back" }).waitFor();
  const text = await page.locator(".said .markdown").innerText();
  expect(text.trim()).toBe("It begins. " + "word ".repeat(300).trim());
});

test("the server is killed and comes back under an open page", async () => {
  browser.expect(/ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE/);
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "tell me slowly");
  await page.locator(".markdown-live").getByText("word word").waitFor();
  await server.kill();
  await page.getByRole("alert").getByText("The connection to the server was lost").waitFor();
  await page.getByText("It begins. word word").waitFor(); // what was there stays
  await page.locator("#composer").fill("and a draft");
  await server.start();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("alert").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Take this back" }).waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("and a draft");
  expect(await page.locator(".user").count()).toBe(1);
});

test("20,000 pieces at once do not freeze the page", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await page.evaluate(() => {
    const seen = { frames: 0 };
    Object.assign(globalThis, { seen });
    const count = () => { seen.frames++; requestAnimationFrame(count); };
    requestAnimationFrame(count);
  });
  await say(page, "flood me");
  await page.locator(".markdown").getByText("drop drop").waitFor();
  await page.locator("#composer").fill("still here");
  await page.getByRole("button", { name: "Take this back" }).waitFor();
  expect(await page.locator("#composer").inputValue()).toBe("still here");
  expect(await page.evaluate(() => (globalThis as unknown as { seen: { frames: number } }).seen.frames)).toBeGreaterThan(3);
  const words = () => page.locator(".said .markdown").evaluate((e) => e.textContent!.trim().split(/\s+/).length);
  await expect.poll(words).toBe(20_000);
});

test("answers are Markdown with colours, thoughts are folded, pictures of other hosts are not fetched", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "show me");
  await page.getByRole("heading", { name: "A heading" }).waitFor();
  await page.getByRole("cell", { name: "2" }).waitFor();
  await page.locator(".c-keyword").getByText("func").waitFor();
  await page.getByRole("link", { name: "spy" }).waitFor();
  expect(await page.getByText("First I think.").count()).toBe(0);
  await page.getByRole("button", { name: "Thoughts" }).click();
  await page.getByText("First I think.").waitFor();
});

test("messages wait in a queue, which can be changed; pausing and stopping", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "tell me slowly");
  await page.getByRole("button", { name: "Stop" }).waitFor();
  for (const text of ["first in line", "second in line"]) {
    await page.locator("#composer").fill(text);
    await page.locator("#composer").press("Alt+Enter");
  }
  const queue = page.getByRole("region", { name: "Waiting messages" });
  await queue.getByRole("listitem").nth(1).waitFor();
  await queue.getByRole("button", { name: "Move up" }).click();
  await queue.getByRole("listitem").first().getByText("second in line").waitFor();
  await queue.getByRole("button", { name: "Remove" }).nth(1).click();
  await queue.getByText("first in line").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Yes?").waitFor(); // the one that waited has its turn
  expect(await page.locator(".user").count()).toBe(2);
});
