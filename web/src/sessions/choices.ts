/** What a session can be made with: models and modes. It is asked for once and kept, until something changes. */
import type { API, Client } from "@parley/client";
import { useSyncExternalStore } from "react";
import { changesSoFar, onChanged } from "../app/changed";
import { useClient } from "../app/context";

export type ModelList = Awaited<ReturnType<API["models"]>>;
export type ModelItem = ModelList["items"][number];

export interface Choices {
  readonly models: readonly ModelItem[];
  /** Why the models of some providers are not known. */
  readonly unknown: readonly string[];
  /** The models that the caller's settings and profiles name. */
  readonly named: readonly string[];
  readonly modes: readonly string[];
}

/** The modes that every server has. */
const BUILT_IN = ["code", "architect", "ask", "debug"];

const BEFORE: Choices = { models: [], unknown: [], named: [], modes: BUILT_IN };

/** What one server offers. It is asked again only if something has changed, and somebody looks. */
class Offer {
  #client: Client;
  #now = BEFORE;
  #asOf = -1;
  #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly getSnapshot = (): Choices => this.#now;

  readonly subscribe = (tell: () => void): (() => void) => {
    this.#listeners.add(tell);
    this.#stop ??= onChanged(() => void this.#ask());
    void this.#ask();
    return () => {
      this.#listeners.delete(tell);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      this.#stop = undefined;
    };
  };

  async #ask(): Promise<void> {
    const at = changesSoFar();
    if (this.#asOf === at) return;
    this.#asOf = at;
    try {
      const next = await read(this.#client);
      if (this.#asOf !== at) return; // another answer is on its way
      this.#now = next;
      for (const tell of [...this.#listeners]) tell();
    } catch {
      if (this.#asOf === at) this.#asOf = -1; // names can be written by hand meanwhile
    }
  }
}

async function read(client: Client): Promise<Choices> {
  const [{ items, unknown }, { settings }] = await Promise.all([client.api.models(), client.api.settings()]);
  const profiles = Object.values((settings["profiles"] ?? {}) as { [name: string]: { model?: string } });
  const named = [settings["model"] as string | undefined, ...profiles.map((p) => p.model)].filter((m): m is string => Boolean(m));
  const own = Object.keys((settings["custom_modes"] as object | undefined) ?? {});
  return { models: items, unknown, named: [...new Set(named)], modes: [...new Set([...BUILT_IN, ...own])] };
}

const offers = new WeakMap<Client, Offer>();

export function useChoices(): Choices {
  const client = useClient();
  const offer = offers.get(client) ?? new Offer(client);
  offers.set(client, offer);
  return useSyncExternalStore(offer.subscribe, offer.getSnapshot);
}
