import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { definition, playing, question, server, steps } from "./reasoning-loops.ts";

const anthropicClient = new Anthropic({ baseURL: server.origin, apiKey: server.key, maxRetries: 0 });
const messageBody = (name: string, messages: readonly Anthropic.MessageParam[]) => ({
  model: `loop/${name}`,
  messages: [...messages],
  tools: [{ name: definition.name, input_schema: { ...definition.parameters, type: "object" as const } }],
  thinking: { type: "enabled" as const, budget_tokens: 2_048 },
  max_tokens: 8_000,
});

describe.each(playing.map((each) => [each.mock.name, each] as const))("%s", (name, { played, replayed }) => {
  /** All steps were accepted, and the last request has the reasoning of each of them. */
  function assertReplayed() {
    const { judged } = played;
    expect(judged.map(({ refusal }) => refusal)).toEqual(Array.from({ length: steps + 1 }, () => null));
    expect(JSON.stringify(judged.at(-1)?.body).match(replayed)).toHaveLength(steps);
  }

  test.each([false, true])(
    "reasons and calls tools in ten steps of messages, as Anthropic's client sends them back (streamed: %o)",
    async (isStreamed) => {
      played.judged.length = 0;
      const messages: Anthropic.MessageParam[] = [question];
      for (let said: Anthropic.Message | null = null; said?.stop_reason !== "end_turn"; ) {
        const body = messageBody(name, messages);
        said = isStreamed
          ? await anthropicClient.messages.stream(body).finalMessage()
          : await anthropicClient.messages.create(body);
        messages.push({ role: "assistant", content: said.content });
        const calls = said.content.filter((block) => block.type === "tool_use");
        if (calls.length === 0 || messages.length > 3 * steps) break;
        messages.push({
          role: "user",
          content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "Sunny" })),
        });
      }
      expect(JSON.stringify(messages.at(-1))).toContain("Bonjour");
      assertReplayed();
    },
  );
});

test("a conversation of messages with signatures of Gemini goes on at Claude, which does not get them, and that is reported", async () => {
  const said = await anthropicClient.messages.create(messageBody("gemini", [question]));
  expect(JSON.stringify(said.content)).toContain("portolan1.");
  const [call] = said.content.filter(({ type }) => type === "tool_use") as Anthropic.ToolUseBlock[];
  const { response } = await anthropicClient.messages
    .create(
      messageBody("anthropic", [
        question,
        { role: "assistant", content: said.content },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: call?.id ?? "", content: "Sunny" }],
        },
      ]),
    )
    .withResponse();
  expect(response.headers.get("x-portolan-dropped-params")).toMatch(/messages\.(reasoning_details|thinking)/);
  const claude = playing.find(({ mock }) => mock.name === "anthropic");
  const last = claude?.played.judged.at(-1);
  expect(last?.refusal).toBeNull();
  expect(JSON.stringify(last?.body)).not.toMatch(/portolan1|thoughtSignature/);
});
