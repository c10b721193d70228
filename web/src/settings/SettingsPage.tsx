import type { SettingList } from "@parley/client";
import { Tabs } from "radix-ui";
import { useCallback, useEffect, useState } from "react";
import { useClient } from "../app/context";
import { useDesk } from "../app/desk";
import { IconButton } from "../ui/Button";
import { complain, toast } from "../ui/toasts";
import { useWords } from "../words";
import { Browser } from "./Browser";
import { GROUPS } from "./groups";
import { Secrets } from "./Secrets";
import { SettingRow } from "./SettingRow";
import { Servers } from "./Servers";
import { Spent } from "./Spent";

/** How this browser shows things, and how agents work for this person. */
export function SettingsPage() {
  const w = useWords();
  const desk = useDesk();
  const { list, set } = useSettings();
  const tabs = ["browser", ...Object.keys(GROUPS), "mcp", "secrets", "usage"] as (keyof typeof w.tabs)[];
  return (
    <main className="page settings">
      <header className="bar">
        {!desk.layout.list && <IconButton icon="menu" label={w.showList} onClick={() => desk.arrange({ do: "list", open: true })} />}
        <h1 className="title">{w.settings}</h1>
      </header>
      <Tabs.Root className="tabs" defaultValue="browser" orientation="vertical">
        <Tabs.List className="tab-list" aria-label={w.settings}>
          {tabs.map((t) => <Tabs.Trigger key={t} value={t} className="tab">{w.tabs[t]}</Tabs.Trigger>)}
        </Tabs.List>
        <Tabs.Content className="tab-body" value="browser"><Browser /></Tabs.Content>
        {Object.entries(GROUPS).map(([group, keys]) => (
          <Tabs.Content key={group} className="tab-body" value={group}>
            {list?.items.filter((s) => keys.includes(s.key)).map((s) => <SettingRow key={s.key} setting={s} onSet={set} />)}
            {list && list.problems.length > 0 && group === "agent" && (
              <ul className="problems">{list.problems.map((p, i) => <li key={i} className="bad">{p.file}{p.line ? `:${p.line}` : ""} {p.key ?? ""} {p.text}</li>)}</ul>
            )}
          </Tabs.Content>
        ))}
        <Tabs.Content className="tab-body" value="mcp"><Servers setting={list?.items.find((s) => s.key === "mcp_servers")} onSet={set} /></Tabs.Content>
        <Tabs.Content className="tab-body" value="secrets"><Secrets /></Tabs.Content>
        <Tabs.Content className="tab-body" value="usage"><Spent /></Tabs.Content>
      </Tabs.Root>
    </main>
  );
}

export type SetSetting = (key: string, value: unknown) => Promise<boolean>;

function useSettings(): { list: SettingList | undefined; set: SetSetting } {
  const w = useWords();
  const client = useClient();
  const [list, setList] = useState<SettingList>();
  useEffect(() => {
    client.api.settings().then(setList, complain);
  }, [client]);
  const set = useCallback<SetSetting>((key, value) =>
    client.api.updateSettings({ [key]: value }).then(
      (next) => {
        setList(next);
        toast(w.kept);
        return true;
      },
      (error: unknown) => {
        complain(error);
        return false;
      },
    ), [client, w]);
  return { list, set };
}
