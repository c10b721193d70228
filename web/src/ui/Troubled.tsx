import { useWords } from "../words";
import { troubleOf } from "./trouble";

/** An error: what happened and what to do; the code is folded away. */
export function Troubled({ error }: { error: unknown }) {
  const w = useWords();
  const { text, advice, code } = troubleOf(error, w);
  return (
    <div className="trouble">
      <p>{text}</p>
      {advice && <p>{advice}</p>}
      {code && <details><summary>{w.details}</summary><code>{code}</code></details>}
    </div>
  );
}
