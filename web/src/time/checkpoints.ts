/** The kept states of the workspace: one after each step of the agent that changed files. */
import type { CheckpointItem, Session } from "@parley/client";
import { sequence } from "@parley/client";
import type { Words } from "../words";

export const seqOf = (c: CheckpointItem): number => sequence(c.message_id) ?? 0;

/** What a state was kept after: mostly a tool. */
export const reasonOf = (c: Pick<CheckpointItem, "reason">, w: Words): string => w.reasons[c.reason] ?? w.tools[c.reason] ?? c.reason;

/** How a kept state is recognised. */
export function nameOf(c: Pick<CheckpointItem, "reason" | "files_changed" | "hidden">, w: Words, time: string): string {
  return [time, reasonOf(c, w), c.files_changed ? w.filesChanged(c.files_changed) : "", c.hidden ? w.leftBehind : ""].filter(Boolean).join(" · ");
}

/** Leaves out what is the same as the one before it in the list: tools that begin at the same time each keep the state they found. */
export function distinct<T extends Pick<CheckpointItem, "hash" | "reason">>(list: readonly T[]): readonly T[] {
  return list.filter((c, i) => i === 0 || c.hash !== list[i - 1]!.hash || c.reason !== list[i - 1]!.reason);
}

/** Says whether anything was kept at all; where nothing was, nothing is asked. */
export function keeps(session: Session): boolean {
  const { view } = session.getSnapshot();
  return view.session?.checkpoint !== undefined || view.checkpoints.length > 0;
}

/** How the files came to be what they are, seen from a record. */
export interface Past {
  /** The visible steps after it, the newest first. */
  since: readonly CheckpointItem[];
  /** The kept state that holds at it; none before the first step. */
  at: CheckpointItem | undefined;
  /** There are more steps than were read. */
  more: boolean;
}

const PAGE = 200;
const PAGES = 5;

/** Reads the steps back to a record; with `include` its own step stays. */
export async function pastOf(session: Session, record: string, include: boolean): Promise<Past> {
  const last = (sequence(record) ?? 0) - (include ? 0 : 1);
  const since: CheckpointItem[] = [];
  let cursor: string | undefined;
  for (let page = 0; keeps(session) && page < PAGES; page++) {
    const { items, next_cursor } = await session.api.checkpoints({ limit: PAGE, ...(cursor ? { cursor } : {}) });
    for (const item of items.filter((i) => !i.hidden)) {
      if (seqOf(item) <= last) return { since, at: item, more: false };
      since.push(item);
    }
    cursor = next_cursor;
    if (!cursor) break;
  }
  return { since, at: undefined, more: cursor !== undefined };
}
