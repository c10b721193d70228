import { useState } from "react";
import { Icon } from "../ui/Icon";
import { useWords } from "../words";
import { Markdown } from "./Markdown";

/** What the model thought, folded: the last line shows while it is written. */
export function Thought({ text, live }: { text: string; live: boolean }) {
  const w = useWords();
  const [open, setOpen] = useState(false);
  const last = text.trimEnd().split("\n").at(-1) ?? "";
  return (
    <section className="thought">
      <button type="button" className="thought-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="thought" size={16} />
        <span>{live ? w.thinking : w.thought}</span>
        {live && !open && <span className="thought-line">{last}</span>}
        <Icon name={open ? "up" : "down"} size={14} />
      </button>
      {open && <Markdown text={text} live={live} />}
    </section>
  );
}
