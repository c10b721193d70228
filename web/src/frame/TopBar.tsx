import { useState } from "react";
import { selectSession, useOpened, useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { Controls } from "../control/Controls";
import { IconButton } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { ConnectionMark } from "./Connection";
import { PaneBar } from "./PaneBar";

/** What session this is, how it stands, and what can be done to it. */
export function TopBar() {
  const w = useWords();
  const { layout, arrange, open } = useDesk();
  const session = useSnapshot(selectSession);
  const status = session?.status ?? "idle";
  return (
    <header className="bar">
      {!layout.list && <IconButton icon="menu" label={w.showList} onClick={() => arrange({ do: "list", open: true })} />}
      <Title title={session?.title ?? ""} />
      <span className={`chip chip-${status}`} role="status"><span className={`dot dot-${status}`} />{w.status[status]}</span>
      <ConnectionMark />
      {session && session.context.window > 0 && <ContextMark {...session.context} />}
      <span className="bar-space" />
      <Controls />
      <IconButton className="bar-wide" icon="keyboard" label={w.commands} onClick={() => open({ of: "palette" })} />
      <PaneBar where="top" />
    </header>
  );
}

/** How full the model's window is, in a word; the pane of the session says more. */
function ContextMark({ tokens, window }: { tokens: number; window: number }) {
  const w = useWords();
  const { arrange } = useDesk();
  const percent = Math.round((tokens / window) * 100);
  return (
    <button type="button" className={percent >= 80 ? "context context-full bar-wide" : "context bar-wide"} title={w.context} onClick={() => arrange({ do: "show", area: "side", pane: "about" })}>
      <meter min={0} max={100} high={80} value={percent} aria-hidden="true" /> {w.contextShort(percent)}
    </button>
  );
}

/** The title, to change where it stands. */
function Title({ title }: { title: string }) {
  const w = useWords();
  const { session } = useOpened();
  const [text, setText] = useState<string>();
  const keep = () => {
    if (text !== undefined && text.trim() && text !== title) session.update({ title: text.trim() }).catch(complain);
    setText(undefined);
  };
  if (text === undefined) {
    return <h1 className="title"><button type="button" title={w.rename} onClick={() => setText(title)}>{title || w.untitled}</button></h1>;
  }
  return (
    <input className="title-input" aria-label={w.title} autoFocus value={text} maxLength={200} onChange={(e) => setText(e.target.value)} onBlur={keep}
      onKeyDown={(e) => { if (e.key === "Enter") keep(); if (e.key === "Escape") setText(undefined); }} />
  );
}
