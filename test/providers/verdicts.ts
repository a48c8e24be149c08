import { expect, test } from "vitest";
import type { Asked, Mock } from "./mock.ts";
import { credential, judge } from "./serve.ts";
import type { Json } from "./shape.ts";

/** What a mock should say to a request: nothing, or a status and a part of its body. */
type Expected = "accepted" | readonly [status: number, part: string];
/** The name of a row, the fields that differ from the usual request, the verdict, and the path if it is another. */
export type Row = readonly [name: string, own: Json, expected: Expected, path?: string];

export const askedOf = (mock: Mock, path: string, body: Json): Asked => ({
  path,
  headers: { [mock.auth[0]]: mock.auth[1] + credential, "content-type": "application/json" },
  body,
});

/** Tests an operation of a mock by a table. Each of its rules must refuse at least one row. */
export function verdicts(mock: Mock, path: string, base: Json, rows: readonly Row[]): void {
  const refusing = new Set<number>();
  const asked = (own: Json, at = path) => askedOf(mock, at, JSON.parse(JSON.stringify({ ...base, ...own })));
  for (const [name, own, expected, at] of rows)
    test(`${mock.name} ${path}: ${name}`, () => {
      const { refusal } = judge(mock, asked(own, at));
      if (expected === "accepted") return expect(refusal).toBeNull();
      const [status, part] = expected;
      expect(refusal?.status).toBe(status);
      expect(JSON.stringify(refusal?.body)).toContain(part);
    });
  test(`${mock.name} ${path}: every rule refuses a request of the table`, () => {
    const { route } = judge(mock, asked({}));
    const rules = route?.rules ?? [];
    for (const [, own, , at] of rows) {
      const request = asked(own, at);
      refusing.add(rules.findIndex((rule) => rule(request.body, request)));
    }
    const idle = rules.flatMap((rule, at) => (refusing.has(at) ? [] : [`${at}: ${rule}`]));
    expect(idle).toEqual([]);
  });
  test(`${mock.name} ${path}: a wrong credential is refused, and so is an unknown path`, () => {
    expect(judge(mock, { ...asked({}), headers: {} }).refusal).toEqual(mock.unauthorized);
    expect(judge(mock, { ...asked({}), path: `${path}/x` }).refusal).toEqual(mock.notFound);
  });
}

export const user = { role: "user", content: "Give me json" };
export const weather = {
  type: "function",
  function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } },
};
export const called = (id: string, own: Json = {}): Json => ({
  role: "assistant",
  content: null,
  tool_calls: [{ id, type: "function", function: { name: "weather", arguments: "{}" } }],
  ...own,
});
export const result = (id: string): Json => ({ role: "tool", tool_call_id: id, content: "Sunny" });
