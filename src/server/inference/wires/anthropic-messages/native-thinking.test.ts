import { expect, test } from "vitest";
import { MessagesRequest } from "#contract/messages.ts";
import { prepareMessages } from "#server/inference/operations/messages/prepare.ts";
import { ParameterChanges } from "#server/inference/parameters/changes.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { nativeBody } from "./native-request.ts";

const hi = [{ role: "user", content: "Hi" }];
const adaptive = { thinking: { type: "adaptive" } };
const high = { output_config: { effort: "high" } };

/** What a model of Anthropic's gets of a request, and what is reported. */
function sent(upstreamModel: string, own: object) {
  const changes = new ParameterChanges();
  const at = endpoint(provider("claude", { kind: "anthropic" }), model("own/claude"), { upstreamModel });
  const request = MessagesRequest.parse({ model: "own/claude", max_tokens: 4_096, messages: hi, ...own });
  const prepared = prepareMessages(request, { "anthropic-beta": "context-management-2025-06-27" });
  const body = nativeBody(prepared, at, { maxTokens: null, stream: false, changes });
  return { body, report: changes.report() };
}

test.each([
  ["high", 3_277],
  ["low", 1_024],
  [undefined, 3_277],
])(
  "adaptive thinking with the effort %s is a budget for a model that takes nothing else",
  (effort, tokens) => {
    const { body, report } = sent("claude-sonnet-4-5", {
      ...adaptive,
      ...(effort && { output_config: { effort } }),
    });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: tokens });
    expect(body).not.toHaveProperty("output_config");
    expect(report?.translated).toContainEqual({ from: "thinking", to: "thinking.budget_tokens" });
  },
);

test("models that take adaptive thinking and an effort get both as they are", () => {
  for (const name of ["claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-5-5"]) {
    const { body, report } = sent(name, { ...adaptive, ...high });
    expect(body).toMatchObject({ ...adaptive, ...high });
    expect(report).toBeNull();
  }
});

test("an effort without thinking is left out where the model takes none, and its format stays", () => {
  const format = { type: "json_schema", schema: {} };
  const config = { effort: "high", format };
  const { body, report } = sent("claude-sonnet-4-5", { output_config: config });
  expect([body.output_config, report?.dropped]).toEqual([{ format }, ["output_config.effort"]]);
  expect(sent("claude-opus-4-5", { output_config: config }).body.output_config).toEqual(config);
});

test("an answer too short for any budget is made without thinking and without edits about it", () => {
  const edits = [{ type: "clear_thinking_20251015", keep: "all" }, { type: "clear_tool_uses_20250919" }];
  const { body, report } = sent("claude-sonnet-4-5", {
    ...adaptive,
    max_tokens: 1_000,
    context_management: { edits },
  });
  expect(body).not.toHaveProperty("thinking");
  expect(body.context_management).toEqual({ edits: [edits[1]] });
  expect(report?.dropped).toEqual(["thinking", "context_management.edits"]);
});
