import type { OpenRequest, Snapshot } from "@parley/client";
import { useEffect, useRef, useState } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { IconButton } from "../ui/Button";
import { toast } from "../ui/toasts";
import { useWords } from "../words";
import { who } from "../talk/RowView";
import { Approval } from "./Approval";
import { Countdown } from "./Countdown";
import { PlanReview } from "./PlanReview";
import { Question } from "./Question";
import { answering } from "./answering";
import { MOMENT_MS } from "./keys";

const NONE: readonly OpenRequest[] = [];
const selectRequests = (s: Snapshot) => s.view.session?.hitl_requests ?? NONE;

/**
 * What people are asked, one in front of the others. It closes when the server
 * says that it was answered, by whomever.
 */
export function Requests() {
  const w = useWords();
  const requests = useSnapshot(selectRequests);
  const [chosen, setChosen] = useState<string>();
  const at = Math.max(0, requests.findIndex((r) => r.request_id === chosen));
  const request = requests[at];
  useTold(requests);
  if (!request) return null;
  const turn = (by: number) => setChosen(requests[(at + by + requests.length) % requests.length]!.request_id);
  return (
    <div className={requests.length > 1 ? "requests requests-many" : "requests"}>
      <RequestCard key={request.request_id} request={request}>
        {requests.length > 1 && (
          <span className="stack">
            <IconButton icon="left" label={w.previous} onClick={() => turn(-1)} />
            <span>{w.nth(at + 1, requests.length)}</span>
            <IconButton icon="right" label={w.next} onClick={() => turn(1)} />
          </span>
        )}
      </RequestCard>
    </div>
  );
}

function RequestCard({ request, children }: { request: OpenRequest; children: React.ReactNode }) {
  const w = useWords();
  const card = useRef<HTMLElement>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    if (!typing()) card.current?.focus();
    const timer = setTimeout(() => setReady(true), MOMENT_MS);
    return () => clearTimeout(timer);
  }, []);
  const Body = request.type === "hitl_plan_review" ? PlanReview : request.type === "hitl_approval_request" ? Approval : Question;
  return (
    <section ref={card} className="request" role="dialog" aria-modal="false" aria-labelledby={request.request_id} tabIndex={-1} data-ready={ready}>
      <header className="request-head">
        <h2 id={request.request_id}>{w.requestTitle[request.type as keyof typeof w.requestTitle] ?? w.needsYou}</h2>
        {children}
        <Countdown until={request.expires_at} from={request.created_at} />
      </header>
      <Body request={request} />
    </section>
  );
}

/** Says whether somebody is writing just now: then nothing takes the focus away. */
function typing(): boolean {
  const at = document.activeElement;
  if (document.querySelector(".dialog") || at instanceof HTMLInputElement) return true;
  if (!(at instanceof HTMLTextAreaElement)) return false;
  return at.value !== "" || Date.now() - Number(at.dataset.typed ?? 0) < 1500;
}

/** Says by whom a request was answered that was open here and not answered here. */
function useTold(requests: readonly OpenRequest[]): void {
  const w = useWords();
  const { session } = useOpened();
  const before = useRef(requests);
  useEffect(() => {
    const gone = before.current.filter((q) => !requests.includes(q) && !requests.some((r) => r.request_id === q.request_id));
    before.current = requests;
    for (const { request_id } of gone) {
      const resolved = session.getSnapshot().view.resolved[request_id];
      if (answering.delete(request_id) || !resolved || resolved.action === "withdraw") continue;
      const action = w.actions[resolved.action] ?? resolved.action;
      toast(resolved.by === "timeout" ? w.timedOut(action) : w.answeredElsewhere(action, who(resolved, w.you)));
    }
  }, [requests, session, w]);
}
