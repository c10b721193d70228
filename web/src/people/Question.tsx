import type { OpenRequest } from "@parley/client";
import { useState } from "react";
import { Button } from "../ui/Button";
import { useWords } from "../words";
import { useAnswer } from "./answering";
import { useAnswerKeys } from "./keys";
import { optionsOf, valueOf } from "./values";

/** Asks for a value, in the way that fits its kind. */
export function Question({ request }: { request: OpenRequest }) {
  const w = useWords();
  const { busy, answer } = useAnswer(request.request_id);
  const kind = request.input_type ?? "text";
  const options = optionsOf(request, w.optionNames);
  const [text, setText] = useState(request.default_value === undefined || request.default_value === null || kind === "multi_choice" ? "" : String(request.default_value));
  const [many, setMany] = useState<string[]>(Array.isArray(request.default_value) ? request.default_value.map(String) : []);
  const value = valueOf(kind, text, many);
  const give = (v: unknown) => !busy && v !== undefined && answer({ value: v });
  const pick = (i: number) => options[i] && (kind === "multi_choice" ? toggle(options[i].value) : give(options[i].value));
  const toggle = (v: string) => setMany((now) => (now.includes(v) ? now.filter((x) => x !== v) : [...now, v]));
  const digits = Object.fromEntries(options.slice(0, 9).map((_, i) => [String(i + 1), () => pick(i)]));
  const confirm = kind === "confirm";
  const yes = confirm ? () => give(true) : undefined;
  const no = confirm ? () => give(false) : undefined;
  useAnswerKeys({ y: yes, ㅛ: yes, n: no, ㅜ: no, Enter: confirm ? yes : () => give(value), ...digits });

  return (
    <form onSubmit={(e) => { e.preventDefault(); give(value); }}>
      <div className="request-body">
        {request.original_input && <p className="help">“{request.original_input}”</p>}
        {request.ambiguity && <p className="help">{request.ambiguity}</p>}
        <p className="request-ask">{request.question}</p>
        {confirm ? null : options.length > 0 ? (
          <div className="options" role="group" aria-label={request.question}>
            {options.map((o, i) => (
              <button key={o.value} type="button" className="option" disabled={busy} aria-pressed={kind === "multi_choice" ? many.includes(o.value) : undefined} onClick={() => pick(i)}>
                <span>{o.label}</span>
                {i < 9 && <kbd aria-hidden="true">{i + 1}</kbd>}
              </button>
            ))}
          </div>
        ) : (
          <>
            <input autoFocus type={kind === "number" ? "number" : kind === "date" ? "date" : "text"} step="any" aria-label={request.question} value={text} onChange={(e) => setText(e.target.value)} />
            {request.suggestions && request.suggestions.length > 0 && (
              <div className="options" role="group" aria-label={w.suggestions}>
                {request.suggestions.map((s) => <button key={s} type="button" className="option" disabled={busy} onClick={() => give(kind === "number" ? Number(s) : s)}>{s}</button>)}
              </div>
            )}
          </>
        )}
      </div>
      <footer className="request-foot">
        {confirm ? (
          <>
            <Button look="main" icon="check" hint="Y" disabled={busy} onClick={yes}>{w.yes}</Button>
            <Button icon="cross" hint="N" disabled={busy} onClick={no}>{w.no}</Button>
          </>
        ) : (
          (options.length === 0 || kind === "multi_choice") && <Button look="main" type="submit" icon="check" hint="↵" disabled={busy || value === undefined}>{w.answer}</Button>
        )}
      </footer>
    </form>
  );
}
