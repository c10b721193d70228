import { writeFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, test } from "vitest";
import { ended, say, watched } from "./pages";
import { packed } from "./picture";
import { Server } from "./server";

// Draws the pictures of the documents anew: PARLEY_SHOTS=1 npm run browser.
const shots = test.runIf(process.env["PARLEY_SHOTS"]);
const folder = process.env["PARLEY_SHOTS_FOLDER"] ?? new URL("../../docs/images/", import.meta.url).pathname;

const server = new Server();
const browser = watched();
beforeAll(() => server.start());
afterAll(() => server.close());

const shot = async (page: Page, name: string) => {
  await page.evaluate(() => document.fonts.ready);
  await page.mouse.move(0, 0);
  writeFileSync(`${folder}${name}.png`, packed(await page.screenshot({ animations: "disabled" })));
};

const make = async (session: object, words: string) => {
  const { session_id } = await server.call<{ session_id: string }>("POST", "sessions", session);
  await server.call("POST", `sessions/${session_id}/messages`, { content: words });
  return session_id;
};

shots("the pictures", async () => {
  const home = await browser.open(server, "/");
  await home.getByRole("button", { name: "Start the tour" }).waitFor();
  await shot(home, "home");

  const id = await make({ title: "Reviews of March", pipeline: "planned" }, "summarise reviews.csv");
  await make({ title: "Around the house" }, "what is here?");
  await make({ title: "A poem about rivers" }, "write a long text about rivers with 120 words");
  const page = await browser.open(server, "/s/" + id);
  const review = page.getByRole("dialog", { name: "May this plan run?" });
  await review.waitFor();
  await page.getByRole("button", { name: /^Plan/ }).click();
  await page.locator(".box").nth(3).waitFor();
  await page.locator(".react-flow__viewport[style*=scale]").waitFor();
  await shot(page, "plan");
  await review.getByRole("button", { name: "Run it" }).click();
  await ended(page);
  await say(page, "add `tea` to notes.txt");
  await page.getByRole("button", { name: "Run it" }).click();
  await page.getByRole("dialog", { name: "May this run?" }).waitFor();
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, "approval-dark");
  await page.getByRole("button", { name: "Allow" }).click();
  await ended(page, 2);
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("button", { name: "Time", exact: true }).click();
  await page.locator(".user").getByRole("button", { name: "Go back to here" }).last().click();
  await page.getByText("messages are hidden").waitFor();
  await shot(page, "rewind");

  await page.getByRole("dialog").getByRole("button", { name: "Go back to here" }).click();
  await page.getByText("You went back").waitFor();
  await page.getByRole("button", { name: "Files", exact: true }).click();

  const talk = await browser.open(server, "/s/" + (await make({ title: "A shopping list", pipeline: "auto", auto_approve: ["read", "write"] }, "replace milk with oat milk in notes.txt")));
  await ended(talk);
  await say(talk, "what is here?");
  await ended(talk, 2);
  await talk.getByRole("button", { name: "Files", exact: true }).click();
  await talk.getByRole("complementary").locator(".diff-added").first().waitFor();
  await shot(talk, "conversation");

  const phone = await browser.open(server, "/s/" + (await make({ pipeline: "planned" }, "reviews.csv 요약해줘")), { viewport: { width: 390, height: 780 }, locale: "ko-KR", deviceScaleFactor: 2 });
  await phone.getByRole("dialog", { name: "이 계획을 실행할까요?" }).waitFor();
  await shot(phone, "phone-ko");
  const settings = await browser.open(server, "/settings", { colorScheme: "dark" });
  await settings.getByRole("tab", { name: "Approval" }).click();
  await settings.getByText("denied commands", { exact: false }).first().waitFor();
  await settings.getByRole("heading", { name: "Settings" }).click(); // nothing is under the keys
  await shot(settings, "settings-dark");
});
