import { expect, test } from "vitest";
import type { ModelItem } from "../src/sessions/choices";
import { offered } from "../src/sessions/models";

const model = (name: string, more: Partial<ModelItem> = {}): ModelItem => ({ name, provider: name.split(/[/:]/)[0]!, available: true, ...more });
const models = [model("offline"), model("a/one", { available: false, reason: "no key" }), model("b/two"), model("b/three"), model("a/four", { available: false, reason: "no key" }), model("auto")];
const told = (groups: readonly { models: readonly ModelItem[] }[]) => groups.map((g) => g.models.map((m) => m.name));

test("models stand by their provider, those that need none first, those that cannot be used apart with what is missing", () => {
  const { usable, missing } = offered({ models, named: [] });
  expect(told(usable)).toEqual([["offline", "auto"], ["b/two", "b/three"]]);
  expect(usable.map((g) => g.of)).toEqual(["built in", { provider: "b" }]);
  expect(missing).toEqual([{ of: { provider: "a" }, reason: "no key", models: [models[1], models[4]] }]);
});

test("what was typed narrows both; what the settings name is offered if no list has it", () => {
  const { usable, missing } = offered({ models, named: ["b/two", "c/mine"] }, " O ");
  expect(told(usable)).toEqual([["offline", "auto"], ["b/two"]]);
  expect(told(missing)).toEqual([["a/one", "a/four"]]);
  expect(told(offered({ models, named: ["b/two", "c/mine"] }, "mine").usable)).toEqual([["c/mine"]]);
});
