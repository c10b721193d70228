/** What going back would do, looked at again for each way of going back. */
import type { Rewinding } from "@parley/client";
import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { goBack, linesBack, lookBack, waysTo } from "./back";
import type { How, Place } from "./back";
import type { Past } from "./checkpoints";
import type { Foreseen } from "./foresee";

export interface Preview {
  past: Past | undefined;
  lines: Foreseen | undefined;
  preview: Rewinding | undefined;
  ways: readonly How[];
  /** Why the files cannot go back. */
  filesRefused: unknown;
  /** Why nothing can. */
  refused: unknown;
}

export function usePreview(place: Place, how: How, setHow: (how: How) => void): Preview {
  const { session } = useOpened();
  const { to, include } = place;
  const [past, setPast] = useState<Past>();
  const [lines, setLines] = useState<Foreseen>();
  const [preview, setPreview] = useState<Rewinding>();
  const [filesRefused, setFilesRefused] = useState<unknown>();
  const [refused, setRefused] = useState<unknown>();
  useEffect(() => {
    let gone = false;
    lookBack(session, { to, include }).then((p) => {
      if (gone) return;
      setPast(p);
      linesBack(session, p).then((l) => !gone && setLines(l), () => {}); // the names of files are told without it
    }, (error: unknown) => !gone && setFilesRefused(error));
    return () => {
      gone = true;
    };
  }, [session, to, include]);
  const ways: readonly How[] = past ? waysTo(session, place, past) : ["both", "conversation", "files"];
  const possible = ways.includes(how);
  const kept = how === "files" ? past?.at?.id : undefined;
  useEffect(() => {
    if (!possible) setHow("both");
    if (!possible || (how === "files" && !kept)) return; // it is not known yet to which state
    let gone = false;
    setPreview(undefined);
    setRefused(undefined);
    if (how !== "conversation") setFilesRefused(undefined);
    goBack(session, { to, include }, how, kept, true).then((p) => !gone && setPreview(p), (error: unknown) => {
      if (gone) return;
      if (how === "conversation") return setRefused(error);
      setFilesRefused(error);
      if (how === "both") setHow("conversation"); // which can go back without them
    });
    return () => {
      gone = true;
    };
  }, [session, to, include, how, kept, possible, setHow]);
  return { past, lines, preview, ways, filesRefused, refused };
}
