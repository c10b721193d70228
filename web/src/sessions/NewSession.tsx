import type { NewSession as Wanted, Pipeline } from "@parley/client";
import { useState } from "react";
import { useClient } from "../app/context";
import { go } from "../app/route";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Choice, Field } from "../ui/Field";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { useChoices } from "./choices";
import { ModelInput } from "./ModelInput";

/** Asks what a new session is to be like. Everything may be left as it is. */
export function NewSession({ onClose }: { onClose: () => void }) {
  const w = useWords();
  const client = useClient();
  const [wanted, setWanted] = useState<Wanted>({ pipeline: "auto" });
  const { modes } = useChoices();
  const set = (change: Partial<Wanted>) => setWanted((now) => ({ ...now, ...change }));
  const make = () => {
    const given = Object.fromEntries(Object.entries(wanted).filter(([, v]) => v)) as Wanted;
    client.api.create(given).then((s) => {
      onClose();
      go({ at: "session", id: s.session_id });
    }, complain);
  };
  const pipelines: { value: Pipeline; label: string }[] = [
    { value: "auto", label: w.pipelines.auto }, { value: "direct", label: w.pipelines.direct }, { value: "planned", label: w.pipelines.planned },
  ];
  return (
    <Dialog title={w.newSession} onClose={onClose} foot={<><Button onClick={onClose}>{w.cancel}</Button><Button look="main" type="submit" form="new-session">{w.create}</Button></>}>
      <form id="new-session" onSubmit={(e) => { e.preventDefault(); make(); }}>
        <Field label={w.title} help={w.titleHelp}>
          {(id) => <input id={id} autoFocus value={wanted.title ?? ""} maxLength={200} onChange={(e) => set({ title: e.target.value })} />}
        </Field>
        <Field label={w.workspace} help={w.workspaceHelp}>
          {(id) => <input id={id} className="mono" value={wanted.workspace ?? ""} spellCheck={false} onChange={(e) => set({ workspace: e.target.value })} />}
        </Field>
        <Field label={w.model} help={w.modelHelp}>
          {(id) => <ModelInput id={id} value={wanted.model ?? ""} onChange={(model) => set({ model })} />}
        </Field>
        <Choice label={w.pipeline} value={wanted.pipeline ?? "auto"} options={pipelines} onChange={(pipeline) => set({ pipeline })} />
        <p className="help">{w.pipelineHelp[wanted.pipeline ?? "auto"]}</p>
        <Field label={w.mode}>
          {(id) => (
            <select id={id} value={wanted.mode ?? ""} onChange={(e) => set({ mode: e.target.value })}>
              <option value="">{w.usual}</option>
              {modes.map((m) => <option key={m}>{m}</option>)}
            </select>
          )}
        </Field>
      </form>
    </Dialog>
  );
}
