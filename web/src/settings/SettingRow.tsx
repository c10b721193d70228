import type { Setting } from "@parley/client";
import { useEffect, useState } from "react";
import { Button } from "../ui/Button";
import { Field, Switch } from "../ui/Field";
import { useWords } from "../words";
import type { SetSetting } from "./SettingsPage";

/** One setting, in the form that its type asks for. The server says which there are, so that a new one appears by itself. */
export function SettingRow({ setting, onSet }: { setting: Setting; onSet: SetSetting }) {
  const w = useWords();
  const own = setting.layer === "owner" || setting.layer === "server";
  return (
    <div className="setting">
      <Control setting={setting} onSet={onSet} />
      <p className="setting-foot help">
        <span>{w.from[setting.layer as keyof typeof w.from] ?? setting.layer}</span>
        {own && <Button look="quiet" onClick={() => onSet(setting.key, null)}>{w.reset}</Button>}
      </p>
    </div>
  );
}

function Control({ setting, onSet }: { setting: Setting; onSet: SetSetting }) {
  const { key, value, description } = setting;
  const label = key[0]!.toUpperCase() + key.slice(1).replaceAll("_", " ");
  const help = <Described text={description} />;
  if (typeof value === "boolean") return <Switch label={label} help={help} checked={value} onChange={(on) => void onSet(key, on)} />;
  if (Array.isArray(value) && setting.allowed) {
    const now = value as string[];
    return (
      <fieldset className="group">
        <legend>{label}</legend>
        <p className="help">{help}</p>
        {setting.allowed.map((a) => <Switch key={a} label={a} checked={now.includes(a)} onChange={(on) => void onSet(key, setting.allowed!.filter((x) => (x === a ? on : now.includes(x))))} />)}
      </fieldset>
    );
  }
  if (setting.allowed) {
    return (
      <Field label={label} help={help}>
        {(id) => <select id={id} value={String(value)} onChange={(e) => void onSet(key, e.target.value)}>{setting.allowed!.map((a) => <option key={a}>{a}</option>)}</select>}
      </Field>
    );
  }
  return <Written key={JSON.stringify(value)} setting={setting} label={label} help={help} onSet={onSet} />;
}

/** What is written: a number, a text, a list with one entry to a line, or an object as JSON. */
function Written({ setting, label, help, onSet }: { setting: Setting; label: string; help: React.ReactNode; onSet: SetSetting }) {
  const w = useWords();
  const { key, value } = setting;
  const before = textOf(value);
  const [text, setText] = useState(before);
  const [wrong, setWrong] = useState<string>();
  useEffect(() => setText(before), [before]);
  const keep = () => {
    try {
      setWrong(undefined);
      void onSet(key, parse(text, value));
    } catch (error) {
      setWrong(error instanceof Error ? error.message : String(error));
    }
  };
  const long = key === "custom_instructions" || typeof value === "object";
  return (
    <Field label={label} help={<>{help}{wrong && <span className="bad"> {wrong}</span>}</>}>
      {(id) => (
        <span className="written">
          {long ? (
            <textarea id={id} className={typeof value === "object" ? "mono" : ""} rows={Math.min(10, Math.max(2, text.split("\n").length))} value={text} spellCheck={false} onChange={(e) => setText(e.target.value)} />
          ) : (
            <input id={id} type={typeof value === "number" ? "number" : "text"} min={setting.minimum} max={setting.maximum} value={text} spellCheck={false} onChange={(e) => setText(e.target.value)} onKeyDown={(e) => e.key === "Enter" && keep()} />
          )}
          {text !== before && <Button look="main" onClick={keep}>{w.keep}</Button>}
        </span>
      )}
    </Field>
  );
}

export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return typeof value === "object" && value !== null ? JSON.stringify(value, null, 2) : String(value ?? "");
}

export function parse(text: string, like: unknown): unknown {
  if (Array.isArray(like)) return text.split("\n").map((l) => l.trim()).filter(Boolean);
  if (typeof like === "number") return Number(text);
  return typeof like === "object" && like !== null ? (JSON.parse(text || "{}") as unknown) : text;
}

/** Descriptions put code between backticks. */
function Described({ text }: { text: string }) {
  return <>{text.split("`").map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>;
}
