import { useEffect, useMemo, useRef } from "react";
import type { ReactNode } from "react";
import { OpenedContext, selectSession, useSnapshot } from "../app/context";
import type { Opened } from "../app/context";
import { useDesk } from "../app/desk";
import { Attention } from "../people/Attention";
import { see } from "../sessions/seen";
import { IconButton } from "../ui/Button";
import { useWords } from "../words";
import { Divider } from "./Divider";
import { narrow } from "./layout";
import { panesOf } from "./panes";
import type { Pane } from "./panes";
import { PaneBar } from "./PaneBar";
import { TopBar } from "./TopBar";
import { ConnectionBanner } from "./Connection";

/** One session: its bar, and its panes in their areas. */
export function SessionFrame({ opened, onChange, children }: { opened: Opened; onChange: (mark: string) => void; children: ReactNode }) {
  return (
    <OpenedContext value={opened}>
      <Follow onChange={onChange} />
      <Attention />
      <main className="session" id="main">
        <TopBar />
        <ConnectionBanner />
        <Areas />
        <PaneBar where="bottom" />
      </main>
      {children}
    </OpenedContext>
  );
}

function Areas() {
  const { layout, arrange } = useDesk();
  const side = useMemo(() => panesOf("side").find((p) => p.id === layout.areas.side.active), [layout.areas.side.active]);
  const main = useMemo(() => panesOf("main").find((p) => p.id === layout.areas.main.active) ?? panesOf("main")[0]!, [layout.areas.main.active]);
  return (
    <div className="areas">
      <div className="area area-main" data-shown={layout.focus === "main"} onFocus={() => layout.focus !== "main" && !narrow() && arrange({ do: "focus", area: "main" })}>
        <main.Component />
      </div>
      {side && (
        <>
          <Divider width={layout.width} onWidth={(width) => arrange({ do: "resize", width })} />
          <aside className="area area-side" style={{ "--side": `${layout.width}px` } as React.CSSProperties} data-shown={layout.focus === "side"}>
            <SidePane key={side.id} pane={side} />
          </aside>
        </>
      )}
    </div>
  );
}

function SidePane({ pane }: { pane: Pane }) {
  const w = useWords();
  const { arrange } = useDesk();
  return (
    <section className="pane" aria-label={pane.title(w)}>
      <header className="pane-head">
        <h2>{pane.title(w)}</h2>
        <IconButton icon="cross" label={w.closePane} onClick={() => arrange({ do: "hide", area: "side" })} />
      </header>
      <div className="pane-body" tabIndex={-1}><pane.Component /></div>
    </section>
  );
}

/** Tells the list when the session changes, and notes that it is being read. */
function Follow({ onChange }: { onChange: (mark: string) => void }) {
  const session = useSnapshot(selectSession);
  const mark = session && `${session.session_id}/${session.status}/${session.title}/${session.pinned}`;
  const last = useRef<string>(undefined);
  useEffect(() => {
    if (mark && mark !== last.current) onChange(mark);
    last.current = mark;
  }, [mark, onChange]);
  useEffect(() => {
    if (session && !document.hidden) see(session.session_id, session.updated_at);
  }, [session]);
  return null;
}
