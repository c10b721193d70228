import { useState } from "react";
import { Button } from "../ui/Button";
import { Field } from "../ui/Field";
import { useWords } from "../words";
import { tokenIn } from "./token";

/** Asks for the token when there is none, or when the server does not take it any more. */
export function Gate({ refused, onToken }: { refused: boolean; onToken: (token: string) => void }) {
  const w = useWords();
  const [text, setText] = useState("");
  return (
    <main className="gate">
      <form onSubmit={(e) => { e.preventDefault(); const token = tokenIn(text); if (token) onToken(token); }}>
        <img src="/assets/icon.svg" alt="" width={40} height={40} />
        <h1>{refused ? w.gateRefused : w.gateTitle}</h1>
        <p>{w.gateText}</p>
        <Field label={w.gateLabel} help={w.gateHelp}>
          {(id) => <input id={id} className="mono" autoFocus autoComplete="off" spellCheck={false} value={text} onChange={(e) => setText(e.target.value)} />}
        </Field>
        <Button look="main" type="submit" disabled={!text.trim()}>{w.gateOpen}</Button>
      </form>
    </main>
  );
}
