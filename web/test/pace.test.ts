import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { nextWait, Pace } from "../src/sessions/pace";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("questions become rare while nothing happens, and soon again when something does", () => {
  let wait = 4000;
  for (let i = 0; i < 20; i++) wait = nextWait(wait, false, false);
  expect(wait).toBe(60_000);
  expect(nextWait(wait, false, true)).toBe(8000);
  expect(nextWait(wait, true, false)).toBe(4000);
});

test("a page that nobody sees does not ask, and asks at once when it is seen again", () => {
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(false);
  let asked = 0;
  const pace = new Pace(() => asked++);
  pace.answered(true, false);
  vi.advanceTimersByTime(4000);
  expect(asked).toBe(1);
  pace.answered(true, false);
  hidden.mockReturnValue(true);
  vi.advanceTimersByTime(600_000);
  pace.wake();
  expect(asked).toBe(1);
  hidden.mockReturnValue(false);
  pace.wake();
  expect(asked).toBe(2);
  pace.stop();
});
