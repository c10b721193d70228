import type { PlanState, Todo } from "@parley/client";
import { useEffect, useMemo, useState } from "react";
import { useOpened } from "../app/context";
import { complain } from "../ui/toasts";
import * as edit from "./edit";

/** A plan that is being changed by hand, and what can be done to it. */
export interface DraftPlan {
  on: boolean;
  todos: readonly Todo[];
  changes: number;
  begin: () => void;
  drop: () => void;
  send: () => void;
  change: (id: string, to: Partial<Todo>) => void;
  add: (todo: Pick<Todo, "task" | "tool" | "input">) => void;
  remove: (id: string) => void;
  raise: (id: string) => void;
  connect: (from: string, to: string) => void;
  disconnect: (from: string, to: string) => void;
}

/** Keeps edits until they are sent all together. A new version of the plan ends the editing: it would be of something else. */
export function useDraftPlan(plan: PlanState | null, todos: readonly Todo[]): DraftPlan {
  const { session } = useOpened();
  const [mine, setMine] = useState<readonly Todo[]>();
  const version = plan && `${plan.id}/${plan.version}`;
  useEffect(() => setMine(undefined), [version]);
  return useMemo(() => {
    const set = (to: (now: readonly Todo[]) => readonly Todo[]) => setMine((now) => to(now ?? todos));
    const changes = mine ? edit.changesOf(todos, mine) : [];
    return {
      on: mine !== undefined,
      todos: mine ?? todos,
      changes: changes.length,
      begin: () => setMine(todos),
      drop: () => setMine(undefined),
      send: () => void session.send("plan_edit", { changes }).then(() => setMine(undefined), complain),
      change: (id, to) => set((now) => now.map((t) => (t.id === id && edit.editable(t) ? { ...t, ...to } : t))),
      add: (todo) => set((now) => edit.add(now, todo)),
      remove: (id) => set((now) => edit.remove(now, id)),
      raise: (id) => set((now) => edit.raise(now, id)),
      connect: (from, to) => set((now) => edit.connect(now, from, to)),
      disconnect: (from, to) => set((now) => edit.disconnect(now, from, to)),
    };
  }, [session, mine, todos]);
}
