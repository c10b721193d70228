import { useId } from "react";
import type { ReactNode } from "react";

/** A label over something to fill in. */
export function Field({ label, help, children }: { label: string; help?: ReactNode; children: (id: string) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children(id)}
      {help && <p className="help">{help}</p>}
    </div>
  );
}

/** On or off. */
export function Switch({ label, help, checked, disabled, onChange }: {
  label: string; help?: ReactNode; checked: boolean; disabled?: boolean; onChange: (on: boolean) => void;
}) {
  return (
    <label className="switch">
      <input type="checkbox" role="switch" checked={checked} disabled={disabled} onChange={(e) => onChange(e.target.checked)} />
      <span className="switch-words">
        {label}
        {help && <span className="help">{help}</span>}
      </span>
    </label>
  );
}

/** One of a few. */
export function Choice<T extends string>({ label, value, options, onChange }: {
  label: string; value: T; options: readonly { value: T; label: string }[]; onChange: (value: T) => void;
}) {
  const group = useId();
  return (
    <fieldset className="choice">
      <legend>{label}</legend>
      <div className="segments">
        {options.map((o) => (
          <label key={o.value} className="segment">
            <input type="radio" name={group} checked={o.value === value} onChange={() => onChange(o.value)} />
            <span>{o.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
