import { expect, test } from "vitest";
import { reportLost } from "./lost.ts";

const lostOf = (of: Record<string, unknown>) => {
  const lost: string[] = [];
  reportLost(of, new Set(["role", "content"]), "messages", (name) => lost.push(name));
  return lost;
};

test.each([
  [{ role: "user", content: "Hello" }, []],
  [{ role: "user", content: "Hello", name: "ada", vendor: { a: 1 } }, ["messages.name", "messages.vendor"]],
  [{ role: "assistant", refusal: null, annotations: [], audio: undefined, name: "" }, []],
  [{ role: "assistant", id: "msg_1", status: "completed", index: 0, parsed: {} }, []],
])("of %j the members that are set and have no place are reported", (of, lost) => {
  expect(lostOf(of)).toEqual(lost);
});
