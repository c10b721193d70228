/** The kept states of the workspace: one after each step of the agent that changed files. */
import type { CheckpointItem, Client, FileDiff, Session } from "@parley/client";
import { sequence } from "@parley/client";

/** A kept state, with whether it was rewound. */
export interface Step extends CheckpointItem {
  hidden?: boolean;
}

/** A file that was not taken back, and why. */
export interface KeptFile {
  path: string;
  reason: string;
}

/** The steps that changed files, the newest first. Where nothing was kept nothing is asked. */
export async function stepsOf(session: Session): Promise<readonly Step[]> {
  const { view } = session.getSnapshot();
  if (!view.session?.checkpoint && view.checkpoints.length === 0) return [];
  const { items } = await session.api.checkpoints();
  return (items as Step[]).filter((s) => !s.hidden);
}

/** What a step changed. */
export async function diffOf(client: Client, session: Session, step: string): Promise<readonly FileDiff[]> {
  const page = await client.api.call<{ items: FileDiff[] }>("GET", `sessions/${encodeURIComponent(session.id)}/checkpoints/diff`, { query: { of: step } });
  return page.items;
}

/** More steps than these are not shown line by line before going back. */
const MOST = 12;

/** What the steps after a record changed, the oldest first. */
export async function changesSince(client: Client, session: Session, record: string): Promise<readonly FileDiff[]> {
  const at = sequence(record) ?? 0;
  const steps = (await stepsOf(session)).filter((s) => (sequence(s.message_id) ?? 0) >= at).slice(0, MOST);
  return (await Promise.all(steps.reverse().map((s) => diffOf(client, session, s.id)))).flat();
}
