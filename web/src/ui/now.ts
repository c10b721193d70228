import { useEffect, useState } from "react";

/** The time, told again every so often while it matters. */
export function useNow(every: number, matters = true): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!matters) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, [every, matters]);
  return now;
}
