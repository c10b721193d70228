import { useEffect, useMemo, useRef, useState } from "react";
import type { KeyboardEvent, Ref } from "react";
import { usePrefs } from "../app/prefs";
import { Coded } from "../ui/Coded";
import { count } from "../ui/format";
import { useWords } from "../words";
import { useChoices } from "./choices";
import type { ModelItem } from "./choices";
import { offered } from "./models";
import type { ModelGroup } from "./models";

interface ModelInputProps {
  id: string;
  value: string;
  wrong?: boolean;
  describedBy?: string;
  box?: Ref<HTMLInputElement>;
  onChange: (name: string) => void;
  /** A model was chosen from the list. */
  onPick?: (name: string) => void;
  /** Enter was pressed and the list is closed. */
  onEnter?: () => void;
}

/** Where the name of a model is written, over a list of those that there are. Any other name can be written too. */
export function ModelInput({ id, value, wrong, describedBy, box, onChange, onPick, onEnter }: ModelInputProps) {
  const choices = useChoices();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState<string>(); // since it was opened: only that narrows the list
  const [at, setAt] = useState(-1);
  const { usable, missing } = useMemo(() => offered(choices, typed), [choices, typed]);
  const names = usable.flatMap((g) => g.models.map((m) => m.name));
  const show = () => {
    if (open) return;
    setTyped(undefined);
    setAt(-1);
    setOpen(true);
  };
  const pick = (name: string) => {
    setOpen(false);
    onChange(name);
    onPick?.(name);
  };
  const move = (e: KeyboardEvent, by: 1 | -1) => {
    e.preventDefault();
    if (!open) return show();
    if (names.length > 0) setAt(at < 0 && by < 0 ? names.length - 1 : (at + by + names.length) % names.length);
  };
  const press = (e: KeyboardEvent) => {
    if (e.key === "ArrowDown") return move(e, 1);
    if (e.key === "ArrowUp") return move(e, -1);
    if (e.key === "Escape" && open) {
      e.stopPropagation(); // it closes the list, and nothing else
      return setOpen(false);
    }
    if (e.key !== "Enter" || e.nativeEvent.isComposing) return;
    const name = open ? names[at] : undefined;
    if (name !== undefined || onEnter) e.preventDefault();
    if (name !== undefined) return pick(name);
    setOpen(false);
    onEnter?.();
  };
  return (
    <span className="picker">
      <input ref={box} id={id} className="mono" value={value} spellCheck={false} autoComplete="off" aria-invalid={wrong} aria-describedby={describedBy}
        role="combobox" aria-expanded={open} aria-controls={id + "-list"} aria-autocomplete="list" aria-activedescendant={open && at >= 0 ? `${id}-${at}` : undefined}
        onChange={(e) => { show(); setTyped(e.target.value); setAt(-1); onChange(e.target.value); }} onClick={show} onBlur={() => setOpen(false)} onKeyDown={press} />
      {open && <List id={id} usable={usable} missing={missing} unknown={choices.unknown} value={value} name={names[at]} onPick={pick} />}
    </span>
  );
}

interface ListProps {
  id: string;
  usable: readonly ModelGroup[];
  missing: readonly ModelGroup[];
  unknown: readonly string[];
  value: string;
  /** Which one Enter would take. */
  name: string | undefined;
  onPick: (name: string) => void;
}

function List({ id, usable, missing, unknown, value, name, onPick }: ListProps) {
  const w = useWords();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => void box.current?.scrollIntoView({ block: "nearest" }), []);
  useEffect(() => void box.current?.querySelector("[data-at]")?.scrollIntoView({ block: "nearest" }), [name]);
  const titles = { "built in": w.modelsBuiltIn, named: w.modelsNamed };
  const title = ({ of }: ModelGroup) => (typeof of === "string" ? titles[of] : of.provider);
  let next = 0;
  return (
    // What is pressed here must not take the focus: the list would be gone before it is released.
    <div ref={box} className="picker-list" data-escapes onPointerDown={(e) => e.preventDefault()}>
      {usable.length + missing.length > 0 && (
        <div id={id + "-list"} role="listbox" aria-label={w.models} tabIndex={-1}>
          {usable.map((g) => (
            <div key={title(g)} role="group" aria-label={title(g)}>
              <p className="picker-head" role="presentation">{title(g)}</p>
              {g.models.map((m) => (
                <div key={m.name} id={`${id}-${next++}`} role="option" className="picker-item" aria-selected={m.name === value} data-at={m.name === name || undefined} onClick={() => onPick(m.name)}>
                  <Model model={m} />
                </div>
              ))}
            </div>
          ))}
          {missing.map((g) => (
            <div key={title(g) + g.reason} role="group" aria-label={`${title(g)}: ${w.modelsMissing}`}>
              <p className="picker-head" role="presentation">{title(g)} · {w.modelsMissing}</p>
              {g.reason && <p className="picker-why" role="presentation"><Coded text={g.reason} /></p>}
              {g.models.map((m) => <div key={m.name} role="option" aria-disabled="true" aria-selected="false" className="picker-item"><Model model={m} /></div>)}
            </div>
          ))}
        </div>
      )}
      {unknown.map((why) => <p key={why} className="picker-why"><Coded text={why} /></p>)}
      <p className="picker-note">{usable.length + missing.length > 0 ? w.modelsNote : w.modelUnknown}</p>
    </div>
  );
}

function Model({ model: m }: { model: ModelItem }) {
  const w = useWords();
  const { language } = usePrefs();
  const about = [
    m.stands_for && w.standsFor(m.stands_for),
    m.context_window && w.tokens(count(m.context_window, language)),
    m.input_price !== undefined && m.output_price !== undefined && `$${m.input_price} / $${m.output_price}`,
  ].filter(Boolean).join(" · ");
  return <><span className="mono">{m.name}</span>{about && <> <span className="help">{about}</span></>}</>;
}
