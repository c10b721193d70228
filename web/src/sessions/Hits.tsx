import type { Client, Hit, SessionSummary } from "@parley/client";
import { useEffect, useState } from "react";
import { useClient } from "../app/context";
import { usePrefs } from "../app/prefs";
import { go, pathOf } from "../app/route";
import type { Route } from "../app/route";
import { moment } from "../ui/format";
import { useWords } from "../words";

/** What was found in one session. */
interface Found {
  id: string;
  session: SessionSummary | undefined;
  hits: readonly Hit[];
}

/** What a search found inside of conversations, by session; each hit leads to its place. */
export function Hits({ q, onOpen }: { q: string; onOpen: () => void }) {
  const w = useWords();
  const { language } = usePrefs();
  const client = useClient();
  const [found, setFound] = useState<readonly Found[]>([]);
  useEffect(() => {
    let gone = false;
    const timer = setTimeout(() => find(client, q).then((f) => !gone && setFound(f), () => !gone && setFound([])), 200);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [client, q]);
  if (found.length === 0) return null;
  return (
    <section className="hits" aria-label={w.inConversations}>
      <h3>{w.inConversations}</h3>
      {found.map(({ id, session, hits }) => (
        <section key={id} className="hits-of">
          <h4>{session?.title || w.untitled}{session && <time dateTime={session.updated_at}>{moment(session.updated_at, language)}</time>}</h4>
          <ul>{hits.map((h) => <li key={h.message_id}><HitLink hit={h} onOpen={onOpen} /></li>)}</ul>
        </section>
      ))}
    </section>
  );
}

function HitLink({ hit, onOpen }: { hit: Hit; onOpen: () => void }) {
  const w = useWords();
  const { language } = usePrefs();
  const to: Route = { at: "session", id: hit.session_id, message: hit.message_id };
  return (
    <a href={pathOf(to)} onClick={(e) => { if (e.metaKey || e.ctrlKey) return; e.preventDefault(); go(to); onOpen(); }}>
      <span>{marked(hit.snippet)}</span>
      <span className="session-sub">{hit.role === "user" ? w.you : w.agent} · {moment(hit.timestamp, language)}{hit.hidden ? ` · ${w.wasRewound}` : ""}</span>
    </a>
  );
}

/** Finds words, and what the sessions are called that they are in. */
async function find(client: Client, q: string): Promise<Found[]> {
  const { items } = await client.api.search({ q, limit: 20 });
  const by = new Map<string, Hit[]>();
  for (const h of items) by.set(h.session_id, [...(by.get(h.session_id) ?? []), h]);
  return Promise.all([...by].map(async ([id, hits]) => ({ id, hits, session: await summary(client, id) })));
}

async function summary(client: Client, id: string): Promise<SessionSummary | undefined> {
  const page = await client.api.sessions({ q: id, limit: 10 }).catch(() => undefined);
  return page?.items.find((s) => s.session_id === id);
}

/** The server puts what it found between « and ». */
function marked(snippet: string) {
  return snippet.split(/[«»]/).map((part, i) => (i % 2 === 1 ? <mark key={i}>{part}</mark> : part));
}
