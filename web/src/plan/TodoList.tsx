import type { Todo } from "@parley/client";
import { useOpened } from "../app/context";
import { IconButton } from "../ui/Button";
import { cost, duration } from "../ui/format";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/now";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import type { DraftPlan } from "./draft";
import { editable } from "./edit";

/** The todos in their order, with what each is waiting for, doing, or has done. */
export function TodoList({ todos, draft, live }: { todos: readonly Todo[]; draft: DraftPlan | undefined; live: boolean }) {
  const now = useNow(1000, todos.some((t) => t.status === "in_progress"));
  return (
    <ol className="todos">
      {todos.map((t, i) => (
        <li key={t.id} className={`todo todo-${t.status}`}>
          <TodoMark todo={t} />
          <div className="todo-words">
            {draft && editable(t) ? <Editing todo={t} draft={draft} /> : <span className="todo-task">{t.task}</span>}
            <Facts todo={t} todos={todos} now={now} />
          </div>
          {draft ? editable(t) && <Edits todo={t} draft={draft} first={i === 0} /> : live && <Acts todo={t} />}
        </li>
      ))}
    </ol>
  );
}

export function TodoMark({ todo }: { todo: Pick<Todo, "status"> }) {
  const w = useWords();
  const { status } = todo;
  return (
    <span className={`todo-mark todo-mark-${status}`} role="img" aria-label={w.todoStatus[status]} title={w.todoStatus[status]}>
      {status === "in_progress" ? <span className="spinner" /> : status === "completed" ? <Icon name="check" size={12} /> : status === "failed" ? <Icon name="cross" size={12} /> : status === "skipped" ? <Icon name="skip" size={12} /> : null}
    </span>
  );
}

function Facts({ todo, todos, now }: { todo: Todo; todos: readonly Todo[]; now: number }) {
  const w = useWords();
  const took = todo.started_at && (todo.ended_at ? Date.parse(todo.ended_at) : todo.status === "in_progress" ? now : undefined);
  const number = (id: string) => todos.findIndex((t) => t.id === id) + 1;
  const before = todo.depends_on.map(number).filter((n) => n > 0);
  return (
    <span className="todo-facts">
      {todo.tool && <span className="mono">{todo.tool}</span>}
      {before.length > 0 && <span>{w.after(before.join(", "))}</span>}
      {todo.requires_approval && <span>{w.asksFirst}</span>}
      {todo.current_step && <span>{todo.current_step}</span>}
      {todo.status === "in_progress" && todo.progress_percentage ? <span>{Math.round(todo.progress_percentage)}%</span> : null}
      {took && <span>{duration(Number(took) - Date.parse(todo.started_at!))}</span>}
      {todo.estimated_cost_usd ? <span>{cost(todo.estimated_cost_usd)}</span> : null}
      {todo.retry_count ? <span>{w.retried(todo.retry_count)}</span> : null}
      {todo.error && <span className="bad">{todo.error.message}</span>}
    </span>
  );
}

function Acts({ todo }: { todo: Todo }) {
  const w = useWords();
  const { session } = useOpened();
  const over = todo.status === "completed" || todo.status === "cancelled";
  return (
    <span className="todo-acts">
      {(todo.status === "failed" || todo.status === "skipped") && <IconButton icon="retry" label={w.retryTodo(todo.task)} onClick={() => session.retry(todo.id).catch(complain)} />}
      {!over && todo.status !== "skipped" && <IconButton icon="skip" label={w.skipTodo(todo.task)} onClick={() => session.skip(todo.id).catch(complain)} />}
    </span>
  );
}

function Editing({ todo, draft }: { todo: Todo; draft: DraftPlan }) {
  const w = useWords();
  return (
    <>
      <input value={todo.task} aria-label={w.task} onChange={(e) => draft.change(todo.id, { task: e.target.value })} />
      <div className="todo-waits">
        <span className="help">{w.waitsFor}</span>
        {draft.todos.map((o, i) => o.id !== todo.id && (
          <label key={o.id} className="tick" title={o.task}>
            <input type="checkbox" checked={todo.depends_on.includes(o.id)} aria-label={w.waitsForTodo(o.task)} onChange={(e) => (e.target.checked ? draft.connect(o.id, todo.id) : draft.disconnect(o.id, todo.id))} />
            {i + 1}
          </label>
        ))}
        <label className="tick">
          <input type="checkbox" checked={todo.requires_approval ?? false} onChange={(e) => draft.change(todo.id, { requires_approval: e.target.checked })} />
          {w.asksFirst}
        </label>
      </div>
    </>
  );
}

function Edits({ todo, draft, first }: { todo: Todo; draft: DraftPlan; first: boolean }) {
  const w = useWords();
  return (
    <span className="todo-acts">
      <IconButton icon="up" label={w.moveUp} disabled={first} onClick={() => draft.raise(todo.id)} />
      <IconButton icon="trash" label={w.removeTodo(todo.task)} onClick={() => draft.remove(todo.id)} />
    </span>
  );
}
