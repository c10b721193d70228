import type { SecretList } from "@parley/client";
import { useCallback, useEffect, useState } from "react";
import { useClient } from "../app/context";
import { Button, IconButton } from "../ui/Button";
import { Field } from "../ui/Field";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";

/** Keys and tokens: they go in, only their names come out. */
export function Secrets() {
  const w = useWords();
  const client = useClient();
  const [list, setList] = useState<SecretList>();
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const look = useCallback(() => void client.api.secrets().then(setList, complain), [client]);
  useEffect(look, [look]);
  const keep = () => {
    client.api.setSecret(name.trim(), value).then(() => {
      setName("");
      setValue("");
      toast(w.kept);
      look();
    }, complain);
  };
  return (
    <>
      <p className="help">{w.secretsHelp}</p>
      <ul className="secret-list">
        {list?.items.map((s) => (
          <li key={s.name}>
            <span className="mono">{s.name}</span>
            <IconButton icon="trash" label={w.forget(s.name)} onClick={() => client.api.deleteSecret(s.name).then(look, complain)} />
          </li>
        ))}
      </ul>
      {list?.items.length === 0 && <p className="help">{w.noSecrets}</p>}
      <form className="secret-form" onSubmit={(e) => { e.preventDefault(); keep(); }}>
        <Field label={w.name}>{(id) => <input id={id} className="mono" list="secret-names" value={name} spellCheck={false} autoComplete="off" onChange={(e) => setName(e.target.value)} />}</Field>
        <datalist id="secret-names"><option value="ANTHROPIC_API_KEY" /><option value="OPENAI_API_KEY" /></datalist>
        <Field label={w.value}>{(id) => <input id={id} type="password" value={value} autoComplete="new-password" onChange={(e) => setValue(e.target.value)} />}</Field>
        <Button look="main" type="submit" disabled={!name.trim() || !value}>{w.keep}</Button>
      </form>
    </>
  );
}
