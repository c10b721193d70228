import type { HitlResponse } from "@parley/client";
import { useCallback, useState } from "react";
import { useOpened } from "../app/context";
import { complain } from "../ui/toasts";

/** The requests that this page has answered and not yet heard of. */
export const answering = new Set<string>();

/** Answers a request. It stays on the screen until the server has taken the answer. */
export function useAnswer(request: string): { busy: boolean; answer: (response: HitlResponse) => void } {
  const { session } = useOpened();
  const [busy, setBusy] = useState(false);
  const answer = useCallback((response: HitlResponse) => {
    setBusy(true);
    answering.add(request);
    session.answer(request, response).catch((error: unknown) => {
      answering.delete(request);
      setBusy(false);
      complain(error);
    });
  }, [session, request]);
  return { busy, answer };
}
