import type { HitlResolved, UIMessage } from "@parley/client";
import { memo, useDeferredValue } from "react";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { Diff } from "../ui/Diff";
import { isPatch } from "../ui/diff";
import { clock, cost, count, duration } from "../ui/format";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useWords } from "../words";
import { copy } from "./Code";
import { Images } from "./Images";
import { Markdown } from "./Markdown";
import type { Row } from "./rows";
import { useText } from "./text";
import type { End } from "./trace";
import { ToolCard } from "./ToolCard";
import { Thought } from "./Thought";

/** One row of the conversation. */
export const RowView = memo(function RowView({ row, onEdit }: { row: Row; onEdit: (m: UIMessage) => void }) {
  switch (row.kind) {
    case "user":
      return <UserMessage message={row.message} onEdit={onEdit} />;
    case "say":
      return <Said message={row.message} />;
    case "live":
      return <Live text={row.text.text} />;
    case "thought":
      return <Thought text={row.text} live={row.live} />;
    case "call":
      return <ToolCard call={row.call} input={row.input} task={row.task} preview={row.preview} child={row.child} />;
    case "ask":
      return <Asked message={row.message} resolved={row.resolved} open={row.open} />;
    case "output":
      return <pre className="output" tabIndex={0}>{row.message.text}</pre>;
    case "error":
      return <Failure message={row.message} />;
    case "note":
      return <Note message={row.message} />;
    case "end":
      return <Ended end={row.end} />;
  }
});

function UserMessage({ message, onEdit }: { message: UIMessage; onEdit: (m: UIMessage) => void }) {
  const w = useWords();
  const { language } = usePrefs();
  const desk = useDesk();
  const { text, more } = useText(message);
  return (
    <article className="user" aria-label={w.you}>
      <div className="bubble">
        <p className="user-text">{text}</p>
        {more}
        <Images images={message.images} />
      </div>
      <div className="row-actions">
        <time dateTime={new Date(message.ts).toISOString()}>{clock(message.ts, language)}</time>
        <IconButton icon="copy" label={w.copy} onClick={() => copy(text, w.copied)} />
        <IconButton icon="edit" label={w.editMessage} onClick={() => onEdit(message)} />
        <IconButton icon="fork" label={w.forkHere} onClick={() => desk.open({ of: "fork", at: message.message_id })} />
        <Button className="row-back" look="quiet" icon="undo" onClick={() => desk.open({ of: "back", to: message.message_id, words: text })}>{w.goBack}</Button>
      </div>
    </article>
  );
}

function Said({ message }: { message: UIMessage }) {
  const w = useWords();
  const { text, more } = useText(message);
  return (
    <article className="said" aria-label={w.agent}>
      <Markdown text={text} />
      {more}
      <Images images={message.images} />
      {message.partial && <p className="help">{w.cutShort}</p>}
      <div className="row-actions">
        <IconButton icon="copy" label={w.copy} onClick={() => copy(text, w.copied)} />
      </div>
    </article>
  );
}

/** A text being written. Drawing it gives way to typing and clicking. */
function Live({ text }: { text: string }) {
  const w = useWords();
  const shown = useDeferredValue(text);
  return (
    <article className="said" aria-label={w.agent} aria-busy="true">
      <Markdown text={shown} live />
      <div className="row-actions" />
    </article>
  );
}

/** A question that is not open any more: what was asked and what came of it. */
function Asked({ message, resolved, open }: { message: UIMessage; resolved: HitlResolved | undefined; open: boolean }) {
  const w = useWords();
  const answer = resolved && (resolved.value !== undefined ? w.answered(say(resolved.value), who(resolved, w.you)) : w.decided(w.actions[resolved.action] ?? resolved.action, who(resolved, w.you)));
  return (
    <div className="asked">
      <Icon name="person" size={16} />
      <div className="asked-words">
        {isPatch(message.text) ? <Diff patch={message.text} /> : <p>{message.text}</p>}
        {!open && answer && <p className="help">{answer}{resolved?.instruction ? `: ${resolved.instruction}` : ""}</p>}
      </div>
    </div>
  );
}

function say(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function who(resolved: HitlResolved, you: string): string {
  return resolved.by === "local" ? you : resolved.by;
}

function Failure({ message }: { message: UIMessage }) {
  const w = useWords();
  return (
    <div className="failure" role="alert">
      <Icon name="warn" />
      <div>
        <p>{message.text}</p>
        <p className="help">{w.failureHelp}</p>
      </div>
    </div>
  );
}

function Note({ message }: { message: UIMessage }) {
  const w = useWords();
  const condensed = message.contextCondense;
  if (condensed) {
    return (
      <details className="note">
        <summary>{w.condensed(condensed.prevContextTokens, condensed.newContextTokens)}</summary>
        <Markdown text={condensed.summary} />
      </details>
    );
  }
  if (message.contextTruncation) return <p className="note">{w.truncated(message.contextTruncation.messagesRemoved)}</p>;
  return <div className="note"><Markdown text={message.text ?? ""} /></div>;
}

/** The line under a turn: how it ended, how long it took, what it cost. */
function Ended({ end }: { end: End }) {
  const w = useWords();
  const { language } = usePrefs();
  const { data } = end;
  const failed = "error" in data;
  const stats = data.statistics;
  return (
    <div className={failed ? "ended ended-bad" : "ended"}>
      <span>{failed ? (data.status === "cancelled" ? w.status.cancelled : `${w.status.failed}: ${data.error.message}`) : w.done}</span>
      {stats && <span>{duration(stats.execution_time_ms)}</span>}
      {stats && stats.tokens_used > 0 && <span>{w.tokens(count(stats.tokens_used, language))}</span>}
      {stats && stats.cost_usd > 0 && <span>{cost(stats.cost_usd)}</span>}
    </div>
  );
}
