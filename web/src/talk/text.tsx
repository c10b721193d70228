import type { UIMessage } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { Button } from "../ui/Button";
import { bytes } from "../ui/format";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

/** Longer ones are loaded when they are asked for. */
const SOON = 512 * 1024;

/**
 * The text of a message. One that was too long for its record has only its
 * beginning there; the whole is fetched, and until it is here what was seen of
 * it while it was written goes on to show.
 */
export function useText(of: UIMessage): { text: string; more: React.ReactNode } {
  const w = useWords();
  const { session, trace } = useOpened();
  const [whole, setWhole] = useState<string>();
  const blob = of.text_blob;
  const load = () => void (blob && session.api.blob(blob.hash).then((b) => b.text()).then(setWhole, complain));
  useEffect(() => {
    if (blob && blob.size <= SOON) load();
  }, [session, blob?.hash]);
  const text = whole ?? trace.seen.get(of.message_id) ?? of.text ?? "";
  const more = blob && blob.size > SOON && whole === undefined ? <Button look="quiet" icon="download" onClick={load}>{`${w.loadWhole} (${bytes(blob.size)})`}</Button> : null;
  return { text, more };
}
