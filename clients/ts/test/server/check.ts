import { expect } from "vitest";
import { emptyView, fold } from "../../src/index.js";
import type { SessionState, View } from "../../src/index.js";
import type { Recording } from "./conversation.js";

/** What a journal can tell: nothing of the server's own default model, nor of what is being written. */
function settled(s: SessionState): SessionState {
  return { ...s, model: "", open_messages: [] };
}

/** Folds a recording and expects, wherever the server said how things stood, the same. It says how often it looked. */
export function checkFold({ records, states }: Recording, view: View = emptyView()): number {
  let looked = 0;
  for (const record of records) {
    view = fold(view, record);
    const said = states.find((s) => s.last_message_id === record.message_id);
    if (!said || view.session!.last_message_id !== record.message_id) continue;
    looked++;
    expect(settled(view.session!), `after ${record.message_id} ${record.type}`).toEqual(settled(said));
  }
  return looked;
}

/** A view as it is for someone who joins at a state. */
export function joined(state: SessionState): View {
  return fold(emptyView(), { type: "session_state", session_id: state.session_id, timestamp: state.updated_at, data: state });
}
