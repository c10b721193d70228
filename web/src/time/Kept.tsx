import type { KeptFile } from "@parley/client";
import { copy } from "../talk/Code";
import { IconButton } from "../ui/Button";
import { useWords } from "../words";

/** Files that are left as they are, why, and where the version lies that is not in place. */
export function Kept({ kept }: { kept: readonly KeptFile[] | undefined }) {
  const w = useWords();
  if (!kept?.length) return null;
  return (
    <section className="kept">
      <h3>{w.keptFiles}</h3>
      <ul className="files">
        {kept.map((k) => {
          const [code = "", ...detail] = k.reason.split(": ");
          return (
            <li key={k.path}>
              <span className="mono">{k.path}</span> <span className="help">{[w.keptWhy[code] ?? code, ...detail].join(": ")}</span>
              {k.offer && (
                <p className="help offer">{w.keptCopy} <span className="mono">{k.offer}</span> <IconButton icon="copy" label={w.copy} onClick={() => copy(k.offer!, w.copied)} /></p>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
