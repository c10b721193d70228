import { MAIN_MONITOR } from "./ledger.js";
import { put } from "./table.js";
import type { Table } from "./table.js";

/** The messages that wait for their turn. */
export const queue: Table = {
  message_queued: (core, r) =>
    put(core, {
      queue: [
        ...core.session.queue,
        {
          message_id: r.message_id,
          content: r.data.content,
          content_blob: r.data.content_blob,
          images: r.data.images,
          monitor_id: r.monitor_id ?? MAIN_MONITOR,
          by: r.data.by,
          timestamp: r.timestamp,
        },
      ],
    }),
  queue_changed: (core, r) =>
    put(core, { queue: r.data.queue.flatMap((id) => core.session.queue.find((item) => item.message_id === id) ?? []) }),
};
