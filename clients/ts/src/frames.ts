import { MalformedError } from "./errors.js";
import { sequence } from "./ids.js";
import { RECORD_TYPES } from "./types.gen.js";
import type { RecordEnvelope, RecordFrame, RecordPayloads, RecordType, ServerFrame, SignalEnvelope, SignalPayloads, SignalType } from "./types.gen.js";

/** The frame of a type: an envelope with that type's data. */
export type FrameOf<T extends RecordType | SignalType> = T extends RecordType
  ? RecordEnvelope<T, RecordPayloads[T]>
  : T extends SignalType
    ? SignalEnvelope<T, SignalPayloads[T]>
    : never;

const records: ReadonlySet<string> = new Set(RECORD_TYPES);

/** Tells records from signals: by the table, and of types that are not in it by the message_id, which signals never carry. */
export function isRecord(frame: ServerFrame): frame is RecordFrame {
  return records.has(frame.type) || ("message_id" in frame && frame.message_id !== undefined);
}

/**
 * Reads a frame. Types that this version does not know pass as they are; what
 * is no frame at all, or a record without a number, is refused.
 */
export function parse(text: unknown): ServerFrame {
  if (typeof text !== "string") throw new MalformedError("the server sent a binary frame");
  let frame: ServerFrame;
  try {
    frame = JSON.parse(text) as ServerFrame;
  } catch {
    throw new MalformedError("the server sent a frame that is not JSON");
  }
  if (typeof frame !== "object" || frame === null || typeof frame.type !== "string") {
    throw new MalformedError("the server sent a frame without a type");
  }
  if (isRecord(frame) && !sequence(frame.message_id)) {
    throw new MalformedError(`the server sent a ${frame.type} without a number`);
  }
  return frame;
}
