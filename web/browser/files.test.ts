import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessible, ended, watched } from "./pages";
import { Server } from "./server";

const SCRIPT = `
model: {name: story, context_window: 50000}
turns:
  - when: {user_contains: greet, step: 0}
    calls: [{name: write_file, input: {path: hello.txt, content: "hello\\nworld\\n"}}]
  - when: {user_contains: change, step: 0}
    calls:
      - {name: edit_file, input: {path: notes.txt, old_text: "buy milk", new_text: "buy oat milk"}}
      - {name: edit_file, input: {path: mine.txt, old_text: "two", new_text: "TWO"}}
  - when: {user_contains: change, step: 1}
    calls: [{name: edit_file, input: {path: notes.txt, old_text: "buy oat milk", new_text: "buy soy milk"}}]
  - when: {user_contains: turn over, step: 0}
    calls: [{name: run_command, input: {command: "mv old.txt new.txt; printf 'a\\\\000b' > dot.bin; seq 1 5000 > big.txt; rm hello.txt; truncate -s 12M huge.bin"}}]
  - text: "It is done."
    repeat: forever
`;

const server = new Server();
const browser = watched();
let folder = 0;
const path = (name: string) => join(server.workspace, `work-${folder}`, name);
const text = (name: string) => readFileSync(path(name), "utf8");

/** Every test begins with the same files in a folder of its own, which the agent then changes in three turns. */
async function worked(): Promise<string> {
  const own = `work/work-${++folder}/`;
  server.write(own + "notes.txt", "buy milk\nbuy bread\nbuy tea\nbuy salt\nbuy rice\n");
  server.write(own + "mine.txt", "one\ntwo\nthree\n");
  server.write(own + "old.txt", Array.from({ length: 20 }, (_, i) => `stay ${i}`).join("\n"));
  server.write(own + "dot.bin", "\0\x01");
  const { session_id } = await server.call<{ session_id: string }>("POST", "sessions", { workspace: path(""), pipeline: "direct", auto_approve: ["read", "write", "execute"] });
  for (const content of ["greet me", "change things", "turn over everything"]) {
    await server.call("POST", `sessions/${session_id}/messages`, { content });
    await expect.poll(async () => (await server.call<{ status: string }>("GET", `sessions/${session_id}`)).status, { timeout: 20_000 }).toBe("completed");
  }
  return session_id;
}

beforeAll(async () => {
  server.model = "script:" + server.write("story.yaml", SCRIPT);
  await server.start();
});
afterAll(() => server.close());

const files = (page: Page) => page.getByRole("complementary").getByRole("list", { name: "Checkpoints" }).locator("> li");
/** The checkpoint after the greeting, which is the first that changed a file. */
const greeted = (page: Page) => files(page).filter({ hasText: "Write" });

test("checkpoints are listed with what they changed and lack, and compared with each other and with now", async () => {
  const page = await browser.open(server, "/s/" + (await worked()));
  await ended(page, 3);
  await page.getByRole("button", { name: "Files", exact: true }).click();
  await greeted(page).waitFor();
  const run = files(page).first();
  await run.getByText(/Run.*5 files.*\d{4}/).waitFor();
  await run.getByText("1 file not captured").click();
  await run.getByText("huge.bin").waitFor();
  await run.getByText("new.txt").and(run.locator(".mono")).waitFor();
  await run.getByText("was old.txt").waitFor();
  await run.getByText("not a text").waitFor();
  await accessible(page);

  // A large change draws its beginning, and more when asked for.
  await run.locator("summary").getByText("big.txt").click();
  await run.getByRole("button", { name: /Show more: \d+ lines are left/ }).waitFor();
  const drawn = () => run.locator(".diff tr").count();
  const few = await drawn();
  expect(few).toBeLessThan(500);
  await run.getByRole("button", { name: "Show more" }).click();
  await expect.poll(drawn).toBeGreaterThan(few);
  await run.locator("summary").getByText("big.txt").click();

  writeFileSync(path("mine.txt"), "one\nTWO\nthree\nfour\n");
  await greeted(page).getByRole("button", { name: "Compare" }).click();
  const dialog = page.getByRole("dialog", { name: "What differs in the files" });
  await dialog.getByText("mine.txt").click();
  await dialog.locator(".diff-added").getByText("four").waitFor(); // until now: with what a person wrote
  await dialog.getByRole("combobox", { name: "To" }).selectOption({ index: 2 });
  await dialog.getByText("big.txt").waitFor({ state: "hidden" });
  await dialog.locator("summary").getByText("mine.txt").waitFor();
  await dialog.locator(".diff-added").getByText("TWO").waitFor();
  expect(await dialog.locator(".diff-added").getByText("four").count()).toBe(0);
  await accessible(page);
  await dialog.getByRole("combobox", { name: "To" }).selectOption(await dialog.getByRole("combobox", { name: "From" }).inputValue());
  await dialog.getByText("Nothing differs.").waitFor();
  await page.keyboard.press("Escape");
  await expect.poll(() => greeted(page).getByRole("button", { name: "Compare" }).evaluate((e) => e === document.activeElement)).toBe(true);
});

test("going back shows first what it will do and what it leaves, then says what it left, and is undone", async () => {
  const page = await browser.open(server, "/s/" + (await worked()));
  await ended(page, 3);
  writeFileSync(path("notes.txt"), text("notes.txt") + "my own line\n"); // in other lines than the agent
  writeFileSync(path("mine.txt"), "one\nTwo!\nthree\n"); // in the same one
  await page.locator(".user").nth(1).getByRole("button", { name: "Go back to here" }).click();
  const dialog = page.getByRole("dialog", { name: "Go back to here?" });
  await dialog.getByText("messages are hidden").waitFor();
  const will = dialog.getByRole("region", { name: "6 files go back" });
  await will.getByText("lines that come back").waitFor();
  await will.getByRole("listitem").filter({ hasText: "comes back hello.txt" }).waitFor();
  await will.getByRole("listitem").filter({ hasText: "goes big.txt" }).waitFor();
  await will.getByRole("listitem").filter({ hasText: "changes back dot.bin" }).getByText("not a text").waitFor();
  const notes = will.getByRole("listitem").filter({ hasText: "changes back notes.txt" });
  await notes.locator("summary").click();
  expect(await notes.locator(".diff-added .diff-text").allInnerTexts()).toEqual(["buy milk"]); // both edits at once, the other way round
  expect(await notes.locator(".diff-removed .diff-text").allInnerTexts()).toEqual(["buy soy milk"]);
  await dialog.getByText("you changed the same lines since").waitFor();
  await accessible(page);

  await dialog.getByRole("radio", { name: "Conversation only" }).check();
  await dialog.getByText("The files stay as they are").waitFor();
  expect(await will.count()).toBe(0);
  await dialog.getByRole("radio", { name: "Files only" }).check();
  await dialog.getByText("The conversation stays as it is").waitFor();
  await will.waitFor();
  expect(await dialog.getByText("messages are hidden").count()).toBe(0);
  expect(existsSync(path("hello.txt"))).toBe(false); // nothing has happened yet
  await dialog.getByRole("button", { name: "Go back to here" }).click();

  const went = page.getByRole("dialog", { name: "You went back: 6 files are as before" });
  await went.getByText("mine.txt").first().waitFor();
  const offered = await went.locator(".offer .mono").innerText();
  expect(readFileSync(offered, "utf8")).toBe("one\ntwo\nthree\n");
  expect(text("notes.txt")).toBe("buy milk\nbuy bread\nbuy tea\nbuy salt\nbuy rice\nmy own line\n");
  expect(text("mine.txt")).toBe("one\nTwo!\nthree\n");
  expect(text("hello.txt")).toBe("hello\nworld\n");
  await accessible(page);
  await went.getByRole("button", { name: "Close" }).last().click();
  await page.locator(".rewound").getByText("6 files went back.").waitFor();
  expect(await page.locator(".user").count()).toBe(3);
  await page.locator(".rewound").getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => existsSync(path("hello.txt"))).toBe(false);
  expect(text("notes.txt")).toContain("buy soy milk");
});

test("the conversation goes back alone, and both together to a checkpoint", async () => {
  const page = await browser.open(server, "/s/" + (await worked()));
  await ended(page, 3);
  const dialog = page.getByRole("dialog", { name: "Go back to here?" });
  await page.locator(".user").nth(2).getByRole("button", { name: "Go back to here" }).click();
  await dialog.getByRole("radio", { name: "Conversation only" }).check();
  await dialog.getByText("The files stay as they are").waitFor();
  await dialog.getByRole("button", { name: "Go back to here" }).click();
  await page.locator(".user").nth(2).waitFor({ state: "hidden" });
  expect(existsSync(path("big.txt"))).toBe(true);
  await page.locator(".rewound").getByRole("button", { name: "Undo" }).click();
  await ended(page, 3);

  await page.getByRole("button", { name: "Files", exact: true }).click();
  await greeted(page).getByRole("button", { name: "Go back to here" }).click(); // right after the greeting
  await dialog.getByText("Write").waitFor();
  await dialog.getByRole("radio", { name: "Conversation and files" }).check();
  await dialog.getByText("messages are hidden").waitFor();
  await dialog.getByRole("button", { name: "Go back to here" }).click();
  await page.locator(".user").nth(1).waitFor({ state: "hidden" });
  await expect.poll(() => existsSync(path("big.txt"))).toBe(false);
  await expect.poll(() => text("notes.txt")).toContain("buy milk");
  await files(page).first().getByText("left when you went back").waitFor();
  await accessible(page);
});

test("where the files cannot go back the dialog says why, and the conversation can", async () => {
  browser.expect(/40[09]|500/);
  const id = await worked();
  renameSync(path(""), path("").slice(0, -1) + "-away");
  const page = await browser.open(server, "/s/" + id);
  await ended(page, 3);
  await page.locator(".user").nth(1).getByRole("button", { name: "Go back to here" }).click();
  const dialog = page.getByRole("dialog", { name: "Go back to here?" });
  await dialog.getByRole("alert").getByText("The files cannot go back to here").waitFor();
  await dialog.getByRole("alert").getByText("The folder of this session cannot be opened.").waitFor();
  expect(await dialog.getByText("no such file").isVisible()).toBe(false); // unless somebody asks
  await dialog.getByText("messages are hidden").waitFor();
  expect(await dialog.getByRole("radio", { name: "Conversation only" }).isChecked()).toBe(true);
  await accessible(page);
  renameSync(path("").slice(0, -1) + "-away", path(""));
  await dialog.getByRole("radio", { name: "Conversation and files" }).check(); // it is there again
  await dialog.getByRole("region", { name: /files go back/ }).waitFor();
  expect(await dialog.getByRole("alert").count()).toBe(0);
  await page.close();

  await server.kill();
  rmSync(join(server.folder, "data", "checkpoints"), { recursive: true });
  await server.start();
  const later = await browser.open(server, "/s/" + id);
  await ended(later, 3);
  await later.getByRole("button", { name: "Files", exact: true }).click();
  await files(later).first().getByRole("alert").getByText("The state of the files at that time is not kept any more.").waitFor();
  await greeted(later).getByRole("button", { name: "Compare" }).click();
  await later.getByRole("dialog").getByRole("alert").getByText("The state of the files at that time is not kept any more.").waitFor();
  await later.keyboard.press("Escape");
  await greeted(later).getByRole("button", { name: "Go back to here" }).click();
  await later.getByRole("dialog").getByRole("alert").getByText("The state of the files at that time is not kept any more.").waitFor();
  expect(await later.getByRole("dialog").getByRole("button", { name: "Go back to here" }).isEnabled()).toBe(false); // files alone were wanted
  await later.getByRole("dialog").getByRole("radio", { name: "Conversation only" }).check();
  await later.getByRole("dialog").getByText("messages are hidden").waitFor();
  await later.getByRole("dialog").getByRole("button", { name: "Go back to here" }).click();
  await later.locator(".user").nth(1).waitFor({ state: "hidden" });
});
