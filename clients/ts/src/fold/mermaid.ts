import type { Todo } from "../types.gen.js";

/** Draws a plan, as the server does: a change of the plan comes without its picture. */
export function mermaid(todos: readonly Todo[]): string {
  const node = new Map(todos.map((t, i) => [t.id, `t${i + 1}`]));
  const boxes = todos.map((t) => `  ${node.get(t.id)}["${label(t.task)}"]\n`);
  const arrows = todos.flatMap((t) => t.depends_on.map((id) => `  ${node.get(id) ?? ""} --> ${node.get(t.id)}\n`));
  return ["graph LR\n", ...boxes, ...arrows].join("");
}

const ESCAPES: { readonly [c: string]: string } = {
  '"': "#quot;", "&": "#amp;", "<": "#lt;", ">": "#gt;", "`": "#96;", ";": "#59;", "#": "#35;",
};

/** Makes a task safe inside a quoted label. */
function label(task: string): string {
  const most = 60;
  const runes = Array.from(task.split(/\s+/).filter(Boolean).join(" "));
  const text = runes.length > most ? runes.slice(0, most).join("") + "…" : runes.join("");
  return text.replace(/["&<>`;#]/g, (c) => ESCAPES[c]!);
}
