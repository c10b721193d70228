/** Settings, secrets and what follows from them may change here, in another tab or on the command line. Whoever keeps what was read of them hears of it here. */
const CHANGED = "parley:changed";

let changes = 0;

export function tellChanged(): void {
  changes++;
  dispatchEvent(new Event(CHANGED));
}

/** How often something has changed: what was read before the last time is old. */
export const changesSoFar = (): number => changes;

export function onChanged(heard: () => void): () => void {
  addEventListener(CHANGED, heard);
  return () => removeEventListener(CHANGED, heard);
}
