/** Edits of a plan that are not sent yet. */
import type { PlanChange, Todo } from "@parley/client";

/** What can still be changed: todos that have not begun, and failed ones. */
export function editable(todo: Todo): boolean {
  return todo.status === "pending" || todo.status === "failed";
}

/** Says whether a todo waits, directly or through others, for another one. */
export function waitsFor(todos: readonly Todo[], id: string, other: string, seen = new Set<string>()): boolean {
  if (id === other) return true;
  if (seen.has(id)) return false;
  seen.add(id);
  const todo = todos.find((t) => t.id === id);
  return todo?.depends_on.some((d) => waitsFor(todos, d, other, seen)) ?? false;
}

/** Makes `to` wait for `from`; a circle is refused by leaving everything as it is. */
export function connect(todos: readonly Todo[], from: string, to: string): readonly Todo[] {
  if (waitsFor(todos, from, to)) return todos;
  return todos.map((t) => (t.id === to && editable(t) && !t.depends_on.includes(from) ? { ...t, depends_on: [...t.depends_on, from] } : t));
}

export function disconnect(todos: readonly Todo[], from: string, to: string): readonly Todo[] {
  return todos.map((t) => (t.id === to && editable(t) ? { ...t, depends_on: t.depends_on.filter((d) => d !== from) } : t));
}

/** Takes a todo out; what waited for it waits for what it waited for. */
export function remove(todos: readonly Todo[], id: string): readonly Todo[] {
  const gone = todos.find((t) => t.id === id);
  if (!gone || !editable(gone)) return todos;
  return todos.filter((t) => t.id !== id).map((t) =>
    t.depends_on.includes(id) ? { ...t, depends_on: [...new Set([...t.depends_on.filter((d) => d !== id), ...gone.depends_on])] } : t,
  );
}

/** Moves a todo before the one above it: in the list, and by its priority among those that are ready at the same time. */
export function raise(todos: readonly Todo[], id: string): readonly Todo[] {
  const i = todos.findIndex((t) => t.id === id);
  const above = todos[i - 1];
  if (i < 1 || !above || !editable(todos[i]!)) return todos;
  const moved = { ...todos[i]!, priority: above.priority + 1 };
  return [...todos.slice(0, i - 1), moved, above, ...todos.slice(i + 1)];
}

export function add(todos: readonly Todo[], todo: Pick<Todo, "task" | "tool" | "input">): readonly Todo[] {
  let n = todos.length + 1;
  while (todos.some((t) => t.id === name(n))) n++;
  return [...todos, { id: name(n), status: "pending", priority: 5, depends_on: [], ...todo }];
}

const name = (n: number) => `todo_${String(n).padStart(3, "0")}`;

/** The changes that make one list of todos of another. */
export function changesOf(before: readonly Todo[], after: readonly Todo[]): PlanChange[] {
  const removed = before.filter((t) => !after.some((a) => a.id === t.id));
  const changes: PlanChange[] = [];
  for (const t of after) {
    const old = before.find((b) => b.id === t.id);
    if (!old) {
      const { task, tool, input, depends_on, priority, requires_approval } = t;
      changes.push({ action: "add", todo_id: t.id, task, tool, input, depends_on, priority, requires_approval });
      continue;
    }
    const update: PlanChange = { action: "update", todo_id: t.id };
    if (t.task !== old.task) update.task = t.task;
    if (JSON.stringify(t.input) !== JSON.stringify(old.input)) update.input = t.input;
    if (t.depends_on.join() !== old.depends_on.join()) update.depends_on = t.depends_on;
    if (t.priority !== old.priority) update.priority = t.priority;
    if ((t.requires_approval ?? false) !== (old.requires_approval ?? false)) update.requires_approval = t.requires_approval ?? false;
    if (Object.keys(update).length > 2) changes.push(update);
  }
  return [...changes, ...removed.map((t): PlanChange => ({ action: "remove", todo_id: t.id }))];
}
