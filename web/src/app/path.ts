import type { View } from "@parley/client";
import { sequence } from "@parley/client";

/** Says whether a record is visible: no rewind hides it. */
export function onPath(view: View, id: string): boolean {
  const n = sequence(id)!;
  return view.inner.path.some(([from, to]) => from <= n && n <= to);
}
