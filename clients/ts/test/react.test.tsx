// @vitest-environment happy-dom
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { expect, onTestFinished, test } from "vitest";
import type { Client } from "../src/index.js";
import { useAgentSession, useSession } from "../src/react.js";
import type { AgentSession } from "../src/react.js";
import { script, start } from "./server/server.js";

let agent: AgentSession;
const drawn = { messages: 0 };
const heard: string[] = [];

function Messages({ session }: Pick<AgentSession, "session">) {
  const messages = useSession(session, (s) => s.view.messages);
  drawn.messages++;
  return <ol>{messages.map((m) => <li key={m.message_id}>{m.text}</li>)}</ol>;
}

function Page({ client }: { client: Client }) {
  agent = useAgentSession({
    client,
    sessionId: "page",
    create: true,
    history: 0,
    after: "msg_0000000000",
    onLayerStart: (data) => heard.push("layer " + data.layer),
    onHitlRequest: (record) => heard.push(record.type),
    onComplete: (record) => heard.push(record.type),
  });
  return (
    <main>
      <b>{agent.connectionState}</b> <i>{agent.sessionState?.status}</i> <u>{agent.view.texts.map((t) => t.text).join()}</u>
      <Messages session={agent.session} />
    </main>
  );
}

/** Waits until the page shows something. */
async function shows(page: HTMLElement, text: string): Promise<void> {
  await expect.poll(() => page.textContent, { timeout: 10_000 }).toContain(text);
}

test("a page shows a session, answers what is asked, and leaves", async () => {
  const model = await script(`
turns:
  - calls: [{name: run_command, input: {command: "echo hello"}}]
  - text: "It said hello. And so on, and so on."
    split: words
    delay: 5ms
`);
  const server = await start({ args: ["--model", model] });
  const element = document.createElement("div");
  const root = createRoot(element);
  onTestFinished(() => root.unmount());
  root.render(<StrictMode><Page client={server.client()} /></StrictMode>);
  await shows(element, "active");
  await agent.say("Say hello.");
  await shows(element, "waiting");
  expect(element.textContent).toContain("Say hello.");
  const before = drawn.messages;
  await agent.sendHitlResponse(agent.sessionState!.hitl_pending!.request_id, { action: "approve" });
  await shows(element, "completed");
  expect(element.textContent).toContain("And so on, and so on.");
  expect(heard).toContain("hitl_approval_request");
  expect(heard.at(-1)).toBe("complete");
  expect(drawn.messages).toBeGreaterThan(before);
  const { session } = agent;
  root.unmount();
  await expect.poll(() => session.connection.state).toBe("disconnected");
});
