import { Client, ServerError } from "@parley/client";
import { useEffect, useMemo, useState } from "react";
import { Frame } from "../frame/Frame";
import { Toasts } from "../ui/toasts";
import { ClientContext } from "./context";
import { Gate } from "./Gate";
import { answerTabs, askTabs, awaitTabs } from "./handover";
import { keepToken } from "./token";

/** The page goes on trying: a lid that was closed for a night is no reason to give up. */
const reconnect = { maxRetries: Infinity, initialDelay: 500, maxDelay: 10_000 };

export function App({ given }: { given: string | undefined }) {
  const [token, setToken] = useState(given);
  const [door, setDoor] = useState<"asking" | "open" | "closed">("asking");
  const client = useMemo(() => new Client({ ...(token ? { token } : {}), reconnect }), [token]);
  const take = (next: string) => {
    keepToken(next);
    setDoor("asking");
    setToken(next);
  };
  useEffect(() => {
    let gone = false;
    const knock = async () => {
      if (token && (await admitted(client))) return gone || setDoor("open");
      const other = await askTabs(); // a tab beside this one may have it
      if (gone) return;
      if (other && other !== token) return take(other);
      const open = !token && (await admitted(client));
      if (!gone) setDoor(open ? "open" : "closed");
    };
    void knock();
    const again = () => void knock();
    addEventListener(REFUSED, again);
    return () => {
      gone = true;
      removeEventListener(REFUSED, again);
    };
  }, [client, token]);
  useEffect(() => (door === "open" && token ? answerTabs(token) : undefined), [door, token]);
  useEffect(() => (door === "closed" ? awaitTabs(() => void askTabs().then((t) => t && t !== token && take(t))) : undefined), [door, token]);
  return (
    <ClientContext value={client}>
      {door === "closed" ? <Gate key={token} refused={token !== undefined} onToken={take} /> : door === "open" && <Frame />}
      <Toasts />
    </ClientContext>
  );
}

/** Says whether the server lets this token in. One that cannot be reached has not refused it. */
async function admitted(client: Client): Promise<boolean> {
  try {
    await client.api.sessions({ limit: 1 });
    return true;
  } catch (error) {
    return !(error instanceof ServerError && error.aboutAuth);
  }
}

/** Told by a part of the page whose token was refused in mid-work. */
export const REFUSED = "parley:refused";
