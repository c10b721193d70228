import type { FrameOf } from "./frames.js";
import type { RecordType, ServerFrame, SignalType } from "./types.gen.js";

/** Takes a handler away again. */
export type Off = () => void;

type Handler = (frame: never) => void;

/** Who wants to hear of which type. */
export class Handlers {
  #byType = new Map<string, Set<Handler>>();

  /** Calls handler with every record or signal of a type; with `*`, with all of them. */
  on<T extends RecordType | SignalType>(type: T, handler: (frame: FrameOf<T>) => void): Off;
  on(type: "*", handler: (frame: ServerFrame) => void): Off;
  on(type: string, handler: Handler): Off {
    const set = this.#byType.get(type) ?? new Set();
    this.#byType.set(type, set);
    const own: Handler = (frame) => handler(frame); // the same function may be given twice
    set.add(own);
    return () => set.delete(own);
  }

  /**
   * Tells everyone, those who hear all types first: a session's view is then up
   * to date for the rest. A handler that throws does not keep the others from hearing.
   */
  tell(frame: ServerFrame): void {
    for (const type of ["*", frame.type]) {
      const set = this.#byType.get(type);
      if (set) for (const handler of [...set]) guarded(() => handler(frame as never));
    }
  }
}

/** Runs what belongs to somebody else; its error is reported as an uncaught one. */
export function guarded(run: () => void): void {
  try {
    run();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
