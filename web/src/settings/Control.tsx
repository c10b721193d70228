import type { Setting } from "@parley/client";
import type { ReactNode } from "react";
import { useChoices } from "../sessions/choices";
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
  const { setting, label, help, describedBy, onSet } = props;
  const { key, value, allowed } = setting;
  const named = (word: string) => (w.classes as Names)[word] ?? (w.languages as Names)[word] ?? word;
  if (setting.type.startsWith("true")) return <Switch label={label} help={help} checked={value === true} onChange={(on) => void onSet(key, on)} />;
  if (allowed && setting.type.startsWith("list")) {
    const now = (value ?? []) as string[];
    return (
      <fieldset className="group" aria-describedby={describedBy}>
        <legend>{label}</legend>
        {help && <p className="help">{help}</p>}
        {allowed.map((a) => <Switch key={a} label={named(a)} help={(w.classHelp as Names)[a]} checked={now.includes(a)} onChange={(on) => void onSet(key, allowed.filter((x) => (x === a ? on : now.includes(x))))} />)}
      </fieldset>
    );
  }
  if (allowed) return <Select {...props} options={allowed} named={named} />;
  return key === "mode" ? <Mode {...props} named={named} /> : <Written {...props} />;
}

type Names = { readonly [word: string]: string | undefined };

interface SelectProps extends ControlProps {
  options: readonly string[];
  named: (word: string) => string;
}

function Select({ setting, label, help, wrong, describedBy, onSet, options, named }: SelectProps) {
  return (
    <Field label={label} help={help}>
      {(id) => (
        <select id={id} value={String(setting.value)} aria-invalid={wrong} aria-describedby={describedBy} onChange={(e) => void onSet(setting.key, e.target.value)}>
          {options.map((o) => <option key={o} value={o}>{named(o)}</option>)}
        </select>
      )}
    </Field>
  );
}

/** The modes are those of the server and the caller's own. */
function Mode(props: Omit<SelectProps, "options">) {
  const { modes } = useChoices();
  return <Select {...props} options={[...new Set([String(props.setting.value), ...modes])]} />;
}
