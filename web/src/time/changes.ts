/** What one step of the agent changed. */
import type { CheckpointItem, FileDiffs, Session } from "@parley/client";
import { messageID } from "@parley/client";
import { seqOf } from "./checkpoints";

/**
 * Between the states before and after a step also lies what tools did that ran
 * beside it. A tool that names its files has changed no others.
 */
export async function changesOf(session: Session, step: CheckpointItem): Promise<FileDiffs> {
  const [diffs, paths] = await Promise.all([session.api.changes(step.id), pathsOf(session, step)]);
  if (paths.length === 0) return diffs;
  return { ...diffs, items: diffs.items.filter((d) => paths.includes(d.path) || (d.old_path !== undefined && paths.includes(d.old_path))) };
}

/** The files that a step named; none if it may have changed any. */
async function pathsOf(session: Session, step: CheckpointItem): Promise<readonly string[]> {
  const known = session.getSnapshot().view.checkpoints.find((c) => c.id === step.id);
  if (known) return known.paths ?? [];
  const { items } = await session.api.events({ after: messageID(seqOf(step) - 1), limit: 1 });
  const record = items[0];
  return record?.type === "checkpoint_saved" ? (record.data.paths ?? []) : [];
}
