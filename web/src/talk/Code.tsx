import { lazy, memo, Suspense, useEffect, useState } from "react";
import { IconButton } from "../ui/Button";
import { Diff } from "../ui/Diff";
import { isPatch } from "../ui/diff";
import { toast } from "../ui/toasts";
import { useWords } from "../words";
import type { Line } from "./highlight";

const Diagram = lazy(() => import("./Diagram"));

/** Longer ones are shown without colours. */
const MOST = 60_000;

/** A piece of code; its colours come when they are there. */
export const Code = memo(function Code({ text, language }: { text: string; language?: string | undefined }) {
  const lines = useHighlight(text, language);
  const w = useWords();
  if (isPatch(text)) return <Diff patch={text} />;
  if (language === "mermaid") {
    return (
      <Suspense fallback={<Plain text={text} />}>
        <Diagram source={text} />
      </Suspense>
    );
  }
  return (
    <figure className="code">
      <figcaption className={language ? undefined : "bare"}>
        <span>{language ?? ""}</span>
        <IconButton icon="copy" label={w.copy} onClick={() => copy(text, w.copied)} />
      </figcaption>
      {lines ? (
        <pre tabIndex={0}>
          <code>
            {lines.map((line, i) => (
              <span key={i}>
                {line.map((token, j) => <span key={j} className={token.kind}>{token.text}</span>)}
                {"\n"}
              </span>
            ))}
          </code>
        </pre>
      ) : (
        <Plain text={text} />
      )}
    </figure>
  );
});

function Plain({ text }: { text: string }) {
  return <pre tabIndex={0}><code>{text}</code></pre>;
}

export function copy(text: string, done: string): void {
  navigator.clipboard.writeText(text).then(() => toast(done), () => {});
}

function useHighlight(text: string, language: string | undefined): Line[] | undefined {
  const [lines, setLines] = useState<{ of: string; lines: Line[] }>();
  useEffect(() => {
    if (!language || language === "mermaid" || text.length > MOST) return;
    let gone = false;
    const timer = setTimeout(() => {
      import("./highlight")
        .then(({ highlight }) => highlight(text, language))
        .then((found) => !gone && found && setLines({ of: text, lines: found }), () => {});
    }, 80); // while code is being written it stays plain
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [text, language]);
  return lines?.of === text ? lines.lines : undefined;
}
