import { Icon } from "../ui/Icon";
import { Troubled } from "../ui/Troubled";
import { troubleOf } from "../ui/trouble";
import type { Words } from "../words";
import { useWords } from "../words";

/** What the server says where a kept state, or the folder, is not there any more. */
const KNOWN: readonly [RegExp, (w: Words) => string][] = [
  [/no such checkpoint|not kept any more/, (w) => w.stateGone],
  [/workspace cannot be opened/, (w) => w.folderGone],
];

/** Says why something cannot be shown or done, in plain words; the server's own are folded away. */
export function Refused({ error, title }: { error: unknown; title?: string }) {
  const w = useWords();
  const { text, code } = troubleOf(error, w);
  const plain = KNOWN.find(([said]) => said.test(text))?.[1](w);
  return (
    <div className="refused" role="alert">
      <Icon name="warn" size={16} />
      <div>
        {title && <p><strong>{title}</strong></p>}
        {plain ? <div className="trouble"><p>{plain}</p><details><summary>{w.details}</summary><p>{text} <code>{code}</code></p></details></div> : <Troubled error={error} />}
      </div>
    </div>
  );
}
