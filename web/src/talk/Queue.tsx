import type { Snapshot } from "@parley/client";
import { useOpened, useSnapshot } from "../app/context";
import { IconButton } from "../ui/Button";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

const selectQueue = (s: Snapshot) => s.view.session?.queue;

/** Messages that wait for their turn: to put in another order, or to take out. */
export function Queue() {
  const w = useWords();
  const { session } = useOpened();
  const queue = useSnapshot(selectQueue) ?? [];
  if (queue.length === 0) return null;
  const edit = (change: { order?: string[]; remove?: string[] }) => void session.send("queue_edit", change).catch(complain);
  const up = (i: number) => {
    const order = queue.map((q) => q.message_id);
    [order[i - 1], order[i]] = [order[i]!, order[i - 1]!];
    edit({ order });
  };
  return (
    <section className="queue" aria-label={w.queue}>
      <h3>{w.waitingMessages(queue.length)}</h3>
      <ol>
        {queue.map((item, i) => (
          <li key={item.message_id}>
            <span className="queue-text">{item.content}</span>
            {i > 0 && <IconButton icon="up" label={w.moveUp} onClick={() => up(i)} />}
            <IconButton icon="cross" label={w.remove} onClick={() => edit({ remove: [item.message_id] })} />
          </li>
        ))}
      </ol>
    </section>
  );
}
