import { Tabs } from "radix-ui";
import { useDesk } from "../app/desk";
import { IconButton } from "../ui/Button";
import { useWords } from "../words";
import { Browser } from "./Browser";
import { GROUPS, inGroup } from "./groups";
import type { Group } from "./groups";
import { Portable } from "./Portable";
import { Secrets } from "./Secrets";
import { SettingRow } from "./SettingRow";
import { useSettings } from "./settings";
import { Servers } from "./Servers";
import { Spent } from "./Spent";

/** How this browser shows things, and how agents work for this person. */
export function SettingsPage() {
  const w = useWords();
  const desk = useDesk();
  const { list, set, refresh } = useSettings();
  const items = list?.items ?? [];
  const others = inGroup("others", items).length > 0;
  const groups: Group[] = [...(Object.keys(GROUPS) as Group[]), ...(others ? (["others"] as const) : [])];
  const tabs = ["browser", ...groups, "mcp", "secrets", "portable", "usage"] as (keyof typeof w.tabs)[];
  return (
    <main className="page settings">
      <header className="bar">
        {!desk.layout.list && <IconButton icon="menu" label={w.showList} onClick={() => desk.arrange({ do: "list", open: true })} />}
        <h1 className="title">{w.settings}</h1>
      </header>
      {list && list.problems.length > 0 && (
        <ul className="problems" role="alert">{list.problems.map((p, i) => <li key={i}>{p.file}{p.line ? `:${p.line}` : ""} {p.key ?? ""} {p.text}</li>)}</ul>
      )}
      <Tabs.Root className="tabs" defaultValue="browser" orientation="vertical">
        <Tabs.List className="tab-list" aria-label={w.settings}>
          {tabs.map((t) => <Tabs.Trigger key={t} value={t} className="tab">{w.tabs[t]}</Tabs.Trigger>)}
        </Tabs.List>
        <Tabs.Content className="tab-body" value="browser"><Browser /></Tabs.Content>
        {groups.map((group) => (
          <Tabs.Content key={group} className="tab-body" value={group}>
            {inGroup(group, items).map((s) => <SettingRow key={s.key} setting={s} onSet={set} />)}
          </Tabs.Content>
        ))}
        <Tabs.Content className="tab-body" value="mcp"><Servers setting={inGroup("mcp", items)[0]} onSet={set} /></Tabs.Content>
        <Tabs.Content className="tab-body" value="secrets"><Secrets /></Tabs.Content>
        <Tabs.Content className="tab-body" value="portable"><Portable list={list} onImported={refresh} /></Tabs.Content>
        <Tabs.Content className="tab-body" value="usage"><Spent /></Tabs.Content>
      </Tabs.Root>
    </main>
  );
}
