import type { FrameOf } from "../frames.js";
import type { RecordType, SessionState } from "../types.gen.js";
import type { Turn } from "./turn.js";

/** The part of a view that records change as the server's own fold does. */
export interface Core {
  readonly session: SessionState;
  readonly turn: Turn | undefined;
}

/** What each record does to one part of the core. A type that is not named changes nothing. */
export type Table = { readonly [T in RecordType]?: (core: Core, record: FrameOf<T>) => Core };

/** Changes the session. */
export function put(core: Core, change: Partial<SessionState>): Core {
  return { ...core, session: { ...core.session, ...change } };
}
