/**
 * The frame of the page: areas that hold panes, one of which shows. A pane that
 * joins later (a desktop, say) is one more entry in the list of panes; nothing
 * here knows what any of them is.
 */
export type AreaID = "main" | "side";

export interface Area {
  /** The pane that shows; none: the area is closed. */
  active: string | null;
}

export interface Layout {
  areas: { [A in AreaID]: Area };
  /** The area that has the focus; on a narrow screen the only one that shows. */
  focus: AreaID;
  /** How wide the side area is, in pixels. */
  width: number;
  /** Whether the list of sessions shows. */
  list: boolean;
}

export type Move =
  | { do: "show"; area: AreaID; pane: string }
  | { do: "toggle"; area: AreaID; pane: string }
  | { do: "hide"; area: AreaID }
  | { do: "focus"; area: AreaID }
  | { do: "resize"; width: number }
  | { do: "list"; open: boolean };

export const MIN_WIDTH = 280;
export const MAX_WIDTH = 900;

export const START: Layout = { areas: { main: { active: "talk" }, side: { active: null } }, focus: "main", width: 420, list: true };

export function arrange(layout: Layout, move: Move): Layout {
  switch (move.do) {
    case "show":
      return { ...put(layout, move.area, move.pane), focus: move.area };
    case "toggle":
      return layout.areas[move.area].active === move.pane && layout.focus === move.area
        ? arrange(layout, { do: "hide", area: move.area })
        : arrange(layout, { do: "show", area: move.area, pane: move.pane });
    case "hide":
      return move.area === "main" ? layout : { ...put(layout, move.area, null), focus: "main" };
    case "focus":
      return layout.areas[move.area].active === null ? layout : { ...layout, focus: move.area };
    case "resize":
      return { ...layout, width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, Math.round(move.width))) };
    case "list":
      return { ...layout, list: move.open };
  }
}

function put(layout: Layout, area: AreaID, active: string | null): Layout {
  return { ...layout, areas: { ...layout.areas, [area]: { active } } };
}

const KEY = "parley.layout";

/** Keeps how wide things are and what was open. */
export function save(layout: Layout): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(layout));
  } catch {
    // It starts as new the next time.
  }
}

export function load(panes: readonly string[]): Layout {
  try {
    const kept = { ...START, ...(JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Layout>) };
    const known = (active: string | null) => (active && panes.includes(active) ? active : null);
    return {
      ...kept,
      areas: { main: { active: known(kept.areas.main.active) ?? START.areas.main.active }, side: { active: known(kept.areas.side.active) } },
      focus: "main",
      list: kept.list && !narrow(), // where it would cover everything it opens when asked for
    };
  } catch {
    return { ...START, list: !narrow() };
  }
}

/** Says whether the screen is one on which only one thing shows at a time. */
export const narrow = (): boolean => matchMedia("(max-width: 900px)").matches;
