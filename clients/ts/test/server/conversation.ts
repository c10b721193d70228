import { writeFile } from "node:fs/promises";
import type { OpenRequest, RecordFrame, Session, SessionState } from "../../src/index.js";
import { until } from "./server.js";

/** What happened in a session, and how the server described it at some of the moments in between. */
export interface Recording {
  records: RecordFrame[];
  states: SessionState[];
}

/** Writes down what happens in a session. With each record it asks the server how things stand; what is given back ends it. */
export function record(session: Session): () => Promise<Recording> {
  const records: RecordFrame[] = [];
  const asked: Promise<SessionState | undefined>[] = [];
  const off = session.on("*", (frame) => {
    if (!("message_id" in frame)) return;
    records.push(frame);
    asked.push(session.api.state().catch(() => undefined)); // a test that failed has taken the server away
  });
  return async () => {
    const states = (await Promise.all([...asked, session.api.state()])).filter((s) => s !== undefined);
    off();
    return { records, states: [...new Map(states.map((s) => [s.last_message_id, s])).values()] };
  };
}

/** Keeps a recording for the tests of the fold, if PARLEY_RECORD asks for it. What belongs to this machine is called something else. */
export async function keep(name: string, recording: Recording, elsewhere: { [here: string]: string }): Promise<void> {
  if (process.env["PARLEY_RECORD"] === undefined) return;
  const whole = Object.entries(elsewhere).reduce((text, [here, there]) => text.replaceAll(here, there), JSON.stringify(recording));
  const { records, states } = JSON.parse(whole) as Recording;
  const lines = (items: unknown[]) => items.map((item) => JSON.stringify(item)).join(",\n");
  const text = `{"records":[\n${lines(records)}\n],"states":[\n${lines(states)}\n]}\n`;
  await writeFile(new URL(`../../testdata/${name}.json`, import.meta.url), text);
}

/** Answers as the person of the protocol's description does: the brand, one change to the plan, then yes. */
export function reviewer(): (session: Session, request: OpenRequest) => Promise<unknown> {
  let changed = false;
  return (session, request) => {
    switch (request.type) {
      case "hitl_clarification":
        return session.answer(request.request_id, { value: "라네즈" });
      case "hitl_plan_review":
        if (changed) return session.answer(request.request_id, { action: "approve" });
        changed = true;
        return session.answer(request.request_id, { action: "modify", instruction: "경쟁사 분석도 추가해주고, 영상 생성은 빼줘" });
      case "hitl_approval_request":
        return session.answer(request.request_id, { action: "approve" });
      default:
        throw new Error("nobody expected a " + request.type);
    }
  };
}

/** Answers what is asked until the turn is over. */
export async function answerAll(session: Session, answer = reviewer()): Promise<void> {
  for (;;) {
    const { view } = await until(session, ({ view }) => view.outcome !== undefined || view.session?.status === "waiting");
    if (view.outcome) return;
    await answer(session, view.session!.hitl_requests[0]!);
  }
}
