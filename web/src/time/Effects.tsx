import type { Rewinding } from "@parley/client";
import { useWords } from "../words";
import type { How } from "./back";
import { Files } from "./Files";
import type { Foreseen } from "./foresee";
import { Kept } from "./Kept";

/** What going back will do: to the conversation, to the files, and what it leaves alone. */
export function Effects({ preview, how, lines }: { preview: Rewinding; how: How; lines: Foreseen | undefined }) {
  const w = useWords();
  const files = preview.files ?? [];
  return (
    <>
      <ul className="effects">
        {how === "files" && <li>{w.conversationStays}</li>}
        {preview.messages_hidden > 0 && <li>{w.hides(preview.messages_hidden)}</li>}
        {preview.messages_shown > 0 && <li>{w.shows(preview.messages_shown)}</li>}
        {preview.todos_changed > 0 && <li>{w.todosBack(preview.todos_changed)}</li>}
        {how !== "files" && <li>{w.thenIs(w.status[preview.status])}</li>}
        {how === "conversation" && <li>{w.filesStay}</li>}
        {how !== "conversation" && <li>{files.length > 0 ? w.filesGoBack(files.length) : w.noFilesChange}</li>}
        {how !== "conversation" && preview.kept?.length ? <li>{w.stay(preview.kept.length)}</li> : null}
      </ul>
      {how !== "conversation" && files.length > 0 && (
        <section className="will" aria-label={w.filesGoBack(files.length)}>
          <p className="help"><span className="plus">+</span> {w.linesBack} <span className="minus">−</span> {w.linesGone}</p>
          <Files names={w.fileBack} files={files.map((f) => ({ path: f.path, change: f.change, ...lines?.get(f.path) }))} />
        </section>
      )}
      {how !== "conversation" && <Kept kept={preview.kept} />}
    </>
  );
}
