import type { Snapshot } from "@parley/client";
import { lazy, Suspense, useState } from "react";
import { useSnapshot } from "../app/context";
import { Button } from "../ui/Button";
import { cost, duration } from "../ui/format";
import { copy } from "../talk/Code";
import { useWords } from "../words";
import { DraftBar } from "./DraftBar";
import { useDraftPlan } from "./draft";
import { TodoList } from "./TodoList";

const Graph = lazy(() => import("./Graph"));

const selectPlan = (s: Snapshot) => s.view.session?.plan ?? null;
const selectTodos = (s: Snapshot) => s.view.session?.todos;

/** The plan, drawn and as a list: how far it is, and to be changed by hand. */
export function PlanPane() {
  const w = useWords();
  const plan = useSnapshot(selectPlan);
  const todos = useSnapshot(selectTodos) ?? [];
  const draft = useDraftPlan(plan, todos);
  const [drawn, setDrawn] = useState(true);
  if (!plan) return <p className="help pane-empty">{w.noPlan}</p>;
  const done = todos.filter((t) => t.status === "completed" || t.status === "skipped").length;
  const open = plan.kind === undefined && (plan.status === "pending_approval" || plan.status === "approved");
  return (
    <div className="plan">
      <div className="plan-head">
        {plan.summary && <p className="plan-summary">{plan.summary}</p>}
        <div className="plan-facts">
          <span className={`chip plan-${plan.status}`}>{w.planStatus[plan.status]}</span>
          <span>{w.doneOf(done, todos.length)}</span>
          {plan.estimated_duration_sec ? <span>{w.about_(duration(plan.estimated_duration_sec * 1000))}</span> : null}
          {plan.estimated_cost_usd ? <span>{cost(plan.estimated_cost_usd)}</span> : null}
          <span className="help">v{plan.version}</span>
        </div>
        <progress max={todos.length || 1} value={done} aria-label={w.progress} />
        <div className="buttons">
          <Button look="quiet" aria-pressed={drawn} icon="plan" onClick={() => setDrawn(!drawn)}>{w.graph}</Button>
          {plan.mermaid_diagram && <Button look="quiet" icon="copy" onClick={() => copy(plan.mermaid_diagram!, w.copied)}>Mermaid</Button>}
          {open && !draft.on && <Button look="quiet" icon="edit" onClick={draft.begin}>{w.editPlan}</Button>}
        </div>
      </div>
      {drawn && (
        <Suspense fallback={<div className="graph" style={{ height: 160 }} />}>
          <Graph todos={draft.todos} onConnect={draft.on ? draft.connect : undefined} onDisconnect={draft.on ? draft.disconnect : undefined} />
        </Suspense>
      )}
      <TodoList todos={draft.todos} draft={draft.on ? draft : undefined} live={plan.status === "approved"} />
      {draft.on && <DraftBar draft={draft} />}
    </div>
  );
}
