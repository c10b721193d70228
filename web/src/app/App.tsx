import { Client, ServerError } from "@parley/client";
import { useEffect, useMemo, useState } from "react";
import { Frame } from "../frame/Frame";
import { Toasts } from "../ui/toasts";
import { ClientContext } from "./context";
import { Gate } from "./Gate";
import { keepToken } from "./token";

/** The page goes on trying: a lid that was closed for a night is no reason to give up. */
const reconnect = { maxRetries: Infinity, initialDelay: 500, maxDelay: 10_000 };

export function App({ given }: { given: string | undefined }) {
  const [token, setToken] = useState(given);
  const [door, setDoor] = useState<"asking" | "open" | "closed">("asking");
  const client = useMemo(() => new Client({ ...(token ? { token } : {}), reconnect }), [token]);
  useEffect(() => {
    let gone = false;
    const knock = () => client.api.sessions({ limit: 1 }).then(
      () => !gone && setDoor("open"),
      (error: unknown) => {
        if (gone) return;
        setDoor(error instanceof ServerError && error.aboutAuth ? "closed" : "open");
      },
    );
    void knock();
    const refused = () => void knock();
    addEventListener(REFUSED, refused);
    return () => {
      gone = true;
      removeEventListener(REFUSED, refused);
    };
  }, [client]);
  const take = (next: string) => {
    keepToken(next);
    setDoor("asking");
    setToken(next);
  };
  return (
    <ClientContext value={client}>
      {door === "closed" ? <Gate key={token} refused={token !== undefined} onToken={take} /> : door === "open" && <Frame />}
      <Toasts />
    </ClientContext>
  );
}

/** Told by a part of the page whose token was refused in mid-work. */
export const REFUSED = "parley:refused";
