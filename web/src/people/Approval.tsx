import type { OpenRequest, Remember } from "@parley/client";
import { useState } from "react";
import { Button } from "../ui/Button";
import { Diff } from "../ui/Diff";
import { isPatch } from "../ui/diff";
import { useWords } from "../words";
import { Input } from "../talk/ToolCard";
import { useAnswer } from "./answering";
import { useAnswerKeys } from "./keys";

/** Asks whether a tool may run: shows exactly what would happen. */
export function Approval({ request }: { request: OpenRequest }) {
  const w = useWords();
  const { busy, answer } = useAnswer(request.request_id);
  const [remember, setRemember] = useState<Remember>("once");
  const [reason, setReason] = useState("");
  const say = (action: "approve" | "skip" | "reject") => !busy && answer({ action, ...(remember !== "once" ? { remember } : {}), ...(reason.trim() ? { reason: reason.trim() } : {}) });
  const yes = () => say("approve");
  useAnswerKeys({ y: yes, ㅛ: yes, Enter: yes, n: () => say("reject"), ㅜ: () => say("reject"), s: () => say("skip"), ㄴ: () => say("skip") });
  const tool = request.tool ?? "";
  return (
    <>
      <div className="request-body">
        <p className="request-ask">{request.todo?.task ?? w.mayRun(w.tools[tool] ?? tool)}</p>
        {isPatch(request.preview) ? <Diff patch={request.preview} /> : <Input tool={tool} input={request.input} />}
        {request.preview && !isPatch(request.preview) && <pre className="output" tabIndex={0}>{request.preview}</pre>}
      </div>
      <div className="request-more">
        <label>
          {w.remember}{" "}
          <select value={remember} onChange={(e) => setRemember(e.target.value as Remember)}>
            {(["once", "session", "always", "never"] as const).map((r) => <option key={r} value={r}>{w.remembers[r]}</option>)}
          </select>
        </label>
        <input value={reason} aria-label={w.reason} placeholder={w.reason} maxLength={500} onChange={(e) => setReason(e.target.value)} />
      </div>
      <footer className="request-foot">
        <Button look="main" icon="check" hint="Y" disabled={busy} onClick={yes}>{w.approve}</Button>
        <Button icon="skip" hint="S" disabled={busy} onClick={() => say("skip")}>{w.skip}</Button>
        <Button look="danger" icon="cross" hint="N" disabled={busy} onClick={() => say("reject")}>{w.reject}</Button>
      </footer>
    </>
  );
}
