import type { Setting } from "@parley/client";
import { useState } from "react";
import { Button, IconButton } from "../ui/Button";
import { Field, Switch } from "../ui/Field";
import { useWords } from "../words";
import { SettingRow } from "./SettingRow";
import type { SetSetting } from "./settings";

interface Server {
  command?: string;
  args?: string[];
  url?: string;
  disabled?: boolean;
  [field: string]: unknown;
}

/** The MCP servers whose tools agents may use. */
export function Servers({ setting, onSet }: { setting: Setting | undefined; onSet: SetSetting }) {
  const w = useWords();
  const [name, setName] = useState("");
  const [where, setWhere] = useState("");
  const [wrong, setWrong] = useState<string>();
  if (!setting) return <p className="help">{w.noServers}</p>;
  const servers = (setting.value ?? {}) as { [name: string]: Server };
  const set = async (next: { [name: string]: Server }) => {
    const refused = await onSet(setting.key, next);
    setWrong(refused);
    return refused === undefined;
  };
  const add = async () => {
    const web = /^https?:\/\//.test(where.trim());
    const [command, ...args] = where.trim().split(/\s+/);
    const server: Server = web ? { url: where.trim() } : { command: command!, args };
    if (await set({ ...servers, [name.trim()]: server })) {
      setName("");
      setWhere("");
    }
  };
  return (
    <>
      <p className="help">{w.serversHelp}</p>
      <ul className="secret-list">
        {Object.entries(servers).map(([key, s]) => (
          <li key={key}>
            <Switch label={key} help={<span className="mono">{s.url ?? [s.command, ...(s.args ?? [])].join(" ")}</span>} checked={!s.disabled}
              onChange={(on) => { const { disabled: _, ...rest } = s; void set({ ...servers, [key]: on ? rest : { ...rest, disabled: true } }); }} />
            <IconButton icon="trash" label={w.forget(key)} onClick={() => { const { [key]: _, ...rest } = servers; void set(rest); }} />
          </li>
        ))}
      </ul>
      {Object.keys(servers).length === 0 && <p className="help">{w.noServers}</p>}
      <form className="secret-form" onSubmit={(e) => { e.preventDefault(); void add(); }}>
        <Field label={w.name}>{(id) => <input id={id} value={name} spellCheck={false} onChange={(e) => setName(e.target.value)} />}</Field>
        <Field label={w.serverWhere}>{(id) => <input id={id} className="mono" placeholder="npx @scope/server … / https://…" value={where} spellCheck={false} onChange={(e) => setWhere(e.target.value)} />}</Field>
        {wrong && <p className="bad" role="alert">{wrong}</p>}
        <Button look="main" type="submit" disabled={!name.trim() || !where.trim()}>{w.add}</Button>
      </form>
      <SettingRow setting={setting} onSet={onSet} />
    </>
  );
}
