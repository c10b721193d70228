import { useState } from "react";
import { Button } from "../ui/Button";
import { useWords } from "../words";
import type { DraftPlan } from "./draft";

/** Adds a todo, and sends or drops what was changed. */
export function DraftBar({ draft }: { draft: DraftPlan }) {
  const w = useWords();
  const tools = [...new Set(draft.todos.flatMap((t) => (t.tool ? [t.tool] : [])))];
  const [task, setTask] = useState("");
  const [tool, setTool] = useState(tools.includes("run_command") ? "run_command" : (tools[0] ?? ""));
  const [given, setGiven] = useState("");
  const add = () => {
    if (!task.trim()) return;
    draft.add({ task: task.trim(), ...(tool ? { tool, input: inputOf(tool, given, task) } : {}) });
    setTask("");
    setGiven("");
  };
  return (
    <div className="draft">
      <form className="draft-add" onSubmit={(e) => { e.preventDefault(); add(); }}>
        <input value={task} aria-label={w.newTodo} placeholder={w.newTodo} onChange={(e) => setTask(e.target.value)} />
        <div className="draft-line">
          <select value={tool} aria-label={w.tool} onChange={(e) => setTool(e.target.value)}>{tools.map((t) => <option key={t}>{t}</option>)}</select>
          <input className="mono" value={given} spellCheck={false} aria-label={w.toolInput} placeholder={tool === "run_command" ? w.command : w.toolInput} onChange={(e) => setGiven(e.target.value)} />
          <Button type="submit" icon="plus" disabled={!task.trim()}>{w.add}</Button>
        </div>
      </form>
      <div className="buttons">
        <Button look="main" icon="check" disabled={draft.changes === 0} onClick={draft.send}>{w.sendChanges(draft.changes)}</Button>
        <Button onClick={draft.drop}>{w.cancel}</Button>
      </div>
    </div>
  );
}

/** A command as people write it; whatever else as JSON, or as a path. */
export function inputOf(tool: string, given: string, task: string): unknown {
  if (tool === "run_command") return { command: given, description: task };
  try {
    return JSON.parse(given || "{}") as unknown;
  } catch {
    return { path: given };
  }
}
