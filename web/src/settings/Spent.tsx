import { useEffect, useState } from "react";
import { useClient } from "../app/context";
import { usePrefs } from "../app/prefs";
import { go, pathOf } from "../app/route";
import type { Item } from "../sessions/list";
import { cost, count } from "../ui/format";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

/** What the sessions have used, the dearest first. */
export function Spent() {
  const w = useWords();
  const { language } = usePrefs();
  const client = useClient();
  const [items, setItems] = useState<readonly Item[]>([]);
  useEffect(() => {
    client.api.call<{ items: Item[] }>("GET", "sessions", { query: { sort: "tokens", limit: 100 } }).then((page) => setItems(page.items), complain);
  }, [client]);
  const tokens = (i: Item) => i.usage.input_tokens + i.usage.output_tokens;
  const sum = items.reduce((n, i) => ({ tokens: n.tokens + tokens(i), usd: n.usd + i.usage.cost_usd }), { tokens: 0, usd: 0 });
  return (
    <div className="table-scroll" tabIndex={0}>
      <table className="spent">
        <thead><tr><th>{w.session}</th><th className="number">{w.tokensWord}</th><th className="number">{w.cost}</th></tr></thead>
        <tbody>
          {items.map((i) => (
            <tr key={i.session_id}>
              <td><a href={pathOf({ at: "session", id: i.session_id })} onClick={(e) => { e.preventDefault(); go({ at: "session", id: i.session_id }); }}>{i.title || i.session_id}</a></td>
              <td className="number">{count(tokens(i), language)}</td>
              <td className="number">{cost(i.usage.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot><tr><th>{w.together}</th><td className="number">{count(sum.tokens, language)}</td><td className="number">{cost(sum.usd)}</td></tr></tfoot>
      </table>
    </div>
  );
}
