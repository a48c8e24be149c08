import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { type MediaModality, mediaModalities } from "#contract/modalities.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { loadCatalogue } from "#server/catalog/index.ts";
import { clock, isoDay } from "#server/platform/clock.ts";
import { AppError } from "#server/platform/errors.ts";
import { createSessions } from "#server/policy/index.ts";
import { routerOver, subject } from "#test/arbitrary-policies.ts";
import { endpoint, model, provider } from "#test/catalogues.ts";
import { keyCaller } from "#test/inference.ts";
import { chat } from "../operations/chat/operation.ts";
import { responsesWith } from "../operations/responses/operation.ts";
import { providerKinds } from "../providers/registry.ts";
import { ownItems } from "../wires/openai-responses/prepared-response.ts";
import { needsOf, planFor } from "./admit.ts";
import type { RequestEstimate } from "./request.ts";

const data = "data:image/png;base64,AAAA";
/** Every type of part with a modality, in messages of chat and of responses. */
const chatParts: Record<MediaModality, readonly object[]> = {
  image: [{ type: "image_url", image_url: { url: data } }],
  audio: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
  file: [{ type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } }],
  video: [{ type: "video_url", video_url: { url: "https://example.eu/a.mp4" } }],
};
const responseParts: Record<MediaModality, readonly object[]> = {
  image: [{ type: "input_image", image_url: data }],
  audio: [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }],
  file: [{ type: "input_file", file_url: "https://example.eu/a.pdf" }],
  video: [{ type: "input_video", video_url: "https://example.eu/a.mp4" }],
};
const text = { type: "text", text: "What is this?" };

const chatOf = (wanted: readonly MediaModality[], more: object = {}): ChatRequest =>
  ChatRequest.parse({
    model: "m/x",
    messages: [{ role: "user", content: [text, ...wanted.flatMap((name) => chatParts[name])] }],
    ...more,
  });
const responses = responsesWith(() => {});
const responseOf = (input: unknown) => {
  const request = ResponseRequest.parse({ model: "m/x", input });
  return { ...request, items: ownItems(request), store: false };
};
const userItem = (wanted: readonly MediaModality[]) => [
  {
    role: "user",
    content: [{ type: "input_text", text: "x" }, ...wanted.flatMap((name) => responseParts[name])],
  },
];

/** The same content as chat and as responses. */
const estimates: Record<string, (wanted: readonly MediaModality[]) => RequestEstimate> = {
  chat: (wanted) => chat.estimate(chatOf(wanted)),
  responses: (wanted) => responses.estimate(responseOf(userItem(wanted))),
};
const sets = fc.uniqueArray(fc.constantFrom(...mediaModalities), { minLength: 1 });

const { endpoints } = loadCatalogue({
  kinds: providerKinds,
  sandboxOrigin: "http://127.0.0.1:4010",
});
const shipped = [...endpoints.values()];
const names = [
  ...new Set(shipped.filter(({ model: { type } }) => type === "chat").map((one) => one.model.id)),
];
const router = routerOver(shipped, [], { credentials: { has: () => true } });
const today = isoDay(clock.nowMs());
const routed = (models: readonly string[], { apis, ...rest }: RequestEstimate) => {
  const needs = needsOf({ apis, ...rest });
  return router.route({ models }, { subject, apis, today, needs });
};

describe.each(Object.entries(estimates))("a request of %s", (_name, estimateOf) => {
  test("never goes to a shipped endpoint whose model lacks a modality of it, and to every other one as before", () => {
    fc.assert(
      fc.property(sets, fc.subarray(names, { minLength: 1, maxLength: 5 }), (wanted, models) => {
        const estimate = estimateOf(wanted);
        const { candidates, decisions } = routed(models, estimate);
        const plain = routed(models, { ...estimate, media: { parts: 0, tokensMax: 0, modalities: [] } });
        const accepts = ({ model: { inputModalities } }: { model: { inputModalities: readonly string[] } }) =>
          wanted.every((name) => inputModalities.includes(name));
        expect(candidates.map(({ endpoint: { id } }) => id)).toEqual(
          plain.candidates
            .filter((candidate) => accepts(candidate.endpoint))
            .map(({ endpoint: { id } }) => id),
        );
        for (const { excluded } of decisions)
          for (const { endpoint: one, refusals } of excluded)
            expect(refusals.some(({ field }) => field === "input_modalities")).toBe(!accepts(one));
      }),
    );
  });

  test("with text only requires no modality", () => {
    expect(needsOf(estimateOf([])).inputModalities).toEqual([]);
  });

  test("requires the modalities of all its parts, each once", () => {
    fc.assert(
      fc.property(sets, (wanted) => {
        expect(estimateOf([...wanted, ...wanted]).media?.modalities).toEqual(wanted);
      }),
    );
  });
});

test("some shipped endpoint takes each modality, so that the property above is about something", () => {
  for (const name of mediaModalities)
    expect(
      shipped.filter(({ model: { inputModalities } }) => inputModalities.includes(name)).length,
    ).toBeGreaterThan(3);
});

test("media in the result of a tool counts, and a part of an unknown type requires nothing", () => {
  const tool = { role: "tool", tool_call_id: "c", content: chatParts.image };
  expect(chat.estimate(ChatRequest.parse({ model: "m/x", messages: [tool] })).media?.modalities).toEqual([
    "image",
  ]);
  const output = { type: "function_call_output", call_id: "c", output: responseParts.file };
  expect(responses.estimate(responseOf([output])).media?.modalities).toEqual(["file"]);
  const unknown = { role: "user", content: [{ type: "hologram", data: "AAAA" }, { type: "constructor" }] };
  const { media } = chat.estimate(ChatRequest.parse({ model: "m/x", messages: [unknown] }));
  expect(media).toMatchObject({ parts: 2, modalities: [] });
});

/** How a request over models with these lists is refused. */
function refusal(models: readonly Parameters<typeof model>[1][], request: ChatRequest): unknown {
  const all = models.map((own, at) => endpoint(provider(`p${at}`), model(`m/${at}`, own)));
  const over = routerOver(all, []);
  const deps = { router: () => over, sessions: createSessions(clock.monotonicMs) };
  const asked = { ...request, model: undefined, models: all.map((one) => one.model.id) };
  try {
    return planFor(deps, keyCaller, chat, asked).plan.candidates.length;
  } catch (error) {
    return error instanceof AppError ? error : String(error);
  }
}
const takes = (...inputModalities: string[]) => ({ inputModalities });
const none = "No endpoints found that support";

describe("a request that no model can take is a 404 that names what is lacking", () => {
  test.each([
    ["an image", [takes("text")], chatOf(["image"]), `${none} image input`],
    ["an image and audio", [takes("text")], chatOf(["audio", "image"]), `${none} image and audio input`],
    [
      "three kinds",
      [takes("text")],
      chatOf(["video", "image", "file"]),
      `${none} image, file and video input`,
    ],
    ["only what is lacking", [takes("text", "image")], chatOf(["audio", "image"]), `${none} audio input`],
    [
      "what each of several models lacks",
      [takes("text", "image"), takes("text", "audio")],
      chatOf(["audio", "image"]),
      `${none} image and audio input`,
    ],
    ["spoken output", [{}], chatOf([], { modalities: ["text", "audio"] }), `${none} audio output`],
    ["settings of speech", [{}], chatOf([], { audio: { voice: "alloy" } }), `${none} audio output`],
    ["image output", [{}], chatOf([], { modalities: ["image", "text"] }), `${none} image output`],
    ["both", [{}], chatOf(["file"], { modalities: ["audio"] }), `${none} file input and audio output`],
    [
      "what a model of the operator's does not list",
      [{ assumedModalities: ["input_modalities"] }],
      chatOf(["image"]),
      `${none} image input. If the model supports it, list it in input_modalities of the model in CATALOG_FILE`,
    ],
  ] as const)("%s", (_what, models, request, message) => {
    expect(refusal(models, request)).toMatchObject({
      code: "NOT_FOUND",
      message,
      metadata: { availability: { code: "constraint_filtered", retryable: false } },
    });
  });

  test("but not if a model accepts it and rules leave it out, or if one accepts it", () => {
    const rule = chatOf(["image"], { provider: { data_residency: "at" } });
    expect(refusal([takes("text"), takes("text", "image")], rule)).toMatchObject({
      code: "SERVICE_UNAVAILABLE",
    });
    expect(refusal([takes("text"), takes("text", "image")], chatOf(["image"]))).toBe(1);
    expect(refusal([{ outputModalities: ["text", "audio"] }], chatOf([], { modalities: ["audio"] }))).toBe(1);
  });
});
