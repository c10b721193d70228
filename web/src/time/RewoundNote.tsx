import { useSyncExternalStore } from "react";
import type { Snapshot } from "@parley/client";
import { useOpened, useSnapshot } from "../app/context";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { complain, dismissAll, toast } from "../ui/toasts";
import { useWords } from "../words";
import { Kept } from "./Kept";

const selectResting = (s: Snapshot) => s.view.session?.status !== "executing";

/** Says that one has gone back, for as long as nothing new was begun from there. */
export function RewoundNote() {
  const w = useWords();
  const { session, trace } = useOpened();
  const { rewound } = useSyncExternalStore(trace.subscribe, trace.getSnapshot);
  const resting = useSnapshot(selectResting);
  if (!rewound || rewound.undoes || !resting) return null;
  if (rewound.hidden.length === 0 && !rewound.files?.length) return null;
  const undo = () => {
    dismissAll(); // which may offer the same
    session.undo(rewound.rewind_id).then(() => toast(w.undone), complain);
  };
  return (
    <div className="rewound" role="status">
      <Icon name="undo" size={16} />
      <div className="rewound-words">
        {rewound.hidden.length > 0 ? w.youWentBack : w.filesWentBack(rewound.files!.length)}
        {rewound.kept && rewound.kept.length > 0 && <details><summary>{w.stayed(rewound.kept.length)}</summary><Kept kept={rewound.kept} /></details>}
      </div>
      <Button onClick={undo}>{w.undo}</Button>
    </div>
  );
}
