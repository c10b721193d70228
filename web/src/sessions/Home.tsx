import type { NewSession } from "@parley/client";
import { useState } from "react";
import { useClient } from "../app/context";
import { useDesk } from "../app/desk";
import { go } from "../app/route";
import { narrow } from "../frame/layout";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import type { IconName } from "../ui/Icon";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

/** What somebody sees who has opened no session: what this is, and something to try. */
export function Home() {
  const w = useWords();
  const client = useClient();
  const desk = useDesk();
  const [text, setText] = useState("");
  const [busy, setBusy] = useState(false);
  const start = (content: string, more: NewSession = {}) => {
    setBusy(true);
    begin().catch(complain).finally(() => setBusy(false));
    async function begin() {
      const session = await client.api.create(more);
      await client.api.session(session.session_id).say({ content });
      desk.arrange(more.pipeline === "planned" && !narrow() ? { do: "show", area: "side", pane: "plan" } : { do: "focus", area: "main" });
      go({ at: "session", id: session.session_id });
    }
  };
  return (
    <div className="home">
      {!desk.layout.list && <IconButton className="home-menu" icon="menu" label={w.showList} onClick={() => desk.arrange({ do: "list", open: true })} />}
      <h1>{w.hello}</h1>
      <ol className="promises">
        {w.promises.map((p, i) => <li key={i}><Icon name={(["files", "person", "undo"] as const)[i]!} size={20} /> <span>{p}</span></li>)}
      </ol>
      <section className="tour" aria-labelledby="tour-title">
        <h2 id="tour-title">{w.tourTitle}</h2>
        <p>{w.tourText}</p>
        <Button look="main" icon="play" disabled={busy} onClick={() => start(w.tourTask, { pipeline: "planned", model: "offline", title: w.tourName })}>{w.tourStart}</Button>
      </section>
      <form className="home-form" onSubmit={(e) => { e.preventDefault(); if (text.trim()) start(text.trim()); }}>
        <label htmlFor="home-task">{w.orWrite}</label>
        <div className="composer-line">
          <textarea id="home-task" rows={2} value={text} placeholder={w.writeHint} onChange={(e) => setText(e.target.value)}
            onKeyDown={(e) => { if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) { e.preventDefault(); e.currentTarget.form?.requestSubmit(); } }} />
          <button type="submit" className="send" aria-label={w.send} disabled={busy || !text.trim()}><Icon name="send" /></button>
        </div>
      </form>
      <div className="ideas">
        {w.ideas.map((idea, i) => (
          <button key={idea.task} type="button" className="idea" disabled={busy} onClick={() => start(idea.task, { model: "offline" })}>
            <Icon name={ICONS[i]!} size={16} />
            <span>{idea.label}</span>
          </button>
        ))}
      </div>
      <p className="help">{w.keyHelp} <a href="/settings" onClick={(e) => { e.preventDefault(); go({ at: "settings" }); }}>{w.settings}</a></p>
    </div>
  );
}

const ICONS: readonly IconName[] = ["search", "plan", "person", "edit"];
