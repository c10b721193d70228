import type { CheckpointItem, FileDiff, Snapshot } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { usePrefs } from "../app/prefs";
import { Field } from "../ui/Field";
import { moment } from "../ui/format";
import { useWords } from "../words";
import { checkpointsOf } from "./checkpoints";
import { Files } from "./Files";

const selectCheckpoint = (s: Snapshot) => s.view.session?.checkpoint;
const selectStatus = (s: Snapshot) => s.view.session?.status;

type Looked = { kept?: readonly CheckpointItem[]; diffs?: readonly FileDiff[]; error?: string };

/** What has changed in the files since a kept state. */
export function ChangesPane() {
  const w = useWords();
  const { language } = usePrefs();
  const { session } = useOpened();
  const newest = useSnapshot(selectCheckpoint);
  const status = useSnapshot(selectStatus);
  const [from, setFrom] = useState<string>();
  const [looked, setLooked] = useState<Looked>();
  useEffect(() => {
    let gone = false;
    look().then((l) => !gone && setLooked(l), (error: Error) => !gone && setLooked({ error: error.message }));
    async function look(): Promise<Looked> {
      const kept = await checkpointsOf(session);
      const since = from ?? kept?.[0]?.id;
      return kept && since ? { kept, diffs: (await session.api.diff(since)).items } : { kept };
    }
    return () => {
      gone = true;
    };
  }, [session, from, newest, status]);
  if (!looked) return <p className="help pane-empty"><span className="spinner" aria-hidden="true" /></p>;
  if (looked.error) return <p className="help pane-empty">{looked.error}</p>;
  if (!looked.kept?.length) return <p className="help pane-empty">{w.noCheckpoints}</p>;
  return (
    <div className="changes">
      <Field label={w.changesSince}>
        {(id) => (
          <select id={id} value={from ?? looked.kept![0]!.id} onChange={(e) => setFrom(e.target.value)}>
            {looked.kept!.map((c) => <option key={c.id} value={c.id}>{moment(c.created_at, language)} · {c.reason}</option>)}
          </select>
        )}
      </Field>
      {looked.diffs?.length ? <Files files={looked.diffs} diffs={looked.diffs} /> : <p className="help">{w.noFilesChange}</p>}
    </div>
  );
}
