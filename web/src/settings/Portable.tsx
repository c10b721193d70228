import type { SettingList, Settings } from "@parley/client";
import { useRef, useState } from "react";
import { useClient } from "../app/context";
import { offer } from "../control/download";
import { Button } from "../ui/Button";
import { toast } from "../ui/toasts";
import { useWords } from "../words";
import { exported, parts } from "./exchange";

/** Takes settings elsewhere and brings them in again, as a file that the command line knows too. */
export function Portable({ list, onImported }: { list: SettingList | undefined; onImported: () => void }) {
  const w = useWords();
  const client = useClient();
  const [wrong, setWrong] = useState<string>();
  const picker = useRef<HTMLInputElement>(null);
  const save = () => list && offer(new Blob([exported(list)], { type: "application/json" }), "parley-settings.json");
  const bring = async (file: File) => {
    setWrong(undefined);
    try {
      const changes = parts(await file.text(), list!);
      for (const part of changes) await client.api.updateSettings(part, true); // all of it is looked at before any is changed
      for (const part of changes) await client.api.updateSettings(part);
      toast(w.imported(changes.reduce((n: number, part: Settings) => n + Object.keys(part).length, 0)));
      onImported();
    } catch (error) {
      setWrong(error instanceof SyntaxError ? w.notJSON(error.message) : error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <p className="help">{w.portableHelp}</p>
      <div className="buttons portable">
        <Button icon="download" disabled={!list} onClick={save}>{w.exportSettings}</Button>
        <Button icon="upload" disabled={!list} onClick={() => picker.current?.click()}>{w.importSettings}</Button>
        <input ref={picker} type="file" accept=".json,application/json" hidden aria-label={w.importSettings} onChange={(e) => { const [file] = e.target.files ?? []; if (file) void bring(file); e.target.value = ""; }} />
      </div>
      {wrong && <p className="bad" role="alert">{wrong}</p>}
    </>
  );
}
