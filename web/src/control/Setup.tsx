import type { Pipeline, SessionState, UpdateSession } from "@parley/client";
import { useOpened } from "../app/context";
import { GROUPS } from "../settings/groups";
import { SettingRow } from "../settings/SettingRow";
import { Field } from "../ui/Field";
import { complain } from "../ui/toasts";
import { Troubled } from "../ui/Troubled";
import { useWords } from "../words";
import { useOwnSettings } from "./own";

/** These are what most people change; the rest is folded away. */
const FIRST = ["model", "mode", "auto_approve"];

const ORDER: readonly string[] = Object.values(GROUPS).flat();

/** How the session works: what is its own, and the settings that hold in it, which can be changed for it alone. */
export function Setup({ session }: { session: SessionState }) {
  const w = useWords();
  const { items, refused, set } = useOwnSettings();
  const sorted = [...(items ?? [])].sort((a, b) => ORDER.indexOf(a.key) - ORDER.indexOf(b.key));
  const rest = sorted.filter((s) => !FIRST.includes(s.key));
  const here = rest.filter((s) => s.layer === "session").length;
  return (
    <section>
      <h3>{w.setup}</h3>
      <Ways session={session} />
      {refused !== undefined && <Troubled error={refused} />}
      {sorted.filter((s) => FIRST.includes(s.key)).map((s) => <SettingRow key={s.key} setting={s} place="session" onSet={set} />)}
      {rest.length > 0 && (
        <details className="more-settings">
          <summary>{w.moreSettings}{here > 0 && <span className="badge">{w.setHere(here)}</span>}</summary>
          {rest.map((s) => <SettingRow key={s.key} setting={s} place="session" onSet={set} />)}
        </details>
      )}
    </section>
  );
}

/** What a session has of its own, and no setting. */
function Ways({ session }: { session: SessionState }) {
  const w = useWords();
  const { session: opened } = useOpened();
  const set = (change: UpdateSession) => void opened.update(change).catch(complain);
  const costs = ["over:0.50", session.plan_review].filter((v, i, all) => v && v.startsWith("over:") && all.indexOf(v) === i);
  return (
    <>
      <Field label={w.pipeline} help={w.pipelineHelp[session.pipeline]}>
        {(id) => (
          <select id={id} value={session.pipeline} onChange={(e) => set({ pipeline: e.target.value as Pipeline })}>
            {(["auto", "direct", "planned"] as const).map((p) => <option key={p} value={p}>{w.pipelines[p]}</option>)}
          </select>
        )}
      </Field>
      <Field label={w.planReview}>
        {(id) => (
          <select id={id} value={session.plan_review || "always"} onChange={(e) => set({ plan_review: e.target.value })}>
            <option value="always">{w.planReviews.always}</option>
            <option value="never">{w.planReviews.never}</option>
            {costs.map((v) => <option key={v} value={v}>{w.planReviews.over(v.slice(5))}</option>)}
          </select>
        )}
      </Field>
    </>
  );
}
