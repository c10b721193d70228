/** The kept states of the workspace. A server that keeps none says so with an error, which is not one here. */
import type { CheckpointItem, FileDiff, Session } from "@parley/client";
import { sequence, ServerError } from "@parley/client";

/** The checkpoints, oldest first; undefined where there are none to be had. */
export async function checkpointsOf(session: Session): Promise<readonly CheckpointItem[] | undefined> {
  const { view } = session.getSnapshot();
  if (!view.session?.checkpoint && view.checkpoints.length === 0) return undefined;
  try {
    const { items } = await session.api.checkpoints();
    return [...items].sort((a, b) => (sequence(a.message_id) ?? 0) - (sequence(b.message_id) ?? 0));
  } catch (error) {
    if (error instanceof ServerError && (error.status === 404 || error.code === 1003 || error.code === 3003)) return undefined;
    throw error;
  }
}

/** What has changed in the files since a record: since the last state that was kept before it. */
export async function changesSince(session: Session, record: string): Promise<readonly FileDiff[] | undefined> {
  const kept = await checkpointsOf(session);
  const at = sequence(record) ?? 0;
  const before = kept?.findLast((c) => (sequence(c.message_id) ?? 0) < at) ?? kept?.[0];
  return before ? (await session.api.diff(before.id)).items : undefined;
}
