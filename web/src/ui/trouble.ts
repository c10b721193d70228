/** Errors as people are told them: what happened, what to do, and behind that the code, for whoever asks for it. */
import { ClosedError, GaveUpError, ServerError, UnreachableError } from "@parley/client";
import type { Words } from "../words";

export interface Trouble {
  text: string;
  /** What to do, where the text does not say so itself. */
  advice: string | undefined;
  code: string | undefined;
}

export function troubleOf(error: unknown, w: Words): Trouble {
  if (error instanceof ServerError) {
    const advice = w.advice[error.suggestedAction ?? ""];
    return { text: sentence(error.message), advice, code: error.code ? `${error.code} ${error.word}` : error.word };
  }
  if (error instanceof ClosedError) {
    return error.said ? troubleOf(error.said, w) : { text: sentence(error.why || w.lineClosed), advice: w.advice["reconnect"], code: String(error.code) };
  }
  if (error instanceof GaveUpError) return troubleOf(error.cause, w);
  if (error instanceof UnreachableError) return { text: sentence(error.message), advice: w.advice["unreachable"], code: undefined };
  return { text: sentence(error instanceof Error ? error.message : String(error)), advice: undefined, code: undefined };
}

/** Begins with a capital letter: the server's words also stand within others. A name in lower case stays as it is. */
function sentence(text: string): string {
  return /^[a-z]+[ ,:]/.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text;
}
