import type { Hit } from "@parley/client";
import { useEffect, useState } from "react";
import { useClient } from "../app/context";
import { usePrefs } from "../app/prefs";
import { go } from "../app/route";
import { ago } from "../ui/format";
import { useWords } from "../words";

/** What a search found inside of conversations. */
export function Hits({ q, onOpen }: { q: string; onOpen: () => void }) {
  const w = useWords();
  const { language } = usePrefs();
  const client = useClient();
  const [hits, setHits] = useState<readonly Hit[]>([]);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => {
      client.api.search({ q, limit: 20 }).then((page) => !gone && setHits(page.items), () => !gone && setHits([]));
    }, 200);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [client, q]);
  if (hits.length === 0) return null;
  return (
    <section className="hits">
      <h3>{w.inConversations}</h3>
      <ul>
        {hits.map((h) => (
          <li key={h.session_id + h.message_id}>
            <button type="button" onClick={() => { go({ at: "session", id: h.session_id }); onOpen(); }}>
              <span>{marked(h.snippet)}</span>
              <span className="session-sub">{ago(h.timestamp, language)}{h.hidden ? ` · ${w.wasRewound}` : ""}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The server puts what it found between « and ». */
function marked(snippet: string) {
  return snippet.split(/[«»]/).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part));
}
