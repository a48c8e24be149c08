import { describe, expect, test, vi } from "vitest";
import { clock } from "./clock.ts";
import { prefixedId, uuidv7 } from "./ids.ts";

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (id: string): number => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16);

describe("a UUID of version 7", () => {
  test("has the shape of RFC 9562 and the time in its first 48 bits, then and in far days", () => {
    const now = vi.spyOn(clock, "nowMs");
    for (const ms of [0, 1, 1_700_000_000_000, 2 ** 32 - 1, 2 ** 32, 2 ** 41 + 12_345, 2 ** 48 - 1]) {
      now.mockReturnValue(ms);
      const id = uuidv7();
      expect(id).toMatch(shape);
      expect(timeOf(id)).toBe(ms);
    }
    now.mockRestore();
  });

  test("is never drawn twice, and no digit but the fixed one stays the same", () => {
    const ids = Array.from({ length: 10_000 }, uuidv7);
    expect(new Set(ids).size).toBe(ids.length);
    for (const at of [15, 16, 17, 19, 20, 21, 22, 24, 29, 35])
      expect(new Set(ids.map((id) => id[at])).size, `digit ${at}`).toBe(at === 19 ? 4 : 16);
  });

  test("is complete after a prefix", () => {
    const id = uuidv7();
    expect(prefixedId("cmpl", id)).toBe(`cmpl-${id}`);
  });
});
