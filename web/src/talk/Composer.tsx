import type { Snapshot, UIMessage, When } from "@parley/client";
import { useEffect, useRef, useState } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { usePrefs } from "../app/prefs";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { complain } from "../ui/toasts";
import { useWords } from "../words";
import { useDraft } from "./draft";
import { pictures } from "./pictures";
import { Queue } from "./Queue";

const selectKept = (s: Snapshot) => s.view.session?.checkpoint !== undefined;
const selectBusy = (s: Snapshot) => ["executing", "waiting", "paused"].includes(s.view.session?.status ?? "idle");

/** Where a person writes. While the agent works, what is sent joins its work, or waits. */
export function Composer({ editing, onEdited }: { editing: UIMessage | undefined; onEdited: () => void }) {
  const w = useWords();
  const { enterSends } = usePrefs();
  const { session } = useOpened();
  const busy = useSnapshot(selectBusy);
  const [text, setText] = useDraft(session.id);
  const [images, setImages] = useState<string[]>([]);
  const [over, setOver] = useState(false);
  const [files, setFiles] = useState(true);
  const kept = useSnapshot(selectKept);
  const box = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);

  useEffect(() => {
    if (!editing) return;
    setText(editing.text ?? "");
    setImages(editing.images ?? []);
    box.current?.focus();
  }, [editing, setText]);
  useGrow(box, text);

  const add = (files: Iterable<File>) => void pictures(files).then((more) => setImages((now) => [...now, ...more]), complain);
  const send = (when?: When) => {
    const content = text.trim();
    if (!content && images.length === 0) return;
    const given = { content, ...(images.length > 0 ? { images } : {}) };
    const sent = editing ? session.send("edit_message", { ...given, message_id: editing.message_id, ...(kept && files ? { files: true } : {}) }) : session.say({ ...given, ...(when ? { when } : {}) });
    setText("");
    setImages([]);
    if (editing) onEdited();
    sent.catch((error: unknown) => {
      complain(error);
      setText(content); // what was refused is not lost
      setImages(given.images ?? []);
    });
  };

  return (
    <form
      className={over ? "composer composer-over" : "composer"}
      onSubmit={(e) => { e.preventDefault(); send(); }}
      onDragOver={(e) => { e.preventDefault(); setOver(true); }}
      onDragLeave={() => setOver(false)}
      onDrop={(e) => { e.preventDefault(); setOver(false); add(e.dataTransfer.files); }}
    >
      <Queue />
      {editing && (
        <div className="editing">
          <Icon name="edit" size={14} /> <span>{w.editing}</span>
          {kept && <label className="tick"><input type="checkbox" checked={files} onChange={(e) => setFiles(e.target.checked)} /> {w.filesToo}</label>}
          <Button look="quiet" onClick={() => { onEdited(); setText(""); setImages([]); }}>{w.cancel}</Button>
        </div>
      )}
      {images.length > 0 && (
        <div className="images">
          {images.map((src, i) => (
            <span key={i} className="attached">
              <img src={src} alt={w.picture} />
              <IconButton icon="cross" label={w.remove} onClick={() => setImages(images.filter((_, at) => at !== i))} />
            </span>
          ))}
        </div>
      )}
      <div className="composer-line">
        <IconButton icon="image" label={w.addPicture} onClick={() => picker.current?.click()} />
        <input ref={picker} type="file" accept="image/*" multiple hidden aria-label={w.addPicture} onChange={(e) => { add(e.target.files ?? []); e.target.value = ""; }} />
        <textarea
          ref={box}
          id="composer"
          rows={1}
          value={text}
          placeholder={busy ? w.steerHint : w.writeHint}
          aria-label={w.message}
          onChange={(e) => setText(e.target.value)}
          onPaste={(e) => e.clipboardData.files.length > 0 && add(e.clipboardData.files)}
          onKeyDown={(e) => {
            if (e.key.length === 1) e.currentTarget.dataset.typed = String(Date.now());
            if (e.nativeEvent.isComposing) return; // Enter ends a syllable, in Korean and others
            const wants = e.key === "Enter" && (enterSends ? !e.shiftKey : e.metaKey || e.ctrlKey);
            if (wants) { e.preventDefault(); send(e.altKey ? "queue" : undefined); }
            if (e.key === "Escape" && editing) onEdited();
          }}
        />
        {busy && !editing && (
          <Menu
            trigger={<IconButton icon="more" label={w.howToSend} />}
            items={[
              { label: w.sendSteer, icon: "send", run: () => send("steer") },
              { label: w.sendQueue, icon: "clock", run: () => send("queue") },
              { label: w.sendInterrupt, icon: "stop", run: () => send("interrupt") },
            ]}
          />
        )}
        <button type="submit" className="send" aria-label={w.send} title={w.send} disabled={!text.trim() && images.length === 0}>
          <Icon name="send" />
        </button>
      </div>
    </form>
  );
}

/** Lets the box grow with what is written. */
function useGrow(box: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  useEffect(() => {
    const el = box.current;
    if (!el) return;
    el.style.height = "auto";
    el.style.height = `${Math.min(el.scrollHeight, 240)}px`;
  }, [box, text]);
}
