import { useRef } from "react";
import { useWords } from "../words";
import { MAX_WIDTH, MIN_WIDTH } from "./layout";

const STEP = 24;

/** The line between two areas: dragged, or moved with the arrow keys. */
export function Divider({ width, onWidth }: { width: number; onWidth: (width: number) => void }) {
  const w = useWords();
  const from = useRef<{ x: number; width: number }>(undefined);
  return (
    <div
      className="divider"
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={w.resize}
      aria-valuenow={width}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      onPointerDown={(e) => {
        e.currentTarget.setPointerCapture(e.pointerId);
        from.current = { x: e.clientX, width };
      }}
      onPointerMove={(e) => from.current && onWidth(from.current.width + from.current.x - e.clientX)}
      onPointerUp={() => (from.current = undefined)}
      onKeyDown={(e) => {
        if (e.key === "ArrowLeft") onWidth(width + STEP);
        if (e.key === "ArrowRight") onWidth(width - STEP);
      }}
    />
  );
}
