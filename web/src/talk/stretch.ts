/** A stretch of the journal that is read by itself, so that a place far back is shown without all that lies between it and now. */
import type { RecordFrame, Session, View } from "@parley/client";
import { emptyView, fold, messageID, sequence } from "@parley/client";
import { onPath } from "../app/path";
import { rowsOf } from "./rows";
import type { Row } from "./rows";
import { NOTHING, trace } from "./trace";

/** Records from and to a number, both included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly records: readonly RecordFrame[];
}

/** So many records are read on each side of a place, and at a time when somebody goes on from there. */
const SIDE = 250;

/** Reads what is around a record. */
export function around(session: Session, record: string): Promise<Stretch> {
  const at = sequence(record) ?? 1;
  return read(session, Math.max(1, at - SIDE), at + SIDE);
}

/** The stretch with more before it. */
export async function earlier(session: Session, now: Stretch): Promise<Stretch> {
  if (now.from <= 1) return now;
  const more = await read(session, Math.max(1, now.from - SIDE), now.from - 1);
  return { from: more.from, to: now.to, records: [...more.records, ...now.records] };
}

/** The stretch with more after it. */
export async function later(session: Session, now: Stretch): Promise<Stretch> {
  const more = await read(session, now.to + 1, now.to + SIDE);
  return { from: now.from, to: more.to, records: [...now.records, ...more.records] };
}

/** There may be fewer than are asked for: then the stretch ends with the last one. */
async function read(session: Session, from: number, to: number): Promise<Stretch> {
  const { items } = await session.api.events({ after: messageID(from - 1), limit: to - from + 1 });
  const records = items.filter((r) => sequence(r.message_id)! <= to);
  return { from, to: sequence(records.at(-1)?.message_id) ?? from - 1, records };
}

/** The rows of a stretch, as far as they are visible in the session as it is now. */
export function rowsIn(stretch: Stretch, now: View): Row[] {
  const records = stretch.records.filter((r) => onPath(now, r.message_id));
  const view = records.reduce<View>(fold, emptyView(messageID(stretch.from - 1)));
  return rowsOf({ ...view, session: now.session }, records.reduce(trace, NOTHING));
}
