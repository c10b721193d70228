/** The cursor before the first record of a session: resuming from it gives everything. */
export const FROM_START = "msg_0000000000";

/** The number of a record, from its message_id; undefined if it is none. */
export function sequence(messageID: string | undefined): number | undefined {
  if (messageID === undefined || !/^msg_\d{10,16}$/.test(messageID)) return undefined;
  return Number(messageID.slice(4));
}

/** The message_id of a record. */
export function messageID(sequence: number): string {
  return "msg_" + String(sequence).padStart(10, "0");
}

/**
 * An id that nobody else has. `crypto.randomUUID` would be refused to a page
 * that came over plain HTTP; this is not.
 */
export function newID(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (b) => b.toString(16).padStart(2, "0")).join("");
}
