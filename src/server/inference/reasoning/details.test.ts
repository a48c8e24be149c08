import { expect, test } from "vitest";
import { DetailWriter, extraContent, formats, readDetails, thoughtSignatureOf } from "./details.ts";
import { isPacked, packDetails, unpackDetails } from "./packed.ts";

const claude = (signature: string, index = 0) =>
  ({ type: "reasoning.text", text: "Hm.", signature, format: formats.claude, index }) as const;
const google = (thoughtSignature: string) => ({ google: { thoughtSignature } });

test("the parts of each package become details that name who can read them", () => {
  const writer = new DetailWriter();
  expect(writer.reasoning("Hm.", { anthropic: { signature: "s" } })).toEqual(claude("s"));
  expect(writer.reasoning("Hm.", { amazonBedrock: { signature: "t" } })).toEqual(claude("t", 1));
  expect(writer.reasoning("", { anthropic: { redactedData: "x" } })).toEqual({
    type: "reasoning.encrypted",
    data: "x",
    format: formats.claude,
    index: 2,
  });
  expect(writer.reasoning("", { amazonBedrock: { redactedContent: "y" } })).toMatchObject({
    type: "reasoning.encrypted",
    data: "y",
    format: formats.bedrock,
  });
  expect(writer.reasoning("Hm.", google("g"))).toMatchObject({ signature: "g", format: formats.gemini });
  expect(writer.signature(google("g"), "call_1")).toEqual({
    type: "reasoning.encrypted",
    data: "g",
    id: "call_1",
    format: formats.gemini,
    index: 5,
  });
});

test("reasoning without a signature has no details", () => {
  const writer = new DetailWriter();
  expect(writer.reasoning("Hm.", undefined)).toBeNull();
  expect(writer.signature({ anthropic: {} }, "call_1")).toBeNull();
});

test("the signature of a tool call is in the call as well, as Google's own API has it", () => {
  const detail = new DetailWriter().signature(google("g"), "call_1");
  expect(thoughtSignatureOf(extraContent(detail))).toBe("g");
  expect(extraContent(null)).toEqual({});
  expect(thoughtSignatureOf({ extra_content: { google: null } })).toBeNull();
});

test("fragments of one piece that a client collected are put together, other pieces are not", () => {
  const of = (more: object) => ({ type: "reasoning.text", format: formats.claude, index: 0, ...more });
  const fragments = [
    of({ text: "H" }),
    of({ text: "m." }),
    of({ signature: "s" }),
    of({ index: 1, text: "So." }),
    of({ index: 1, signature: "t" }),
  ];
  expect(readDetails(fragments)).toEqual([
    of({ text: "Hm.", signature: "s" }),
    of({ index: 1, text: "So.", signature: "t" }),
  ]);
  const signed = [claude("s"), claude("t")];
  expect(readDetails(signed)).toEqual(signed);
});

test.each([null, "x", {}, [null, "x", 1, {}, { type: "other" }]])("%j holds no details", (value) => {
  expect(readDetails(value)).toEqual([]);
});

test("details go through encrypted_content unchanged", () => {
  const details = [claude("s"), { ...claude("t", 1), text: "ça va ☀️" }];
  const packed = packDetails(details);
  expect(isPacked(packed)).toBe(true);
  expect(unpackDetails(packed)).toEqual(details);
});

test("details without signatures need no encrypted_content", () => {
  expect(packDetails([])).toBeNull();
  expect(packDetails([{ type: "reasoning.text", text: "Hm.", format: "unknown", index: 0 }])).toBeNull();
});

test.each([null, 1, "gAAAAAB", "portolan1.", "portolan1.!!!", "portolan1.e30"])(
  "%j is not read as ours",
  (content) => {
    expect(unpackDetails(content)).toEqual([]);
  },
);
