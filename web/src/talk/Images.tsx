import { useEffect, useState } from "react";
import { useOpened } from "../app/context";
import { useWords } from "../words";

/** The pictures of a message: those in it, and those kept beside the journal. */
export function Images({ images }: { images: readonly string[] | undefined }) {
  if (!images?.length) return null;
  return <div className="images">{images.map((src, i) => <Picture key={i} src={src} />)}</div>;
}

function Picture({ src }: { src: string }) {
  const w = useWords();
  const { session } = useOpened();
  const [url, setURL] = useState(src.startsWith("data:") ? src : undefined);
  useEffect(() => {
    if (src.startsWith("data:")) return;
    let made: string | undefined;
    let gone = false;
    session.api.blob(src).then((blob) => {
      if (gone) return;
      made = URL.createObjectURL(blob);
      setURL(made);
    }, () => {});
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [src, session]);
  return url ? <a href={url} target="_blank" rel="noreferrer"><img src={url} alt={w.picture} /></a> : <span className="picture-waits" aria-label={w.picture} role="img" />;
}
