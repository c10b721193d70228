import type { SecretList } from "@parley/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { tellChanged } from "../app/changed";
import { useClient } from "../app/context";
import { Button, IconButton } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { toast } from "../ui/toasts";
import { useWords } from "../words";

const words = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Keys and tokens: they go in, only their names come out. */
export function Secrets() {
  const w = useWords();
  const client = useClient();
  const [list, setList] = useState<SecretList>();
  const [refused, setRefused] = useState<string>();
  const [going, setGoing] = useState<string>();
  const look = useCallback(() => void client.api.secrets().then((l) => { setList(l); setRefused(undefined); }, (e: unknown) => setRefused(words(e))), [client]);
  useEffect(look, [look]);
  const changed = () => {
    look();
    tellChanged(); // a key that comes or goes decides which models can be used
  };
  const remove = (name: string) => {
    client.api.deleteSecret(name).then(() => { toast(w.secretGone(name)); changed(); }, (e: unknown) => setRefused(words(e)));
    setGoing(undefined);
  };
  return (
    <>
      <p className="help">{w.secretsHelp} {list && (w.secretKey[list.key] ?? "")}</p>
      {refused && <p className="bad" role="alert">{refused}</p>}
      <ul className="secret-list">
        {list?.items.map((s) => (
          <li key={s.name}>
            <span className="mono">{s.name}</span>
            <IconButton icon="trash" label={w.forget(s.name)} onClick={() => setGoing(s.name)} />
          </li>
        ))}
      </ul>
      {list?.items.length === 0 && <p className="help">{w.noSecrets}</p>}
      {list && <NewSecret names={list.items.map((s) => s.name)} onKept={changed} />}
      {going && (
        <Dialog title={w.forgetTitle(going)} description={w.forgetText} onClose={() => setGoing(undefined)}
          foot={<><Button onClick={() => setGoing(undefined)}>{w.cancel}</Button><Button look="danger" icon="trash" onClick={() => remove(going)}>{w.remove}</Button></>} />
      )}
    </>
  );
}

function NewSecret({ names, onKept }: { names: readonly string[]; onKept: () => void }) {
  const w = useWords();
  const client = useClient();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const [wrong, setWrong] = useState<string>();
  const first = useRef<HTMLInputElement>(null);
  const keep = () => {
    client.api.setSecret(name.trim(), value).then(() => {
      setName("");
      setValue("");
      setWrong(undefined);
      toast(w.kept);
      first.current?.focus();
      onKept();
    }, (e: unknown) => setWrong(words(e)));
  };
  return (
    <form className="secret-form" onSubmit={(e) => { e.preventDefault(); keep(); }}>
      <Field label={w.name} help={names.includes(name.trim()) ? w.replaces : w.secretName}>
        {(id) => <input ref={first} id={id} className="mono" list="secret-names" value={name} aria-invalid={wrong !== undefined} spellCheck={false} autoComplete="off" onChange={(e) => setName(e.target.value)} />}
      </Field>
      <datalist id="secret-names"><option value="ANTHROPIC_API_KEY" /><option value="OPENAI_API_KEY" /></datalist>
      <Field label={w.value}>{(id) => <input id={id} type="password" value={value} autoComplete="new-password" onChange={(e) => setValue(e.target.value)} />}</Field>
      {wrong && <p className="bad" role="alert">{wrong}</p>}
      <Button look="main" type="submit" disabled={!name.trim() || !value}>{w.keep}</Button>
    </form>
  );
}
