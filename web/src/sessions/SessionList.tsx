import type { Status } from "@parley/client";
import { memo, useDeferredValue, useEffect, useState } from "react";
import { useClient } from "../app/context";
import { useDesk } from "../app/desk";
import { usePrefs } from "../app/prefs";
import { go, pathOf } from "../app/route";
import { narrow } from "../frame/layout";
import { Button, IconButton } from "../ui/Button";
import { ago } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { complain } from "../ui/toasts";
import { Troubled } from "../ui/Troubled";
import { useWords } from "../words";
import { Hits } from "./Hits";
import { useSessions } from "./list";
import type { Item } from "./list";
import { useSeen } from "./seen";

const STATUSES: readonly Status[] = ["executing", "waiting", "paused", "completed", "failed", "cancelled", "idle"];

/** The sessions of the server: which work, which wait for a person, which have news. */
export function SessionList({ current, changed }: { current: string | undefined; changed: string | undefined }) {
  const w = useWords();
  const client = useClient();
  const desk = useDesk();
  const [q, setQ] = useState("");
  const [status, setStatus] = useState<Status | "">("");
  const wanted = useDeferredValue(q.trim());
  const { items, more, loaded, error, refresh, loadMore } = useSessions(client, { q: wanted, status });
  const seen = useSeen();
  useEffect(() => {
    if (changed) refresh();
  }, [changed, refresh]);
  const close = () => narrow() && desk.arrange({ do: "list", open: false });

  return (
    <nav className="sessions" aria-label={w.sessions}>
      <div className="sessions-head">
        <a className="brand" href="/" onClick={(e) => { e.preventDefault(); go({ at: "home" }); close(); }}>
          <img src="/assets/icon.svg" alt="" width={24} height={24} /> Parley
        </a>
        <IconButton icon="gear" label={w.settings} onClick={() => { go({ at: "settings" }); close(); }} />
        <IconButton icon="left" label={w.hideList} onClick={() => desk.arrange({ do: "list", open: false })} />
      </div>
      <div className="sessions-tools">
        <Button look="main" icon="plus" onClick={() => desk.open({ of: "new" })}>{w.newSession}</Button>
        <div className="search">
          <Icon name="search" size={16} />
          <input id="search" type="search" value={q} placeholder={w.search} aria-label={w.search} onChange={(e) => setQ(e.target.value)} />
        </div>
        <select aria-label={w.filterStatus} value={status} onChange={(e) => setStatus(e.target.value as Status | "")}>
          <option value="">{w.allStatuses}</option>
          {STATUSES.map((s) => <option key={s} value={s}>{w.status[s]}</option>)}
        </select>
      </div>
      <ul className="session-items">
        {items.map((item) => (
          <SessionItem key={item.session_id} item={item} current={item.session_id === current} unread={item.session_id !== current && (seen[item.session_id] ?? "") < item.updated_at} onOpen={close} onChanged={refresh} />
        ))}
      </ul>
      {loaded && items.length === 0 && <p className="help sessions-none">{wanted ? w.noTitle : status ? w.nothingFound : w.noSessions}</p>}
      {error && items.length === 0 && <div className="help sessions-none"><Troubled error={error} /></div>}
      {more && <Button look="quiet" onClick={loadMore}>{w.more}</Button>}
      {wanted.length > 1 && <Hits q={wanted} onOpen={close} />}
    </nav>
  );
}

interface SessionItemProps {
  item: Item;
  current: boolean;
  unread: boolean;
  onOpen: () => void;
  onChanged: () => void;
}

const SessionItem = memo(function SessionItem({ item, current, unread, onOpen, onChanged }: SessionItemProps) {
  const w = useWords();
  const { language } = usePrefs();
  const client = useClient();
  const desk = useDesk();
  const title = item.title || w.untitled;
  const open = () => {
    go({ at: "session", id: item.session_id });
    onOpen();
  };
  return (
    <li className={current ? "session-item session-current" : "session-item"}>
      <a href={pathOf({ at: "session", id: item.session_id })} aria-current={current ? "page" : undefined} onClick={(e) => { if (e.metaKey || e.ctrlKey) return; e.preventDefault(); open(); }}>
        <span className={`dot dot-${item.status}`} title={w.status[item.status]} />
        <span className="session-words">
          <span className={unread ? "session-title session-unread" : "session-title"}>{title}</span>
          <span className="session-sub">
            <span>{w.status[item.status]}</span>
            <span>{ago(item.updated_at, language)}</span>
            {item.forked_from && <Icon name="fork" size={12} />}
            {item.pinned && <Icon name="pin" size={12} />}
          </span>
        </span>
        {unread && <span className="unread"><span className="hidden">{w.unread}</span></span>}
      </a>
      <Menu
        trigger={<IconButton icon="more" label={w.moreAbout(title)} />}
        items={[
          { label: item.pinned ? w.unpin : w.pin, icon: "pin", run: () => void client.api.session(item.session_id).update({ pinned: !item.pinned }).then(onChanged, complain) },
          null,
          { label: w.delete, icon: "trash", danger: true, run: () => desk.open({ of: "delete", id: item.session_id, title }) },
        ]}
      />
    </li>
  );
});
