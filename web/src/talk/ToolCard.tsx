import type { Call, Snapshot } from "@parley/client";
import { memo, useCallback, useState } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { go } from "../app/route";
import { Diff } from "../ui/Diff";
import { isPatch } from "../ui/diff";
import { duration } from "../ui/format";
import { Icon } from "../ui/Icon";
import { useNow } from "../ui/now";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { Button } from "../ui/Button";
import { Code } from "./Code";
import { printed } from "./rows";
import { gist } from "./gist";

interface ToolCardProps {
  call: Call;
  input: unknown;
  task: string | undefined;
  preview: string | undefined;
  /** The session that does the work. */
  child: string | undefined;
}

/** A change of files that is shown without being asked for. */
const SHORT = 3000;

/** A tool call: what is called with what, what it prints, what came of it and how long it took. */
export const ToolCard = memo(function ToolCard({ call, input, task, preview, child }: ToolCardProps) {
  const w = useWords();
  const running = call.status === "running";
  const [open, setOpen] = useState<boolean>();
  const patch = isPatch(preview) ? preview : isPatch(call.output) ? call.output : undefined;
  const shown = open ?? (running || call.status === "failed" || (patch !== undefined && patch.length < SHORT));
  const live = useSnapshot(useCallback((s: Snapshot) => (running ? printed(s.view.texts, call) : undefined), [running, call]));
  const short = gist(input);
  return (
    <section className={`card call call-${call.status}`} aria-label={`${call.tool}: ${w.callStatus[call.status]}`}>
      <button type="button" className="card-head" aria-expanded={shown} onClick={() => setOpen(!shown)}>
        <StatusMark status={call.status} />
        <span className="call-name">{task ?? w.tools[call.tool] ?? call.tool}</span>
        {short && <span className="call-gist mono">{short}</span>}
        <Took call={call} />
        <Icon name={shown ? "up" : "down"} size={14} />
      </button>
      {shown && (
        <div className="card-body">
          {child && <Button icon="link" onClick={() => go({ at: "session", id: child })}>{w.openChild}</Button>}
          {patch ? <Diff patch={patch} /> : <Input tool={call.tool} input={input} />}
          {running ? live && <Output text={live} live /> : patch !== call.output && <Result call={call} />}
        </div>
      )}
    </section>
  );
});

function StatusMark({ status }: { status: Call["status"] }) {
  if (status === "running") return <span className="spinner" aria-hidden="true" />;
  return (
    <span className={`mark mark-${status}`}>
      <Icon name={status === "done" ? "check" : status === "failed" ? "cross" : "retry"} size={14} />
    </span>
  );
}

/** How long it took, or how far it has come. */
function Took({ call }: { call: Call }) {
  const running = call.status === "running";
  const [since] = useState(() => Date.now());
  const now = useNow(1000, running);
  if (call.duration_ms !== undefined) return <span className="took">{duration(call.duration_ms)}</span>;
  if (!running) return null;
  const percentage = call.progress?.percentage;
  return <span className="took">{percentage !== undefined ? `${Math.round(percentage)}%` : now - since > 2000 ? duration(now - since) : ""}</span>;
}

/** What the tool is called with: a command as a command, all else as it is. */
export function Input({ tool, input }: { tool: string; input: unknown }) {
  if (input === undefined || input === null) return null;
  const given = input as { [name: string]: unknown };
  if (tool === "run_command" && typeof given.command === "string") return <Code text={given.command} language="bash" />;
  if (typeof input === "object" && Object.keys(given).length === 0) return null;
  return <Code text={JSON.stringify(input, null, 2)} language="json" />;
}

const FOLDED = 1500;

function Output({ text, live = false }: { text: string; live?: boolean }) {
  const w = useWords();
  const [whole, setWhole] = useState(false);
  const cut = !whole && text.length > FOLDED;
  return (
    <>
      <pre className="output" tabIndex={0} aria-label={w.output} aria-live={live ? "off" : undefined}>
        {cut ? (live ? "…" + text.slice(-FOLDED) : text.slice(0, FOLDED) + "…") : text}
      </pre>
      {cut && !live && <Button look="quiet" onClick={() => setWhole(true)}>{w.showAll}</Button>}
    </>
  );
}

function Result({ call }: { call: Call }) {
  const w = useWords();
  const { session } = useOpened();
  const [whole, setWhole] = useState<string>();
  if (call.status === "interrupted") return <p className="help">{w.interrupted}</p>;
  const load = () => {
    if (call.output_blob) session.api.blob(call.output_blob.hash).then((b) => b.text()).then(setWhole, complain);
  };
  return (
    <>
      {call.error && <p className="bad">{call.error.message}</p>}
      {(whole ?? call.output) && <Output text={(whole ?? call.output)!} />}
      {call.output_blob && whole === undefined && <Button look="quiet" onClick={load}>{w.loadWhole}</Button>}
    </>
  );
}
