import { expect, test, vi } from "vitest";
import { faultyModels } from "./overlay.ts";
import { startTestServer } from "./server.ts";

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  return { limits: { ...limits, stream: { ...limits.stream, heartbeatMs: 100 } } };
});

const server = await startTestServer({ overlay: faultyModels({ slow: { fr: "slow:350" } }) });

test.each([
  ["/completions", { prompt: "x", max_tokens: 3 }],
  ["/chat/completions", { messages: [{ role: "user", content: "x" }], max_tokens: 3 }],
  ["/responses", { input: "x", max_output_tokens: 3 }],
])(
  "%s: while the provider is silent within a stream, comments keep it open, and no event changes",
  async (path, asked) => {
    const text = await (await server.post(path, { model: "test/slow", stream: true, ...asked })).text();
    const blocks = text.trimEnd().split("\n\n");
    expect(blocks.filter((block) => block === ": keep-alive").length).toBeGreaterThanOrEqual(2);
    for (const block of blocks) expect(block).toMatch(/^(: keep-alive|(event: .*\n)?data: [^\n]*)$/);
    expect(blocks.at(-1)).toBe("data: [DONE]");
  },
);

test("/messages: while the provider is silent within a stream, pings are sent, and never before its first event", async () => {
  const asked = {
    model: "test/slow",
    stream: true,
    max_tokens: 3,
    messages: [{ role: "user", content: "x" }],
  };
  const text = await (await server.post("/messages", asked)).text();
  const [first = "", ...rest] = text.trimEnd().split("\n\n");
  const began = [first, ...rest].findIndex((block) => block.startsWith("event: message_start"));
  const pings = [first, ...rest].flatMap((block, at) => (block.startsWith("event: ping") ? [at] : []));
  // The first one always follows the start of the message.
  expect(pings.length).toBeGreaterThanOrEqual(3);
  expect(Math.min(...pings)).toBe(began + 1);
  for (const at of pings) expect([first, ...rest][at]).toBe('event: ping\ndata: {"type":"ping"}');
  expect(rest.at(-1)).toMatch(/^event: message_stop\n/);
  expect([first, ...rest].slice(began).filter((block) => block.startsWith(":"))).toEqual([]);
});
