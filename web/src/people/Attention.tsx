import { ERROR_CODES, ServerError } from "@parley/client";
import type { Snapshot } from "@parley/client";
import { useEffect, useRef } from "react";
import { useOpened, useSnapshot } from "../app/context";
import { usePrefs } from "../app/prefs";
import { complain } from "../ui/toasts";
import { useWords } from "../words";

const selectCount = (s: Snapshot) => s.view.session?.hitl_requests.length ?? 0;
const selectNewest = (s: Snapshot) => s.view.session?.hitl_requests.at(-1);
const selectTitle = (s: Snapshot) => s.view.session?.title ?? "";

/** Calls for a person who looks elsewhere: in the title of the tab, and by the browser if it may. */
export function Attention() {
  const w = useWords();
  const { notify } = usePrefs();
  const { session } = useOpened();
  const waiting = useSnapshot(selectCount);
  const newest = useSnapshot(selectNewest);
  const title = useSnapshot(selectTitle);
  const told = useRef<string>(undefined);
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title ? `${title} · ` : ""}Parley`;
    return () => {
      document.title = "Parley";
    };
  }, [waiting, title]);
  useEffect(() => {
    if (!newest || told.current === newest.request_id) return;
    told.current = newest.request_id;
    if (!notify || !document.hidden || !("Notification" in window) || Notification.permission !== "granted") return;
    const note = new Notification(title || "Parley", { body: newest.question ?? newest.plan?.summary ?? newest.todo?.task ?? w.needsYou, tag: newest.request_id, icon: "/assets/icon.svg" });
    note.onclick = () => {
      window.focus();
      note.close();
    };
  }, [newest, notify, title, w]);
  useEffect(() => session.on("error", ({ data }) => {
    if (data.code !== ERROR_CODES.WS_HITL_TIMEOUT) complain(new ServerError(data)); // that one is told where it was asked
  }), [session]);
  return null;
}
