/** Models in the order in which they are offered: what can be used by its provider, then what cannot, with what is missing. */
import type { Choices, ModelItem } from "./choices";

export interface ModelGroup {
  /** A provider; or those that need none, or those that the settings name. */
  of: { provider: string } | "built in" | "named";
  models: readonly ModelItem[];
  /** What is missing for all of them. */
  reason?: string;
}

export interface Offered {
  usable: readonly ModelGroup[];
  missing: readonly ModelGroup[];
}

/** The models whose name holds what was typed; all if nothing was. */
export function offered({ models, named }: Pick<Choices, "models" | "named">, typed = ""): Offered {
  const wanted = typed.trim().toLowerCase();
  const fit = (m: ModelItem) => m.name.toLowerCase().includes(wanted);
  const known = new Set(models.map((m) => m.name));
  const own = named.filter((name) => !known.has(name)).map((name): ModelItem => ({ name, provider: "", available: true })).filter(fit);
  const some = models.filter(fit);
  const usable = together(some.filter((m) => m.available));
  return {
    usable: own.length > 0 ? [{ of: "named", models: own }, ...usable] : usable,
    missing: together(some.filter((m) => !m.available)),
  };
}

/** Puts those together that have the same provider and lack the same. */
function together(models: readonly ModelItem[]): ModelGroup[] {
  const groups = new Map<string, { of: ModelGroup["of"]; models: ModelItem[]; reason?: string }>();
  for (const m of [...models.filter(alone), ...models.filter((m) => !alone(m))]) {
    const key = `${alone(m) ? "" : m.provider} ${m.reason ?? ""}`;
    const group = groups.get(key);
    if (group) group.models.push(m);
    else groups.set(key, { of: alone(m) ? "built in" : { provider: m.provider }, models: [m], ...(m.reason ? { reason: m.reason } : {}) });
  }
  return [...groups.values()];
}

/** A whole provider in one word, such as offline. */
const alone = (m: ModelItem) => m.name === m.provider;
