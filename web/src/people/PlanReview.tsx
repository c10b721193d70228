import type { OpenRequest } from "@parley/client";
import { useState } from "react";
import { useDesk } from "../app/desk";
import { Button } from "../ui/Button";
import { cost, duration } from "../ui/format";
import { useWords } from "../words";
import { useAnswer } from "./answering";
import { useAnswerKeys } from "./keys";

/** Asks whether a plan may run: as it is, changed, or not at all. */
export function PlanReview({ request }: { request: OpenRequest }) {
  const w = useWords();
  const desk = useDesk();
  const { busy, answer } = useAnswer(request.request_id);
  const [changing, setChanging] = useState(false);
  const [text, setText] = useState("");
  const { plan } = request;
  const yes = () => !busy && answer({ action: "approve" });
  const no = () => !busy && answer({ action: "reject" });
  const change = () => text.trim() && !busy && answer({ action: "modify", instruction: text.trim() });
  const edit = () => desk.arrange({ do: "show", area: "side", pane: "plan" });
  useAnswerKeys({ y: yes, ㅛ: yes, Enter: yes, n: no, ㅜ: no, m: () => setChanging(true), ㅡ: () => setChanging(true), e: edit, ㄷ: edit });
  return (
    <>
      <div className="request-body">
        {plan?.summary && <p className="request-ask">{plan.summary}</p>}
        <ol className="plan-steps">
          {plan?.todos.map((t) => (
            <li key={t.id}>
              <span>{t.task}</span>
              <span className="step-sub">
                {t.tool && <span className="mono">{t.tool}</span>}
                {t.requires_approval && <span className="tag">{w.asksFirst}</span>}
              </span>
            </li>
          ))}
        </ol>
        <p className="help">
          {[plan?.estimated_duration_sec ? w.about_(duration(plan.estimated_duration_sec * 1000)) : "", plan?.estimated_cost_usd ? cost(plan.estimated_cost_usd) : ""].filter(Boolean).join(" · ")}
        </p>
        {changing && (
          <form className="change" onSubmit={(e) => { e.preventDefault(); change(); }}>
            <textarea autoFocus rows={2} value={text} aria-label={w.whatToChange} placeholder={w.whatToChange} onChange={(e) => setText(e.target.value)}
              onKeyDown={(e) => { if (e.key === "Enter" && !e.shiftKey && !e.nativeEvent.isComposing) { e.preventDefault(); change(); } if (e.key === "Escape") setChanging(false); }} />
            <Button look="main" type="submit" disabled={busy || !text.trim()}>{w.askForChange}</Button>
          </form>
        )}
      </div>
      <footer className="request-foot">
        <Button look="main" icon="check" hint="Y" disabled={busy} onClick={yes}>{w.approvePlan}</Button>
        <Button icon="edit" hint="M" disabled={busy} aria-expanded={changing} onClick={() => setChanging(!changing)}>{w.change}</Button>
        <Button icon="plan" hint="E" onClick={edit}>{w.editByHand}</Button>
        <Button look="danger" icon="cross" hint="N" disabled={busy} onClick={no}>{w.reject}</Button>
      </footer>
    </>
  );
}
