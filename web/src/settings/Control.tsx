import type { Setting } from "@parley/client";
import type { ReactNode } from "react";
import { Field, Switch } from "../ui/Field";
import { useWords } from "../words";
import type { SetSetting } from "./settings";
import { Written } from "./Written";

export interface ControlProps {
  setting: Setting;
  label: string;
  help: ReactNode;
  /** The last value was refused. */
  wrong: boolean;
  /** The id of what says why, and where the value comes from. */
  describedBy: string;
  onSet: SetSetting;
  /** Says what is wrong with something that cannot even be sent. */
  onWrong: (why: string | undefined) => void;
}

/** What a setting is changed with: the server says of which type it is and which words it may hold, so that a new one appears by itself. */
export function Control(props: ControlProps) {
  const w = useWords();
  const { setting, label, help, wrong, describedBy, onSet } = props;
  const { key, value, allowed } = setting;
  const named = (word: string) => (w.classes as { [word: string]: string })[word] ?? (w.languages as { [word: string]: string })[word] ?? word;
  if (setting.type.startsWith("true")) return <Switch label={label} help={help} checked={value === true} onChange={(on) => void onSet(key, on)} />;
  if (allowed && setting.type.startsWith("list")) {
    const now = (value ?? []) as string[];
    return (
      <fieldset className="group" aria-describedby={describedBy}>
        <legend>{label}</legend>
        <p className="help">{help}</p>
        {allowed.map((a) => <Switch key={a} label={named(a)} checked={now.includes(a)} onChange={(on) => void onSet(key, allowed.filter((x) => (x === a ? on : now.includes(x))))} />)}
      </fieldset>
    );
  }
  if (allowed) {
    return (
      <Field label={label} help={help}>
        {(id) => (
          <select id={id} value={String(value)} aria-invalid={wrong} aria-describedby={describedBy} onChange={(e) => void onSet(key, e.target.value)}>
            {allowed.map((a) => <option key={a} value={a}>{named(a)}</option>)}
          </select>
        )}
      </Field>
    );
  }
  return <Written {...props} />;
}
