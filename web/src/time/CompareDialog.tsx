import type { FileDiffs } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { usePrefs } from "../app/prefs";
import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { Field } from "../ui/Field";
import { moment } from "../ui/format";
import { useWords } from "../words";
import { distinct, nameOf } from "./checkpoints";
import { Files } from "./Files";
import { useCheckpoints } from "./list";
import { Refused } from "./Refused";

/** What differs between two kept states of the files, or between one and now. */
export function CompareDialog({ from: first, to: second = "", onClose }: { from: string; to?: string; onClose: () => void }) {
  const w = useWords();
  const { language } = usePrefs();
  const { session } = useOpened();
  const { items, more, loadMore } = useCheckpoints(session, "");
  const [from, setFrom] = useState(first);
  const [to, setTo] = useState(second);
  const [diffs, setDiffs] = useState<FileDiffs>();
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    let gone = false;
    setDiffs(undefined);
    setRefused(undefined);
    session.api.diff(from, to || undefined).then((d) => !gone && setDiffs(d), (error: unknown) => !gone && setRefused(error));
    return () => {
      gone = true;
    };
  }, [session, from, to]);
  const options = distinct(items ?? []).map((c) => <option key={c.id} value={c.id}>{nameOf(c, w, moment(c.created_at, language))}</option>);
  return (
    <Dialog title={w.compareTitle} wide onClose={onClose} foot={<Button onClick={onClose}>{w.close}</Button>}>
      <div className="compare">
        <Field label={w.compareFrom}>{(id) => <select id={id} value={from} onChange={(e) => setFrom(e.target.value)}>{options}</select>}</Field>
        <Field label={w.compareTo}>{(id) => <select id={id} value={to} onChange={(e) => setTo(e.target.value)}><option value="">{w.now}</option>{options}</select>}</Field>
        {more && <Button look="quiet" onClick={loadMore}>{w.older}</Button>}
      </div>
      <div role="status" aria-live="polite">
        {!diffs && refused === undefined && <p className="help"><span className="spinner" aria-hidden="true" /></p>}
        {diffs?.items.length === 0 && <p className="help">{w.noDifference}</p>}
      </div>
      {refused !== undefined && <Refused error={refused} />}
      {diffs && <Files key={from + to} files={diffs.items} names={w.fileChange} />}
      {diffs?.more && <p className="help">{w.moreFiles}</p>}
    </Dialog>
  );
}
