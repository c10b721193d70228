import { memo, useMemo } from "react";
import type { ReactNode } from "react";
import ReactMarkdown, { defaultUrlTransform } from "react-markdown";
import type { Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import remend from "remend";
import { blocksOf } from "./blocks";
import { Code } from "./Code";

const plugins = [remarkGfm];

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener">{children}</a>
  ),
  // Pictures of other hosts are not fetched: they would tell them that somebody reads this.
  img: ({ src, alt }) => (typeof src === "string" && src.startsWith("data:") ? <img src={src} alt={alt ?? ""} /> : <a href={String(src ?? "")} target="_blank" rel="noreferrer noopener">{alt || src}</a>),
  table: ({ children }) => (
    <div className="table-scroll" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => <>{children}</>,
  code: ({ className, children }) => {
    const text = textOf(children);
    const language = /language-([\w+#-]+)/.exec(className ?? "")?.[1];
    return language || text.includes("\n") ? <Code text={text.replace(/\n$/, "")} language={language} /> : <code>{children}</code>;
  },
};

/** Pictures may stand in the text itself; all other addresses are those that are safe to follow. */
function address(url: string, name: string): string {
  return name === "src" && /^data:image\/(?:png|jpeg|gif|webp);/.test(url) ? url : defaultUrlTransform(url);
}

const Block = memo(function Block({ text }: { text: string }) {
  return <ReactMarkdown remarkPlugins={plugins} components={components} urlTransform={address}>{text}</ReactMarkdown>;
});

/** A text in Markdown. One that is still written has its open ends closed for display. */
export const Markdown = memo(function Markdown({ text, live = false }: { text: string; live?: boolean }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className={live ? "markdown markdown-live" : "markdown"}>
      {blocks.map((block, i) => (
        <Block key={i} text={live && i === blocks.length - 1 ? remend(block) : block} />
      ))}
    </div>
  );
});

function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}
