import { afterAll, beforeAll, expect, test } from "vitest";
import { ended, say, watched } from "./pages";
import { Server } from "./server";

const SCRIPT = `
model: {name: story, context_window: 50000}
turns:
  - when: {user_contains: slowly, step: 0}
    text: "It begins. "
    generate: {deltas: 3000, text: "word ", interval: 10ms}
  - when: {user_contains: briefly, step: 0}
    text: "It begins. "
    generate: {deltas: 200, text: "word ", interval: 10ms}
  - when: {user_contains: flood, step: 0}
    generate: {deltas: 20000, text: "drop ", interval: 0s}
  - when: {user_contains: write, step: 0}
    text: "I will write it."
    calls: [{name: write_file, input: {path: made.txt, content: "made\\n"}}]
  - when: {user_contains: both, step: 0}
    calls: [{name: write_file, input: {path: a.txt, content: "a\\n"}}, {name: write_file, input: {path: b.txt, content: "b\\n"}}]
  - when: {result_of: write_file}
    text: "It is written."
  - when: {user_contains: show}
    reasoning: ["First I think."]
    text: "## A heading\\n\\n| a | b |\\n| --- | --- |\\n| 1 | 2 |\\n\\n\`\`\`go\\nfunc main() {}\\n\`\`\`\\n\\n\`\`\`mermaid\\ngraph LR\\n  a --> b\\n\`\`\`\\n\\n![spy](https://spy.example/x.png)"
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
  const id = await fresh();
  const page = await browser.open(server, "/s/" + id);
  await say(page, "tell me slowly");
  await page.locator(".markdown-live").getByText("It begins. word word").waitFor();
  const before = (await page.locator(".markdown-live").innerText()).length;
  await page.reload();
  const live = page.locator(".markdown-live");
  await live.getByText("It begins. word word").waitFor();
  await expect.poll(async () => (await live.innerText()).length).toBeGreaterThan(before);
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("The writing was interrupted here.").waitFor();
  const { items } = await server.call<{ items: { text: string }[] }>("GET", `sessions/${id}/messages?view=ui`);
  const text = await page.locator(".said .markdown").innerText();
  expect(text.trim()).toBe(items[1]!.text.trim());
  expect(text).toMatch(/^It begins\. (?:word )+/); // without a gap
});

test("the server is killed and comes back under an open page", async () => {
  browser.expect(/ERR_CONNECTION|WebSocket connection|ERR_EMPTY_RESPONSE/);
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "tell me briefly");
  await page.locator(".markdown-live").getByText("word word").waitFor();
  await server.kill();
  await page.getByRole("alert").getByText("The connection to the server was lost").waitFor();
  await page.getByText("It begins. word word").waitFor(); // what was there stays
  await page.locator("#composer").fill("and a draft");
  await server.start();
  await page.getByText("Live", { exact: true }).waitFor();
  await page.getByRole("alert").waitFor({ state: "hidden" });
  await ended(page);
  expect(await page.locator("#composer").inputValue()).toBe("and a draft");
  expect(await page.locator(".user").count()).toBe(1);
});

test("an answer of 20,000 pieces comes whole", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "flood me");
  await ended(page);
  const words = () => page.locator(".said .markdown").evaluate((e) => e.textContent!.trim().split(/\s+/).length);
  await expect.poll(words, { timeout: 20_000 }).toBe(20_000);
});

// A quick server joins pieces for a page that is slow; here each comes alone, and they go on
// until somebody has written a line in the composer. So the page takes in keys while it is
// flooded, or this does not end. And it draws what came since the last frame at once: drawn
// one by one, there would be as many draws as pieces.
test("20,000 pieces at once do not freeze the page", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await page.addInitScript(() => {
    globalThis.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols);
        Object.assign(globalThis, { line: this });
      }
    };
  });
  await page.reload();
  await page.getByText("Live", { exact: true }).waitFor();
  const flooded = page.evaluate(async () => {
    const { line } = globalThis as unknown as { line: WebSocket };
    const composer = document.querySelector<HTMLTextAreaElement>("#composer")!;
    const piece = (index: number) => ({ type: "agent_response", timestamp: "", data: { open_id: "open_0000000001", index, delta: index % 50 === 49 ? "drop\n\n" : "drop ", is_complete: false } });
    const turn = () => new Promise((next) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = next; port2.postMessage(0); });
    let sent = 0, draws = 0;
    const observer = new MutationObserver(() => draws++);
    while (sent < 20_000 || composer.value !== "still here") {
      line.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(piece(sent++)) }));
      const live = document.querySelector(".markdown-live");
      if (live) observer.observe(live, { subtree: true, childList: true, characterData: true });
      await turn();
    }
    return { sent, draws };
  });
  await page.locator(".markdown-live").getByText("drop drop").first().waitFor();
  await page.locator("#composer").pressSequentially("still here");
  const { sent, draws } = await flooded;
  await expect.poll(() => page.locator(".markdown-live").evaluate((e) => e.textContent!.match(/drop/g)!.length), { timeout: 20_000 }).toBe(sent);
  expect(draws).toBeGreaterThan(0);
  expect(draws).toBeLessThan(sent / 10);
});

test("answers are Markdown with colours, thoughts are folded, pictures of other hosts are not fetched", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "show me");
  await page.getByRole("heading", { name: "A heading" }).waitFor();
  await page.getByRole("cell", { name: "2" }).waitFor();
  await page.locator(".c-keyword").getByText("func").waitFor();
  await page.locator(".diagram svg").waitFor();
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

test("several questions are a stack, answered by keys", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  await say(page, "do both");
  const card = page.locator(".request[data-ready=true]");
  await card.getByText("1 of 2").waitFor();
  await card.getByRole("button", { name: "Next" }).click();
  await card.getByText("2 of 2").waitFor();
  await card.focus();
  await page.keyboard.press("y");
  await page.locator(".stack").waitFor({ state: "hidden" }); // one is left
  await card.focus();
  await page.keyboard.press("n");
  await page.getByText("It is written.").waitFor();
  expect(await page.locator(".call-done").count()).toBe(1);
});

test("a message with a picture, and then said differently", async () => {
  const page = await browser.open(server, "/s/" + (await fresh()));
  const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await page.locator("input[type=file]").setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(dot, "base64") });
  await page.locator(".attached img").waitFor();
  await say(page, "look at this");
  await page.locator(".bubble img").waitFor();
  await ended(page);
  await page.locator(".user").hover();
  await page.getByRole("button", { name: "Change this message" }).click();
  await say(page, "look again");
  await page.locator(".bubble").getByText("look again").waitFor();
  await page.locator(".bubble").getByText("look at this").waitFor({ state: "hidden" });
  expect(await page.locator(".user").count()).toBe(1);
});
