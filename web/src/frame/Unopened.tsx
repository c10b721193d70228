import { ERROR_CODES, ServerError } from "@parley/client";
import { useEffect } from "react";
import { REFUSED } from "../app/App";
import { go } from "../app/route";
import { Button } from "../ui/Button";
import { Troubled } from "../ui/Troubled";
import { useWords } from "../words";

/** A session that cannot be shown, and why. */
export function Unopened({ error }: { error: Error }) {
  const w = useWords();
  const refused = error instanceof ServerError && error.aboutAuth;
  useEffect(() => {
    if (refused) dispatchEvent(new Event(REFUSED));
  }, [refused]);
  const gone = error instanceof ServerError && (error.code === ERROR_CODES.WS_SESSION_NOT_FOUND || error.code === ERROR_CODES.WS_SESSION_EXPIRED);
  return (
    <div className="home">
      <h1>{gone ? w.noSuchSession : w.cannotOpen}</h1>
      <Troubled error={error} />
      <Button look="main" onClick={() => go({ at: "home" })}>{w.home}</Button>
    </div>
  );
}
