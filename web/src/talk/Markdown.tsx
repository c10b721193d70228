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

/** A block that is still written is read again with each piece; a longer one is shown as it comes, and read when it is whole. */
const LONG = 16 * 1024;

/** A text in Markdown. One that is still written has its open ends closed for display. */
export const Markdown = memo(function Markdown({ text, live = false }: { text: string; live?: boolean }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  const open = live ? blocks.length - 1 : -1;
  return (
    <div className={live ? "markdown markdown-live" : "markdown"}>
      {blocks.map((block, i) => (i !== open ? <Block key={i} text={block} /> : block.length > LONG ? <Unread key={i} text={block} /> : <Block key={i} text={remend(block)} />))}
    </div>
  );
});

const FENCE = /^ {0,3}(?:`{3,}|~{3,}).*\n/;

/** A block as it was written. Code looks like code. */
function Unread({ text }: { text: string }) {
  return FENCE.test(text) ? <pre className="output" tabIndex={0}><code>{text.replace(FENCE, "")}</code></pre> : <p className="unread">{text}</p>;
}

function textOf(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(textOf).join("");
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}
