/** Short notices in a corner: what was done, what did not work, and a way to take it back. */
import { useSyncExternalStore } from "react";
import { useWords } from "../words";
import { Button, IconButton } from "./Button";
import { Troubled } from "./Troubled";

export interface Toast {
  id: number;
  text: string;
  bad?: boolean;
  /** What did not work: told in place of the text. */
  error?: unknown;
  action?: { label: string; run: () => void };
}

let toasts: readonly Toast[] = [];
let next = 1;
const listeners = new Set<() => void>();

function set(to: readonly Toast[]): void {
  toasts = to;
  for (const tell of [...listeners]) tell();
}

const STAY_MS = 5000;
const STAY_LONGER_MS = 12_000; // where there is something to press

export function toast(text: string, options: Omit<Toast, "id" | "text"> = {}): void {
  const id = next++;
  set([...toasts.slice(-3), { id, text, ...options }]);
  setTimeout(() => dismiss(id), options.action || options.bad ? STAY_LONGER_MS : STAY_MS);
}

export function dismiss(id: number): void {
  set(toasts.filter((t) => t.id !== id));
}

/** Clears what was said before: somebody has gone on to something else. */
export function dismissAll(): void {
  set([]);
}

/** Says what did not work, in the server's words. */
export function complain(error: unknown): void {
  toast("", { bad: true, error });
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const w = useWords();
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((t) => (
        <div key={t.id} className={t.bad ? "toast toast-bad" : "toast"}>
          {t.error === undefined ? <span>{t.text}</span> : <Troubled error={t.error} />}
          {t.action && (
            <Button look="quiet" onClick={() => { t.action!.run(); dismiss(t.id); }}>{t.action.label}</Button>
          )}
          <IconButton icon="cross" label={w.close} onClick={() => dismiss(t.id)} />
        </div>
      ))}
    </div>
  );
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell);
  return () => listeners.delete(tell);
}
