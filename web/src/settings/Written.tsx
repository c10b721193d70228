import { useRef, useState } from "react";
import { ModelInput } from "../sessions/ModelInput";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { useWords } from "../words";
import type { ControlProps } from "./Control";

/** Texts that take more than a line. */
const LONG = ["custom_instructions"];

/** What is written: a number, a text, a list with one entry to a line, or an object as JSON. What somebody has begun to write stays, whatever happens elsewhere. */
export function Written({ setting, label, help, wrong, describedBy, onSet, onWrong }: ControlProps) {
  const w = useWords();
  const { key, type, value } = setting;
  const before = textOf(value);
  const [draft, setDraft] = useState<string>();
  const box = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const text = draft ?? before;
  const keep = async (written = text) => {
    let next: unknown;
    try {
      next = parse(written, type);
    } catch (error) {
      onWrong(w.notJSON(error instanceof Error ? error.message : String(error)));
      return;
    }
    box.current?.focus(); // the button goes
    if ((await onSet(key, next)) === undefined) setDraft(undefined);
  };
  const drop = () => {
    setDraft(undefined);
    onWrong(undefined);
    box.current?.focus();
  };
  const many = LONG.includes(key) || type.startsWith("list") || type === "object";
  const common = { ref: box, value: text, spellCheck: false, "aria-invalid": wrong, "aria-describedby": describedBy, onChange: (e: { target: { value: string } }) => setDraft(e.target.value) };
  const control = (id: string) => {
    if (key === "model") return <ModelInput id={id} box={box} value={text} wrong={wrong} describedBy={describedBy} onChange={setDraft} onPick={(name) => void keep(name)} onEnter={() => void keep()} />;
    if (many) {
      return (
        <textarea {...common} id={id} className={type === "text" ? "" : "mono"} rows={Math.min(12, Math.max(2, text.split("\n").length))}
          onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) void keep(); }} />
      );
    }
    return (
      <input {...common} id={id} type={type === "whole number" ? "number" : "text"} min={setting.minimum} max={setting.maximum}
        onKeyDown={(e) => { if (e.key === "Enter") void keep(); }} />
    );
  };
  return (
    <Field label={label} help={help}>
      {(id) => (
        <span className="written">
          {control(id)}
          {text !== before && (
            <span className="buttons">
              <Button look="main" onClick={() => void keep()}>{w.keep}</Button>
              <Button look="quiet" onClick={drop}>{w.cancel}</Button>
            </span>
          )}
        </span>
      )}
    </Field>
  );
}

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value ?? "");
}

/** Reads what was written as the type takes it. What is no number is left to the server, which says what it wants. */
export function parse(text: string, type: string): unknown {
  if (type.startsWith("list")) return text.split("\n").map((l) => l.trim()).filter(Boolean);
  if (type === "whole number") return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
  return type === "object" ? (JSON.parse(text.trim() || "{}") as unknown) : text;
}
