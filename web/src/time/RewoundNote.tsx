import { useSyncExternalStore } from "react";
import type { Snapshot } from "@parley/client";
import { useOpened, useSnapshot } from "../app/context";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";

const selectResting = (s: Snapshot) => s.view.session?.status !== "executing";

/** Says that one has gone back, for as long as nothing new was begun from there. */
export function RewoundNote() {
  const w = useWords();
  const { session, trace } = useOpened();
  const { rewound } = useSyncExternalStore(trace.subscribe, trace.getSnapshot);
  const resting = useSnapshot(selectResting);
  if (!rewound || rewound.undoes || rewound.hidden.length === 0 || !resting) return null;
  return (
    <div className="rewound" role="status">
      <Icon name="undo" size={16} />
      <span>{w.youWentBack}</span>
      <Button onClick={() => session.undo(rewound.rewind_id).then(() => toast(w.undone), complain)}>{w.undo}</Button>
    </div>
  );
}
