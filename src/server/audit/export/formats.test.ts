import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ExportedEntry, jsonLines, otlpLogs, syslogFrames } from "./formats.ts";

const words = fc.string({ unit: "grapheme", maxLength: 40 });
const value = fc.option(fc.dictionary(words, fc.oneof(words, fc.integer(), fc.constant("line\nbreak"))));
const arbitraryEntry: fc.Arbitrary<ExportedEntry> = fc.record({
  ...{ organisation_id: fc.uuid(), position: fc.integer({ min: 1, max: 2 ** 31 - 1 }) },
  occurred_at: fc
    .date({ min: new Date("2026-01-01"), max: new Date("2026-12-31"), noInvalidDate: true })
    .map((at) => at.toISOString()),
  ...{
    actor_type: fc.constant("person"),
    actor_id: fc.option(fc.uuid()),
    action: fc.constant("api_key.create"),
  },
  ...{ subject_type: fc.constant("api_key"), subject_id: words, request_id: fc.option(words) },
  ...{ ip_address: fc.option(fc.ipV4()), before: value, after: value, hash: words, previous_hash: words },
});
const entries = fc.array(arbitraryEntry, { maxLength: 5 });

/** Reads frames as a receiver does (RFC 6587 3.4.1). */
function messagesIn(frames: Buffer): string[] {
  const found: string[] = [];
  for (let at = 0; at < frames.length; ) {
    const space = frames.indexOf(0x20, at);
    const end = space + 1 + Number(frames.toString("latin1", at, space));
    found.push(frames.toString("utf8", space + 1, end));
    at = end;
  }
  return found;
}

describe("whatever an entry contains", () => {
  test("a line of JSON is one entry", () => {
    fc.assert(
      fc.property(entries, (given) => {
        const lines = jsonLines(given).split("\n").slice(0, -1);
        expect(lines.map((line) => JSON.parse(line))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  test("a receiver of syslog finds each message by its length, with a valid header", () => {
    fc.assert(
      fc.property(entries, (given) => {
        const messages = messagesIn(Buffer.from(syslogFrames(given, "host.example")));
        expect(messages).toHaveLength(given.length);
        for (const [at, message] of messages.entries()) {
          const [, time, json = ""] =
            /^<110>1 (\S+) host\.example portolan - api_key\.create - (.*)$/su.exec(message) ?? [];
          expect(time).toBe(given[at]?.occurred_at);
          expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(given[at])));
        }
      }),
    );
  });

  test("an OTLP record has its time, its name, and every value that is not null", () => {
    fc.assert(
      fc.property(arbitraryEntry, (entry) => {
        const { resourceLogs } = JSON.parse(otlpLogs([entry], "1.2.3"));
        const [record] = resourceLogs[0].scopeLogs[0].logRecords;
        expect(record.timeUnixNano).toBe(`${BigInt(Date.parse(entry.occurred_at)) * 1_000_000n}`);
        expect(record.eventName).toBe("api_key.create");
        const names = record.attributes.map(({ key }: { key: string }) => key.replace("portolan.audit.", ""));
        const present = Object.entries(entry).filter(([, one]) => one !== null && one !== "");
        expect(names.toSorted()).toEqual(present.map(([name]) => name).toSorted());
      }),
    );
  });
});
