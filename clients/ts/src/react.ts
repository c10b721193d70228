/** Sessions in React components. */
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from "react";
import type { HitlResponse } from "./answers.js";
import type { Client } from "./client.js";
import type { ConnectionOptions, ConnectionState } from "./connection.js";
import type { RequestType } from "./fold/requests.js";
import type { View } from "./fold/view.js";
import type { FrameOf } from "./frames.js";
import type { Sending } from "./outbox.js";
import type { Session, SessionOptions, Snapshot } from "./session.js";
import type { Ack, LayerStart, ProtocolError, SessionState } from "./types.gen.js";

type TodoType = "todo_started" | "todo_progress" | "todo_completed" | "todo_failed" | "todo_skipped";
const TODO_TYPES: readonly TodoType[] = ["todo_started", "todo_progress", "todo_completed", "todo_failed", "todo_skipped"];
const REQUEST_TYPES: readonly RequestType[] = ["hitl_plan_review", "hitl_approval_request", "hitl_input_request", "hitl_clarification"];

/** What a component wants to be told, beside being drawn again. */
export interface AgentSessionHandlers {
  onLayerStart?: (data: LayerStart) => void;
  onTodoUpdate?: (record: FrameOf<TodoType>) => void;
  onHitlRequest?: (record: FrameOf<RequestType>) => void;
  onComplete?: (record: FrameOf<"complete" | "failed">) => void;
  /** An error of the server that no command gave, or the reason why the connection failed. */
  onError?: (error: ProtocolError | Error) => void;
}

export interface AgentSessionOptions extends ConnectionOptions, SessionOptions, AgentSessionHandlers {
  /** Made once, outside of the component. */
  client: Client;
  sessionId: string;
  /** Connects when the component appears; true. */
  autoConnect?: boolean;
}

/** A session as a component has it: what it is like, and what can be done. */
export interface AgentSession extends Pick<Session, "connect" | "disconnect" | "say" | "pause" | "resume" | "cancel" | "retry" | "skip" | "rewind" | "undo" | "update" | "loadOlder"> {
  connectionState: ConnectionState;
  error: Error | undefined;
  /** null before it is known. */
  sessionState: SessionState | null;
  view: View;
  sending: readonly Sending[];
  sendHitlResponse(requestId: string, response: HitlResponse): Promise<Ack>;
  /** For whatever has no function here, and for `useSession` in other components. */
  session: Session;
}

/**
 * Joins a session for as long as the component is there, and draws it again
 * when something changed: at most once for each animation frame.
 */
export function useAgentSession(options: AgentSessionOptions): AgentSession {
  const { client, sessionId, autoConnect = true, after, clientID, create, history, scheduler } = options;
  const session = useMemo(
    () => client.session(sessionId, { after, clientID, create, history, scheduler }),
    [client, sessionId, after, clientID, create, history, scheduler],
  );
  const actions = useMemo(() => actionsOf(session), [session]);
  useHandlers(session, options);
  useEffect(() => {
    if (autoConnect) session.connect();
    return () => session.disconnect();
  }, [session, autoConnect]);
  const { connection, error, view, sending } = useSession(session, whole);
  return { ...actions, connectionState: connection, error, sessionState: view.session ?? null, view, sending, session };
}

const whole = (snapshot: Snapshot): Snapshot => snapshot;

/**
 * Draws a component again when one part of a session changed:
 * `useSession(session, (s) => s.view.messages)`. What `select` gives must be a
 * part of the snapshot, or a plain value: something made anew each time would
 * never be the same.
 */
export function useSession<T>(session: Session, select: (snapshot: Snapshot) => T): T {
  const get = useCallback(() => select(session.getSnapshot()), [session, select]);
  return useSyncExternalStore(session.subscribe, get, get);
}

/** The functions of a session, the same ones at each drawing. */
function actionsOf(session: Session): Omit<AgentSession, "connectionState" | "error" | "sessionState" | "view" | "sending" | "session"> {
  return {
    connect: () => session.connect(),
    disconnect: () => session.disconnect(),
    sendHitlResponse: (requestId, response) => session.answer(requestId, response),
    say: (message, options) => session.say(message, options),
    pause: (reason) => session.pause(reason),
    resume: (modifications) => session.resume(modifications),
    cancel: (reason) => session.cancel(reason),
    retry: (todoID) => session.retry(todoID),
    skip: (todoID, reason) => session.skip(todoID, reason),
    rewind: (to) => session.rewind(to),
    undo: (rewindID) => session.undo(rewindID),
    update: (change) => session.update(change),
    loadOlder: (limit) => session.loadOlder(limit),
  };
}

/** Tells the handlers of the last drawing. */
function useHandlers(session: Session, handlers: AgentSessionHandlers): void {
  const latest = useRef(handlers);
  useEffect(() => {
    latest.current = handlers;
  });
  useEffect(() => {
    const { connection } = session;
    let told: Error | undefined;
    const offs = [
      session.on("layer_start", (r) => latest.current.onLayerStart?.(r.data)),
      session.on("complete", (r) => latest.current.onComplete?.(r)),
      session.on("failed", (r) => latest.current.onComplete?.(r)),
      session.on("error", (s) => latest.current.onError?.(s.data)),
      ...TODO_TYPES.map((type) => session.on(type, (r) => latest.current.onTodoUpdate?.(r))),
      ...REQUEST_TYPES.map((type) => session.on(type, (r) => latest.current.onHitlRequest?.(r))),
      connection.watch(() => {
        const { state, error } = connection;
        if (state !== "failed" || !error || error === told) return;
        told = error;
        latest.current.onError?.(error);
      }),
    ];
    return () => offs.forEach((off) => off());
  }, [session]);
}
