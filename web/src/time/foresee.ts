/** What going back would do to the lines of files: what agents did since then, the other way round. */
import type { CheckpointItem, FileDiff, Session } from "@parley/client";
import { patchOf } from "../ui/compare";
import { changesOf } from "./changes";
import type { FilePatch } from "../ui/diff";

/** What one step did to one file; null: it was not there. */
interface Touch {
  before: string | null;
  after: string | null;
}

/** What going back would do to the lines of a file, or why that cannot be shown. */
export interface Lines {
  patches?: readonly FilePatch[];
  binary?: boolean;
  too_large?: boolean;
}

/** By path. */
export type Foreseen = ReadonlyMap<string, Lines>;

/** So many steps are asked for at a time. */
const AT_ONCE = 6;

/** Looks at the steps that would be taken back, which come the newest first. */
export async function foresee(session: Session, steps: readonly CheckpointItem[]): Promise<Foreseen> {
  const diffs: (readonly FileDiff[])[] = [];
  for (let at = 0; at < steps.length; at += AT_ONCE) {
    const some = steps.slice(at, at + AT_ONCE);
    diffs.push(...(await Promise.all(some.map((s) => changesOf(session, s).then((d) => d.items)))));
  }
  return backwards(diffs);
}

/** Puts the changes of steps together, the newest step first, and turns them round. */
export function backwards(steps: readonly (readonly FileDiff[])[]): Foreseen {
  const touched = new Map<string, FileDiff[]>();
  for (const diff of steps.flat().flatMap(apart)) touched.set(diff.path, [...(touched.get(diff.path) ?? []), diff]);
  return new Map([...touched].map(([path, diffs]) => [path, turned(path, diffs)]));
}

/** A renamed file is one that goes and one that comes. */
function apart(d: FileDiff): FileDiff[] {
  if (d.old_path === undefined) return [d];
  const { before, after, old_path, ...rest } = d;
  return [{ ...rest, path: old_path, ...(before === undefined ? {} : { before }) }, { ...rest, ...(after === undefined ? {} : { after }) }];
}

function turned(path: string, diffs: readonly FileDiff[]): Lines {
  if (diffs.some((d) => d.binary)) return { binary: true };
  if (diffs.some((d) => d.too_large)) return { too_large: true };
  const touches = joined(diffs.map((d) => ({ before: d.before ?? null, after: d.after ?? null })));
  return { patches: touches.map((t) => patchOf(path, t.after, t.before)).filter((p) => p.lines.length > 0) };
}

/** Makes one change of steps that go on from each other, or that ran beside each other. Where a person wrote in between, they stay apart. */
function joined(touches: readonly Touch[]): Touch[] {
  const out: Touch[] = [];
  for (const older of touches) {
    const last = out.at(-1);
    if (last && older.after === last.before) last.before = older.before;
    else if (!last || older.before !== last.before) out.push({ ...older });
  }
  return out;
}
