import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { sending } from "#test/sending.ts";
import { callOptions } from "../../providers/sdk-request.ts";
import { sdkModel } from "../../reasoning/sdk-options.ts";
import { completionsAsChat } from "../openai-completions/wire.ts";
import { ownItems } from "../openai-responses/prepared-response.ts";
import { responsesAsChat } from "../openai-responses/wire.ts";
import { nativeChat } from "./wire.ts";

const messages = [{ role: "user" as const, content: "Hello" }];
const at = (tokenLimitField: "max_tokens" | "max_completion_tokens") => {
  const made = endpoint(provider("p"), model("m/x"));
  return { ...made, provider: { ...made.provider, tokenLimitField } };
};
type Encode = (at: ReturnType<typeof endpoint>, limit: number | null) => Record<string, unknown>;

const response = ResponseRequest.parse({ model: "m/x", input: "Hello" });
const operations: readonly (readonly [name: string, encode: Encode])[] = [
  [
    "chat",
    (to, limit) => nativeChat.encode(ChatRequest.parse({ messages, max_tokens: 7 }), to, sending(limit)),
  ],
  [
    "completions",
    (to, limit) => completionsAsChat.encode(CompletionRequest.parse({ prompt: "Hello" }), to, sending(limit)),
  ],
  [
    "responses",
    (to, limit) =>
      responsesAsChat.encode({ ...response, items: ownItems(response), store: false }, to, sending(limit)),
  ],
];

describe.each(operations)("the limit of an answer of %s over chat", (_, encode) => {
  test.each(["max_tokens", "max_completion_tokens"] as const)("is sent as %s only", (field) => {
    const { max_tokens, max_completion_tokens } = encode(at(field), 99);
    expect({ max_tokens, max_completion_tokens }).toEqual({
      max_tokens: undefined,
      max_completion_tokens: undefined,
      [field]: 99,
    });
  });

  test("is not sent if there is none", () => {
    const body = encode(at("max_completion_tokens"), null);
    expect(Object.keys(body).filter((name) => name.startsWith("max_"))).toEqual([]);
  });
});

test.each(["max_tokens", "max_completion_tokens"])(
  "an SDK package gets the limit that is sent as %s",
  (field) => {
    expect(callOptions({ messages, [field]: 99 }, sdkModel("google", "m", "m/x")).maxOutputTokens).toBe(99);
  },
);
