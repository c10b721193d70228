import { useCallback, useEffect, useMemo, useReducer, useState } from "react";
import { useClient } from "../app/context";
import { DeskContext } from "../app/desk";
import type { Desk, DialogOf } from "../app/desk";
import { useOpen } from "../app/open";
import { useRoute } from "../app/route";
import { Dialogs } from "./Dialogs";
import { Shortcuts } from "../keys/Shortcuts";
import { Home } from "../sessions/Home";
import { SessionList } from "../sessions/SessionList";
import { SettingsPage } from "../settings/SettingsPage";
import { useWords } from "../words";
import { arrange, load, save } from "./layout";
import { PANES } from "./panes";
import { SessionFrame } from "./SessionFrame";
import { Unopened } from "./Unopened";

/** The whole page: the list of sessions, and what is looked at. */
export function Frame() {
  const w = useWords();
  const client = useClient();
  const route = useRoute();
  const id = route.at === "session" ? route.id : undefined;
  const { opened, error } = useOpen(client, id);
  const [layout, move] = useReducer(arrange, undefined, () => load(PANES.map((p) => p.id)));
  const [dialog, open] = useState<DialogOf | null>(null);
  const [changed, setChanged] = useState<string>();
  const tellChange = useCallback((mark: string) => setChanged(mark), []);
  useEffect(() => save(layout), [layout]);
  useEffect(() => open(null), [id]);
  const desk = useMemo<Desk>(() => ({ dialog, open, layout, arrange: move }), [dialog, layout]);

  return (
    <DeskContext value={desk}>
      <a className="skip" href="#composer">{w.skipToMessage}</a>
      <div className="frame" data-list={layout.list} data-focus={layout.focus} data-side={layout.areas.side.active !== null}>
        {layout.list && (
          <>
            <div className="veil" onClick={() => move({ do: "list", open: false })} />
            <SessionList current={id} changed={changed} />
          </>
        )}
        {route.at === "settings" ? (
          <SettingsPage />
        ) : opened ? (
          <SessionFrame key={opened.session.id} opened={opened} onChange={tellChange}>
            <Dialogs />
            <Shortcuts />
          </SessionFrame>
        ) : (
          <main className="page" tabIndex={-1}>{id === undefined ? <Home /> : error && <Unopened error={error} />}</main>
        )}
        {!opened && <><Dialogs /><Shortcuts /></>}
      </div>
    </DeskContext>
  );
}
