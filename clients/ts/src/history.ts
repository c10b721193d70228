import { addPage } from "./fold/path.js";
import type { Span } from "./fold/spans.js";
import type { UIMessage, View } from "./fold/view.js";
import { sequence } from "./ids.js";
import type { SessionAPI } from "./rest/session.js";

/** The view whose past is loaded. */
export interface Viewer {
  view(): View;
  change(to: (view: View) => View): void;
}

/** Loads by REST the messages that a view says are missing: the newest first, a page at a time. */
export class History {
  #api: SessionAPI;
  #viewer: Viewer;
  #loading: Promise<number> | undefined;

  constructor(api: SessionAPI, viewer: Viewer) {
    this.#api = api;
    this.#viewer = viewer;
  }

  /** Loads a page and says how many messages were on it; 0 if none is missing. Calls do not overlap: they share one page. */
  load(limit: number): Promise<number> {
    this.#loading ??= this.#load(limit).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  /** Loads until there is no hole among the newest messages. */
  async fill(limit: number): Promise<void> {
    for (let before: Span | undefined; ; ) {
      const gap = hole(this.#viewer.view());
      if (!gap || (before && gap[0] === before[0] && gap[1] === before[1])) return;
      before = gap;
      await this.load(limit);
    }
  }

  async #load(limit: number): Promise<number> {
    const gap = this.#viewer.view().missing.at(-1);
    if (!gap) return 0;
    const { total } = await this.#api.uiMessages({ limit: 1 });
    const later = this.#viewer.view().messages.filter((m) => sequence(m.message_id)! > gap[1]).length;
    const end = Math.max(0, total - later);
    const offset = Math.max(0, end - limit);
    const page = end > offset ? await this.#api.uiMessages({ offset, limit: end - offset }) : { items: [], total };
    const covers = span(gap, page.items, offset === 0, page.total === total);
    this.#viewer.change((view) => addPage(view, { items: page.items, covers }));
    return page.items.length;
  }
}

/** The newest gap, if messages older than it are here, or none at all. */
function hole(view: View): Span | undefined {
  const gap = view.missing.at(-1);
  const oldest = view.messages[0];
  return gap && (!oldest || sequence(oldest.message_id)! < gap[1]) ? gap : undefined;
}

/** The run of records that a page stands for. It reaches the gap's end only if no message came while it was read. */
function span(gap: Span, items: readonly UIMessage[], first: boolean, still: boolean): Span {
  const numbers = items.map((m) => sequence(m.message_id)!);
  const from = first ? 1 : (numbers[0] ?? gap[1] + 1);
  return [from, still ? Math.max(gap[1], numbers.at(-1) ?? 0) : (numbers.at(-1) ?? 0)];
}
