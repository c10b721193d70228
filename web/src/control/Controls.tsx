import type { Snapshot } from "@parley/client";
import { useOpened, useSnapshot } from "../app/context";
import { Button } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

const selectStatus = (s: Snapshot) => s.view.session?.status ?? "idle";

/** Pause, resume, stop: whatever the session's status allows. */
export function Controls() {
  const w = useWords();
  const { session } = useOpened();
  const status = useSnapshot(selectStatus);
  const working = status === "executing" || status === "waiting";
  if (!working && status !== "paused") return null;
  return (
    <div className="controls" role="group" aria-label={w.control}>
      {working && <Button look="quiet" icon="pause" onClick={() => session.pause().catch(complain)}>{w.pause}</Button>}
      {status === "paused" && <Button look="main" icon="play" onClick={() => session.resume().catch(complain)}>{w.resume}</Button>}
      <Button look="quiet" icon="stop" onClick={() => session.cancel().catch(complain)}>{w.stop}</Button>
    </div>
  );
}
