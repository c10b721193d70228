import type { SessionState } from "@parley/client";
import { useSyncExternalStore, useState } from "react";
import { selectSession, useOpened, useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { Button } from "../ui/Button";
import { cost, count, moment } from "../ui/format";
import { Menu } from "../ui/Menu";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { download } from "./download";
import { Setup } from "./Setup";

/** How the session is set up, what it has used, and what can be done with it as a whole. */
export function AboutPane() {
  const session = useSnapshot(selectSession);
  if (!session) return null;
  return (
    <div className="about">
      <ContextMeter session={session} />
      <UsageTable session={session} />
      <Setup session={session} />
      <Whole session={session} />
    </div>
  );
}

/** How full the model's window is. */
function ContextMeter({ session }: { session: SessionState }) {
  const w = useWords();
  const { language } = usePrefs();
  const { session: opened } = useOpened();
  const [busy, setBusy] = useState(false);
  const { tokens, window } = session.context;
  const share = window > 0 ? Math.min(1, tokens / window) : 0;
  const condense = () => {
    setBusy(true);
    opened.api.condense().then(
      (c) => toast(w.condensed(c.prev_context_tokens, c.new_context_tokens)),
      complain,
    ).finally(() => setBusy(false));
  };
  return (
    <section>
      <h3>{w.context}</h3>
      <meter min={0} max={1} high={0.8} value={share} aria-label={w.context} />
      <p className="help">{window > 0 ? w.contextOf(count(tokens, language), count(window, language), Math.round(share * 100)) : w.contextUnknown}</p>
      <Button disabled={busy || tokens === 0} onClick={condense}>{busy ? w.condensing : w.condense}</Button>
    </section>
  );
}

function UsageTable({ session }: { session: SessionState }) {
  const w = useWords();
  const { language } = usePrefs();
  const { trace } = useOpened();
  const { models } = useSyncExternalStore(trace.subscribe, trace.getSnapshot);
  const { usage } = session;
  return (
    <section>
      <h3>{w.usage}</h3>
      <dl className="facts">
        <dt>{w.tokensIn}</dt><dd>{count(usage.input_tokens, language)}</dd>
        <dt>{w.tokensOut}</dt><dd>{count(usage.output_tokens, language)}</dd>
        {usage.cache_read_tokens ? <><dt>{w.tokensCached}</dt><dd>{count(usage.cache_read_tokens, language)}</dd></> : null}
        <dt>{w.cost}</dt><dd>{cost(usage.cost_usd)}</dd>
        {models.size > 1 && [...models].map(([name, u]) => (
          <span key={name} className="facts-row"><dt className="mono">{name}</dt><dd>{w.tokens(count(u.input_tokens + u.output_tokens, language))} · {cost(u.cost_usd)}</dd></span>
        ))}
      </dl>
    </section>
  );
}

function Whole({ session }: { session: SessionState }) {
  const w = useWords();
  const { language } = usePrefs();
  const desk = useDesk();
  const { session: opened } = useOpened();
  const formats = ["archive", "markdown", "jsonl", "roo", "store", "yaar", "ipynb"] as const;
  return (
    <section>
      <h3>{w.session}</h3>
      <dl className="facts">
        <dt>{w.id}</dt><dd className="mono">{session.session_id}</dd>
        {session.workspace && <><dt>{w.workspace}</dt><dd className="mono">{session.workspace}</dd></>}
        <dt>{w.created}</dt><dd>{session.created_at && moment(session.created_at, language)}</dd>
        {session.forked_from && <><dt>{w.forkedFrom}</dt><dd className="mono">{session.forked_from}</dd></>}
      </dl>
      <div className="buttons">
        <Menu align="start" trigger={<Button icon="download">{w.export}</Button>}
          items={formats.map((f) => ({ label: w.formats[f], run: () => download(opened, f).catch(complain) }))} />
        <Button icon="fork" onClick={() => desk.open({ of: "fork" })}>{w.fork}</Button>
        <Button look="danger" icon="trash" onClick={() => desk.open({ of: "delete", id: session.session_id, title: session.title || session.session_id })}>{w.delete}</Button>
      </div>
    </section>
  );
}
