import type { Branch, Snapshot } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { Button } from "../ui/Button";
import { ago } from "../ui/format";
import { useWords } from "../words";

const selectStatus = (s: Snapshot) => s.view.session?.status;
const selectPath = (s: Snapshot) => s.view.inner.path.map((span) => span.join("-")).join();

/** The ways that were left by going back. Nothing of them is lost. */
export function Branches() {
  const w = useWords();
  const { language } = usePrefs();
  const desk = useDesk();
  const { session } = useOpened();
  const status = useSnapshot(selectStatus);
  const path = useSnapshot(selectPath).split(",").length;
  const [branches, setBranches] = useState<readonly Branch[]>([]);
  useEffect(() => {
    let gone = false;
    session.api.branches().then((page) => !gone && setBranches(page.items), () => {});
    const off = session.on("rewound", () => void session.api.branches().then((page) => !gone && setBranches(page.items), () => {}));
    return () => {
      gone = true;
      off();
    };
  }, [session, status, path]);
  const others = branches.filter((b) => !b.current);
  if (others.length === 0) return null;
  return (
    <section className="branches">
      <h3>{w.otherWays}</h3>
      <ul>
        {others.map((b) => (
          <li key={b.head} className="branch">
            <span className="branch-words">{b.words || b.head}</span>
            <span className="help">{ago(b.updated_at, language)} · {w.records(b.records)}</span>
            <Button onClick={() => desk.open({ of: "back", to: b.head, include: true, words: b.words ?? "" })}>{w.goBack}</Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
