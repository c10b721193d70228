/** Going back: to which place, with what, and what comes of it. */
import type { Rewinding, Session } from "@parley/client";
import { onPath } from "../app/path";
import { foresee } from "./foresee";
import type { Foreseen } from "./foresee";
import { pastOf } from "./checkpoints";
import type { Past } from "./checkpoints";

/** What goes back. */
export type How = "both" | "conversation" | "files";

/** Where to: to before a record, or to right after it. */
export interface Place {
  to: string;
  include: boolean;
}

/** Does it, or with `preview` only says what would happen. Files alone go back to a kept state, which is named. */
export function goBack(session: Session, place: Place, how: How, kept: string | undefined, preview: boolean): Promise<Rewinding> {
  const told = preview ? { preview } : {};
  if (how === "files") return session.api.restore(kept!, told);
  return session.rewind({ to: place.to, ...(place.include ? { include_target: true } : {}), ...(how === "both" ? { files: true } : {}), ...told });
}

/** The ways to go back to a place: files alone only where a state of them was kept. */
export function waysTo(session: Session, place: Place, past: Past): How[] {
  const here = onPath(session.getSnapshot().view, place.to);
  return here && past.at ? ["both", "conversation", "files"] : ["both", "conversation"];
}

/** The steps since a place. For one on another way they are not known here. */
export async function lookBack(session: Session, place: Place): Promise<Past> {
  return onPath(session.getSnapshot().view, place.to) ? pastOf(session, place.to, place.include) : { since: [], at: undefined, more: false };
}

/** What would happen to lines; nothing where it would take too long to find out: then the names of files are told alone. */
export async function linesBack(session: Session, past: Past): Promise<Foreseen> {
  return past.more ? new Map() : foresee(session, past.since);
}
