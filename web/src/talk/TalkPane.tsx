import type { UIMessage } from "@parley/client";
import { useState } from "react";
import type { Snapshot } from "@parley/client";
import { useSnapshot } from "../app/context";
import { Requests } from "../people/Requests";
import { RewoundNote } from "../time/RewoundNote";
import { useWords } from "../words";
import { Composer } from "./Composer";
import { Conversation } from "./Conversation";

const selectEmpty = (s: Snapshot) => s.view.session !== undefined && s.view.messages.length === 0 && s.view.texts.length === 0 && s.view.missing.length === 0;

/** The conversation: what was said and done, what is asked, and where one writes. */
export function TalkPane() {
  const w = useWords();
  const [editing, setEditing] = useState<UIMessage>();
  const empty = useSnapshot(selectEmpty);
  return (
    <section className="talk" aria-label={w.conversation}>
      <Conversation empty={empty} onEdit={setEditing} />
      <div className="talk-foot">
        <RewoundNote />
        <Requests />
        <Composer editing={editing} onEdited={() => setEditing(undefined)} />
      </div>
    </section>
  );
}
