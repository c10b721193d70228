import type { FrameOf } from "../frames.js";
import { sequence } from "../ids.js";
import { insert } from "./messages.js";
import { add, contains, remove, without } from "./spans.js";
import type { Span, Spans } from "./spans.js";
import type { Call, Inner, UIMessage, View } from "./view.js";

/** Notes that a record came: it is visible, and its message is here. */
export function hear(view: View, seq: number): View {
  const one: Span = [seq, seq];
  const { path, known, heard } = view.inner;
  return locate(view, { path: add(path, one), known: add(known, one), heard: add(heard, one) });
}

/**
 * Moves the head: what is hidden is put aside, what comes back is put in again.
 * What comes back and is not here, because it never came as a record, is missing.
 */
export function rewind(view: View, r: FrameOf<"rewound">): View {
  const seq = sequence(r.message_id)!;
  const { hidden, shown } = r.data;
  const { inner } = view;
  const path = (shown as Spans).reduce(add, (hidden as Spans).reduce(remove, remove(inner.path, [seq, seq]))); // a move is on no path
  const unheard = without(shown, inner.heard);
  const sees = (m: { message_id: string }) => contains(path, sequence(m.message_id)!);
  const messages = insert(view.messages, inner.shelf.messages);
  const calls = [...view.calls, ...inner.shelf.calls].sort(byID);
  const shelf = { messages: messages.filter((m) => !sees(m)), calls: calls.filter((c) => !sees(c)) };
  return locate(
    { ...view, messages: messages.filter(sees), calls: calls.filter(sees), texts: [], outcome: undefined, inner: { ...inner, shelf } },
    { path, known: without(add(inner.known, [seq, seq]), unheard), heard: add(inner.heard, [seq, seq]) },
  );
}

/** A page of messages that REST gave, and the run of records it stands for. */
export interface Page {
  items: readonly UIMessage[];
  covers: Span;
}

/** Puts older messages in. Those that a rewind has hidden meanwhile are left out. */
export function addPage(view: View, page: Page): View {
  const visible = page.items.filter((m) => contains(view.inner.path, sequence(m.message_id)!));
  const messages = insert(view.messages, visible);
  return locate(messages === view.messages ? view : { ...view, messages }, { known: add(view.inner.known, page.covers) });
}

/** Forgets everything: the server does not know the records that were here. */
export function forget(view: View, last: number): View {
  return locate(
    { ...view, messages: [], texts: [], calls: [], checkpoints: [], resolved: {}, outcome: undefined, cursor: last },
    { path: last > 0 ? [[1, last]] : [], known: [], heard: [], shelf: { messages: [], calls: [] } },
  );
}

function locate(view: View, change: Partial<Inner>): View {
  const inner = { ...view.inner, ...change };
  const missing = without(inner.path, inner.known);
  return { ...view, inner, missing: same(missing, view.missing) ? view.missing : missing };
}

function same(a: Spans, b: Spans): boolean {
  return a.length === b.length && a.every((s, i) => s[0] === b[i]![0] && s[1] === b[i]![1]);
}

function byID(a: Call, b: Call): number {
  return sequence(a.message_id)! - sequence(b.message_id)!;
}
