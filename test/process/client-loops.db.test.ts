import { describe, expect, test } from "vitest";
import { agentLoops } from "#test/loops/agents.ts";
import { aiSdkLoops } from "#test/loops/ai-sdk.ts";
import { anthropicLoops } from "#test/loops/anthropic.ts";
import { langChainLoops } from "#test/loops/langchain.ts";
import { openAiLoops } from "#test/loops/openai.ts";
import { loopOptions, startLoopProviders } from "#test/loops/providers.ts";
import { startTestServer } from "./server.ts";

const steps = 10;
const providers = await startLoopProviders(steps);
const server = await startTestServer(loopOptions(providers));
const clients = [openAiLoops, anthropicLoops, aiSdkLoops, langChainLoops, agentLoops].flatMap((of) =>
  of(server),
);

describe.each(providers.map((provider, row) => [provider.name, provider, row] as const))(
  "ten calls of a tool with reasoning at %s",
  (name, { played, isClaude }, row) => {
    const { judged } = played;
    // Each library streams at every other provider, and each provider streams to every other library.
    const cases = clients.map((client, column) => [client.name, (row + column) % 2 === 1, client] as const);
    test.each(cases)("%s, streamed: %s", async (_, isStreamed, { run, returnsReasoning }) => {
      judged.length = 0;
      const loop = await run(`loop/${name}`, isStreamed).catch((error: unknown) => ({
        error: String(error),
      }));
      expect(judged.flatMap(({ refusal }) => (refusal ? [refusal.body] : []))).toEqual([]);
      expect(loop).toEqual({ calls: steps, text: expect.stringContaining("Bonjour") });
      expect(judged).toHaveLength(steps + 1);
      if (isClaude && returnsReasoning)
        expect(JSON.stringify(judged.at(-1)?.body).match(/Step \d+: ça va ☀️\./g)).toHaveLength(steps);
    });
  },
);
