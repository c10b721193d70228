import type { Snapshot } from "@parley/client";
import { useSnapshot } from "../app/context";
import { useWords } from "../words";

const selectLayer = (s: Snapshot) => s.view.session?.current_layer;
const selectQuiet = (s: Snapshot) => s.view.session?.status !== "executing" || s.view.texts.some((t) => !t.leaving) || s.view.calls.some((c) => c.status === "running");

/** Says under the last row that the agent is at work while nothing else shows it. */
export function Working() {
  const w = useWords();
  const layer = useSnapshot(selectLayer);
  const quiet = useSnapshot(selectQuiet);
  return (
    <div className="working" aria-live="polite">
      {!quiet && <span><span className="spinner" aria-hidden="true" /> {w.layers[layer ?? "execution"]}</span>}
    </div>
  );
}
