/** A Mermaid diagram of an answer. Loaded only when there is one. */
import mermaid from "mermaid";
import { useEffect, useId, useState } from "react";

export default function Diagram({ source }: { source: string }) {
  const id = "diagram-" + useId().replace(/[^\w]/g, "");
  const [drawn, setDrawn] = useState<string>();
  useEffect(() => {
    let gone = false;
    const dark = getComputedStyle(document.documentElement).colorScheme === "dark";
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict", theme: dark ? "dark" : "neutral", fontFamily: "inherit", suppressErrorRendering: true });
    mermaid.render(id, source).then(({ svg }) => !gone && setDrawn(svg), () => !gone && setDrawn(undefined));
    return () => {
      gone = true;
    };
  }, [id, source]);
  if (!drawn) return <pre tabIndex={0}><code>{source}</code></pre>;
  return <div className="diagram" role="img" aria-label={source} dangerouslySetInnerHTML={{ __html: drawn }} />;
}
