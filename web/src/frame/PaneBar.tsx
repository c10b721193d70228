import type { Snapshot } from "@parley/client";
import { useCallback } from "react";
import { useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { useWords } from "../words";
import { PANES, panesOf } from "./panes";
import type { Pane } from "./panes";

/** The buttons of the panes: at the top of a wide page those beside the conversation, at the foot of a narrow one all. */
export function PaneBar({ where }: { where: "top" | "bottom" }) {
  const w = useWords();
  return (
    <div className={`pane-bar pane-bar-${where}`} role="group" aria-label={w.panes}>
      {(where === "top" ? panesOf("side") : PANES).map((p) => <PaneButton key={p.id} pane={p} words={where === "bottom"} />)}
    </div>
  );
}

function PaneButton({ pane, words }: { pane: Pane; words: boolean }) {
  const w = useWords();
  const { layout, arrange } = useDesk();
  const none = useCallback(() => 0, []);
  const count = useSnapshot<number>((pane.badge as ((s: Snapshot) => number) | undefined) ?? none);
  const title = pane.title(w);
  const shown = layout.areas[pane.area].active === pane.id && (!words || layout.focus === pane.area);
  if (!words) {
    return <IconButton icon={pane.icon} label={count ? `${title} (${count})` : title} count={count} aria-pressed={shown} onClick={() => arrange(shown ? { do: "hide", area: pane.area } : { do: "show", area: pane.area, pane: pane.id })} />;
  }
  return (
    <button type="button" className="pane-button" aria-pressed={shown} onClick={() => arrange({ do: "show", area: pane.area, pane: pane.id })}>
      <span className="pane-icon"><Icon name={pane.icon} />{count > 0 && <span className="count" data-count={count} />}</span>
      <span>{title}</span>
    </button>
  );
}
