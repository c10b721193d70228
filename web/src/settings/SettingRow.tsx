import type { Setting } from "@parley/client";
import { useId, useRef, useState } from "react";
import { usePrefs } from "../app/prefs";
import { Button } from "../ui/Button";
import { Coded } from "../ui/Coded";
import { useWords } from "../words";
import { wordsOf } from "../words/settings";
import { Control } from "./Control";
import type { SetSetting } from "./settings";

/** What is changed here: what holds for the caller or the server, or for one session alone. */
export type Place = "everywhere" | "session";

const OWN: { readonly [P in Place]: readonly string[] } = { everywhere: ["owner", "server"], session: ["session"] };

/** One setting: its name and key, a control for its type, where its value comes from, and what the server says of a value that it refuses. */
export function SettingRow({ setting, place = "everywhere", onSet }: { setting: Setting; place?: Place; onSet: SetSetting }) {
  const w = useWords();
  const { name, text } = wordsOf(setting, usePrefs().language);
  const [wrong, setWrong] = useState<string>();
  const row = useRef<HTMLDivElement>(null);
  const foot = useId();
  const own = OWN[place].includes(setting.layer);
  const help = place === "session" && OF_SESSIONS.includes(setting.key) ? undefined : <Coded text={text} />;
  const set: SetSetting = async (key, value) => {
    const refused = await onSet(key, value);
    setWrong(refused);
    return refused;
  };
  const reset = () => void set(setting.key, null).then(() => row.current?.querySelector<HTMLElement>("input, select, textarea")?.focus()); // its button is gone by then
  return (
    <div className="setting" ref={row} data-key={setting.key}>
      <Control setting={setting} label={name} help={help} wrong={wrong !== undefined} describedBy={foot} onSet={set} onWrong={setWrong} />
      <div id={foot}>
        {wrong && <p className="setting-wrong bad" role="alert">{wrong}</p>}
        <p className="setting-foot help">
          <code>{setting.key}</code>
          <span>{w.from[setting.layer as keyof typeof w.from] ?? setting.layer}</span>
          {setting.scope === "server" && <span>{w.forEverybody}</span>}
          {own && <Button look="quiet" onClick={reset}>{place === "session" ? w.asElsewhere : w.reset}</Button>}
        </p>
      </div>
    </div>
  );
}

/** What these say of sessions that name none is not for one that does. */
const OF_SESSIONS = ["model", "mode"];
