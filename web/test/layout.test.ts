import { beforeEach, expect, test } from "vitest";
import { arrange, load, MAX_WIDTH, save, START } from "../src/frame/layout";

beforeEach(() => localStorage.clear());

test("a pane is shown in its area, and hidden when it is asked for again", () => {
  const shown = arrange(START, { do: "toggle", area: "side", pane: "plan" });
  expect(shown.areas.side.active).toBe("plan");
  expect(shown.focus).toBe("side");
  const other = arrange(shown, { do: "toggle", area: "side", pane: "time" });
  expect(other.areas.side.active).toBe("time");
  const hidden = arrange(other, { do: "toggle", area: "side", pane: "time" });
  expect(hidden.areas.side.active).toBeNull();
  expect(hidden.focus).toBe("main");
});

test("the main area always shows something, and an empty one takes no focus", () => {
  expect(arrange(START, { do: "hide", area: "main" })).toBe(START);
  expect(arrange(START, { do: "focus", area: "side" })).toBe(START);
});

test("widths have bounds", () => {
  expect(arrange(START, { do: "resize", width: 5000 }).width).toBe(MAX_WIDTH);
});

test("what was open is open again; a pane that is no more is forgotten", () => {
  save(arrange(START, { do: "show", area: "side", pane: "plan" }));
  expect(load(["talk", "plan"]).areas.side.active).toBe("plan");
  expect(load(["talk"]).areas.side.active).toBeNull();
  localStorage.setItem("parley.layout", "not JSON");
  expect(load(["talk"])).toEqual(START);
});
