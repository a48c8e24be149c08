import { errorTable } from "#contract/errors.ts";
import type { ResponseObject } from "#contract/response-object.ts";
import { type AttemptFailure, errorTypeOf } from "#server/inference/pipeline/failures.ts";
import { doneFrame } from "#server/inference/pipeline/frames.ts";
import type { Generation } from "#server/inference/pipeline/generation.ts";
import type { Presenter } from "#server/inference/pipeline/operation.ts";
import { servedBy } from "#server/inference/pipeline/result.ts";
import type { Output } from "#server/inference/wires/openai-responses/events.ts";
import type { PreparedResponse } from "#server/inference/wires/openai-responses/prepared-response.ts";
import type { ResponseEnding, ResponsesChunk } from "#server/inference/wires/openai-responses/wire.ts";
import type { Json } from "#server/inference/wires/shared/json.ts";
import { clock, unixSeconds } from "#server/platform/clock.ts";
import { tableOf } from "#server/platform/table.ts";
import {
  begunState,
  endedState,
  type ResponseState,
  responseIdOf,
  responseUsage,
  settingsOf,
} from "./response-object.ts";

/** Kinds of errors with their own code in a response object; all others are `server_error`. */
const responseCodes = tableOf<string>({
  rate_limit_exceeded: "rate_limit_exceeded",
  invalid_request: "invalid_prompt",
  content_policy_violation: "image_content_policy_violation",
});

type Told = Pick<AttemptFailure, "code" | "message" | "errorType">;

/** The code of a failure in the response object. */
export const responseErrorOf = (failure: Told) => ({
  code: responseCodes[errorTypeOf(failure)] ?? responseCodes[errorTable[failure.code].kind] ?? "server_error",
  message: failure.message,
});

/** The state of a response that is being answered by an endpoint. */
export function begunBy(generation: Generation, { service_tier: tier }: PreparedResponse): ResponseState {
  const { created, model, provider } = servedBy(generation);
  return begunState(
    responseIdOf(generation.id),
    created,
    "in_progress",
    { model, provider },
    tier ?? "default",
  );
}

/** The end of a complete answer, or of one that reached a limit. */
export const answeredState = (
  begun: ResponseState,
  { incomplete, serviceTier, facts = null }: ResponseEnding,
  output: Output | null,
  usage: ResponseObject["usage"],
): ResponseState =>
  endedState(begun, {
    status: incomplete ? "incomplete" : "completed",
    items: (output?.items({ ended: true }) ?? []) as ResponseObject["output"],
    usage,
    completedAt: incomplete ? null : unixSeconds(clock.nowMs()),
    incomplete,
    error: null,
    serviceTier,
    facts,
  });

const unknownEnding: ResponseEnding = { incomplete: null, serviceTier: null };

/** One numbered event; `json` is an object without its opening brace. */
export const eventFrame = (type: string, sequence: number, json: string): string =>
  `event: ${type}\ndata: {"type":"${type}","sequence_number":${sequence},${json}\n\n`;

/**
 * The events of a response: created, in progress, what the upstream brings, one terminal event, `[DONE]`.
 * `ended` gets the final object before its event is given out.
 */
export function responsePresenter(
  generation: Generation,
  request: PreparedResponse,
  ended: (response: ResponseObject) => void,
): Presenter<ResponsesChunk> {
  const begun = begunBy(generation, request);
  const settings = settingsOf(request);
  // The settings never change within a stream, so they are serialized once.
  const settingsJson = JSON.stringify(settings).slice(1);
  // The client of a background response already has `created` and `queued`.
  const waited = request.background === true;
  let sequence = waited ? 2 : 0;
  let output: Output | null = null;
  let ending = unknownEnding;
  const frame = (type: string, json: string): string => eventFrame(type, sequence++, json);
  const snapshot = (type: string, state: ResponseState): string =>
    frame(type, `"response":${JSON.stringify(state).slice(0, -1)},${settingsJson}}`);
  const last = (type: string, state: ResponseState): string => {
    ended({ ...state, ...settings });
    return snapshot(type, state) + doneFrame;
  };
  return {
    begin: () =>
      (waited ? "" : snapshot("response.created", begun)) + snapshot("response.in_progress", begun),
    chunk(chunk) {
      output = chunk.output;
      ending = chunk.ending ?? ending;
      let frames = "";
      for (const { type, ...rest } of chunk.events)
        frames += frame(type, JSON.stringify(rest satisfies Json).slice(1));
      return frames;
    },
    completed({ usage, cost }) {
      const state = answeredState(begun, ending, output, responseUsage(usage, cost));
      return last(`response.${state.status}`, state);
    },
    failed(failure, { usage, cost }) {
      const state = endedState(begun, {
        status: "failed",
        items: (output?.items({ ended: true }) ?? []) as ResponseObject["output"],
        usage: responseUsage(usage, cost),
        completedAt: null,
        incomplete: null,
        error: responseErrorOf(failure),
        serviceTier: null,
        errorType: errorTypeOf(failure),
      });
      return last("response.failed", state);
    },
  };
}
