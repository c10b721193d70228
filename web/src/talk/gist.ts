/** One line that tells one call of a tool from another. */
export function gist(input: unknown): string {
  if (typeof input !== "object" || input === null) return "";
  const given = input as { [name: string]: unknown };
  for (const name of ["command", "path", "url", "pattern", "query", "name", "goal", "task"]) {
    const value = given[name];
    if (typeof value === "string" && value && value !== ".") return cut(value);
  }
  return "";
}

function cut(text: string): string {
  const line = text.split("\n", 1)[0]!;
  return line.length > 120 || line.length < text.length ? line.slice(0, 120) + "…" : line;
}
