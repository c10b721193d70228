import { left } from "../ui/format";
import { useNow } from "../ui/now";
import { useWords } from "../words";

/** How long an answer is still waited for. */
export function Countdown({ until, from }: { until: string | undefined; from: string }) {
  const w = useWords();
  const now = useNow(1000, until !== undefined);
  if (!until) return <span className="countdown">{w.noDeadline}</span>;
  const end = new Date(until).getTime();
  const whole = end - new Date(from).getTime();
  const rest = Math.max(0, end - now);
  return (
    <span className={rest < 60_000 ? "countdown countdown-soon" : "countdown"} role="timer" aria-label={w.timeLeft(left(rest))}>
      <svg viewBox="0 0 20 20" width={16} height={16} aria-hidden="true">
        <circle cx="10" cy="10" r="8" className="ring" />
        <circle cx="10" cy="10" r="8" className="ring-left" pathLength={1} strokeDasharray={`${whole > 0 ? rest / whole : 0} 1`} transform="rotate(-90 10 10)" />
      </svg>
      {left(rest)}
    </span>
  );
}
