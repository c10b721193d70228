import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { accessible, ended, say, watched } from "./pages";
import { Server } from "./server";

const server = new Server();
const browser = watched();
beforeAll(() => server.start());
afterAll(() => server.close());

// What a person does who has never seen it: the tour, a yes, another yes, and all back again.
test("from an empty page to a finished task, and back", async () => {
  const page = await browser.open(server);
  await page.getByRole("heading", { name: "An agent that works on your files" }).waitFor();
  expect(page.url()).not.toContain("token");
  await accessible(page);

  await page.getByRole("button", { name: "Start the tour" }).click();
  await page.getByRole("dialog", { name: "May this plan run?" }).waitFor();
  await page.getByRole("complementary").locator(".box").nth(1).waitFor();
  await accessible(page);
  await page.getByRole("button", { name: "Run it" }).click();

  const approval = page.getByRole("dialog", { name: "May this run?" });
  await approval.getByText("printf").waitFor();
  expect(existsSync(join(server.workspace, "parley-hello.txt"))).toBe(false);
  expect(await page.title()).toMatch(/^\(1\)/);
  await approval.getByRole("button", { name: "Allow" }).click();

  await ended(page);
  expect(readFileSync(join(server.workspace, "parley-hello.txt"), "utf8")).toBe("Hello from Parley\n");
  await page.getByText("2 of 2 done").waitFor();
  await accessible(page);
  const log = page.getByRole("log");
  const before = await log.innerText();

  await page.reload();
  await ended(page);
  expect(await log.innerText()).toBe(before);

  await page.locator(".user").getByRole("button", { name: "Go back to here" }).click();
  await page.getByText("messages are hidden").waitFor();
  await accessible(page);
  await page.getByRole("dialog").locator(".diff-removed").getByText("Hello from Parley").waitFor(); // which is what going back will do
  await page.getByRole("dialog").getByRole("button", { name: "Go back to here" }).click();
  await page.locator(".rewound").getByText("You went back").waitFor();
  await page.getByText("create a file parley-hello.txt").first().waitFor({ state: "hidden" });
  const file = join(server.workspace, "parley-hello.txt");
  await expect.poll(() => existsSync(file)).toBe(false);
  await page.locator(".rewound").getByRole("button", { name: "Undo" }).click();
  await ended(page);
  await expect.poll(() => existsSync(file)).toBe(true);
  expect(await log.innerText()).toBe(before);

  await page.getByRole("button", { name: "Files", exact: true }).click();
  await page.getByRole("complementary").locator(".diff-added").getByText("Hello from Parley").waitFor();
  await accessible(page);
});

// The complete conversation of the protocol's description, in its own language, by clicking.
test("a clarification, a changed plan, an approval and a report, in Korean", async () => {
  const { session_id } = await server.call<{ session_id: string }>("POST", "sessions", { pipeline: "planned" });
  const page = await browser.open(server, "/s/" + session_id, { locale: "ko-KR" });
  await say(page, "리뷰 분석해줘");
  const meaning = page.getByRole("dialog", { name: "어떤 뜻인가요?" });
  await meaning.getByRole("textbox").fill("reviews.csv");
  await meaning.getByRole("button", { name: "답하기" }).click();

  const review = page.getByRole("dialog", { name: "이 계획을 실행할까요?" });
  await review.getByRole("button", { name: "바꾸기…" }).click();
  await review.getByRole("textbox", { name: "무엇을 바꿀까요?" }).fill("경쟁사 분석도 추가해주고, 첫 줄 보기는 빼줘, `echo seen >> effects.txt` 실행도 추가해줘");
  await accessible(page);
  await review.getByRole("button", { name: "바꿔 달라고 하기" }).click();
  const steps = review.locator(".plan-steps");
  await steps.getByText("경쟁사 분석").waitFor();
  expect(await steps.getByText("첫 줄 보기").count()).toBe(0);
  await review.getByRole("button", { name: "실행" }).click();

  const approval = page.getByRole("dialog", { name: "실행해도 될까요?" });
  await approval.getByText("echo seen").first().waitFor();
  await approval.getByRole("button", { name: "허용" }).click();
  await page.getByText("작업 5개 중 5개 완료").first().waitFor();
  await page.getByRole("status").getByText("완료").waitFor();
  expect(readFileSync(join(server.workspace, "effects.txt"), "utf8")).toBe("seen\n");
});

test("a question is answered by keys alone, and steps of a plan by hand", async () => {
  const { session_id } = await server.call<{ session_id: string }>("POST", "sessions", {});
  const page = await browser.open(server, "/s/" + session_id);
  await say(page, "make a plan");
  const review = page.getByRole("dialog", { name: "May this plan run?" });
  await review.waitFor();
  await page.locator(".request[data-ready=true]").focus();
  await page.keyboard.press("e");
  const plan = page.getByRole("complementary");
  await plan.getByRole("button", { name: "Edit" }).click();
  await plan.getByRole("button", { name: "Remove: Wait on the left" }).click();
  await plan.getByRole("textbox", { name: "Another step" }).fill("Greet");
  await plan.getByRole("textbox", { name: "Input" }).fill("echo greetings");
  await plan.getByRole("button", { name: "Add" }).click();
  await plan.getByRole("button", { name: "Apply" }).click();
  await review.getByText("Greet").waitFor();
  await page.locator(".request[data-ready=true]").focus();
  await page.keyboard.press("y");
  await page.getByRole("dialog", { name: "May this run?" }).waitFor();
  await page.locator(".request[data-ready=true]").focus();
  await page.keyboard.press("n");
  await page.getByRole("log").getByText("Greet", { exact: true }).first().waitFor();
});

test("without the right token there is a calm screen, and with it the page", async () => {
  browser.expect(/401/);
  const page = await browser.open(server);
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(server.at("/", false));
  await page.getByRole("heading", { name: "Which token?" }).waitFor();
  await accessible(page);
  await page.getByRole("textbox").fill("wrong");
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("heading", { name: "not valid any more" }).waitFor();
  await page.getByRole("textbox").fill(server.at("/"));
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByRole("button", { name: "Start the tour" }).waitFor();
});

test("a second tab is let in by the first, and nothing is written down", async () => {
  const first = await browser.open(server);
  await first.getByRole("button", { name: "Start the tour" }).waitFor();
  const second = await browser.beside(server, first, server.at("/settings", false)); // a refused call would be a failure of this test
  await second.getByRole("heading", { name: "Settings" }).waitFor();
  expect(await second.evaluate(() => JSON.stringify(localStorage) + document.cookie)).not.toContain(server.ready.token);
  expect(second.url()).not.toContain("token");

  await first.close();
  const third = await browser.beside(server, second, server.at("/", false)); // the one that is left knows it, too
  await third.getByRole("button", { name: "Start the tour" }).waitFor();
});

test("a tab that waits at the gate opens when another is let in; other browsers hear nothing", async () => {
  browser.expect(/401/);
  const stranger = await browser.open(server);
  await stranger.evaluate(() => sessionStorage.clear());
  const page = await browser.open(server);
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(server.at("/", false));
  await page.getByRole("heading", { name: "Which token?" }).waitFor();
  await stranger.goto(server.at("/", false));
  await stranger.getByRole("heading", { name: "Which token?" }).waitFor();
  const other = await browser.beside(server, page, server.at("/"));
  await other.getByRole("button", { name: "Start the tour" }).waitFor();
  await page.getByRole("button", { name: "Start the tour" }).waitFor();
  await stranger.getByRole("heading", { name: "Which token?" }).waitFor();
});
