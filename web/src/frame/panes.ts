/** The panes that there are. One that joins later is one more row. */
import type { Snapshot } from "@parley/client";
import type { ComponentType } from "react";
import { AboutPane } from "../control/AboutPane";
import { PlanPane } from "../plan/PlanPane";
import { TalkPane } from "../talk/TalkPane";
import { CheckpointsPane } from "../time/CheckpointsPane";
import { TimePane } from "../time/TimePane";
import type { IconName } from "../ui/Icon";
import type { Words } from "../words";
import type { AreaID } from "./layout";

export interface Pane {
  id: string;
  area: AreaID;
  icon: IconName;
  /** The key that shows it. */
  key: string;
  title: (w: Words) => string;
  Component: ComponentType;
  /** A number to draw attention to it. */
  badge?: (s: Snapshot) => number;
}

const open = new Set(["pending", "in_progress"]);

export const PANES: readonly Pane[] = [
  { id: "talk", area: "main", icon: "chat", key: "1", title: (w) => w.conversation, Component: TalkPane, badge: (s) => s.view.session?.hitl_requests.length ?? 0 },
  { id: "plan", area: "side", icon: "plan", key: "2", title: (w) => w.plan, Component: PlanPane, badge: (s) => (s.view.session?.plan ? s.view.session.todos.filter((t) => open.has(t.status)).length : 0) },
  { id: "time", area: "side", icon: "clock", key: "3", title: (w) => w.time, Component: TimePane },
  { id: "changes", area: "side", icon: "files", key: "4", title: (w) => w.changes, Component: CheckpointsPane },
  { id: "about", area: "side", icon: "info", key: "5", title: (w) => w.about, Component: AboutPane },
];

export const panesOf = (area: AreaID): readonly Pane[] => PANES.filter((p) => p.area === area);
