import type { Caller } from "#server/access/caller.ts";
import type { Services } from "#server/api/services.ts";
import { networkOf } from "#server/auth/rate-limits.ts";
import type { ByteHold } from "#server/platform/byte-budget.ts";
import { limits } from "#server/platform/limits.ts";
import type { BodyBounds } from "./read-body.ts";

const { body } = limits;

const bounds = (bytesMax: number, elementsMax: number): BodyBounds => ({
  bytesMax,
  elementsMax,
  containersMax: Math.min(elementsMax, body.containersMax),
  depthMax: body.depthMax,
  keysMax: body.keysMax,
});

/** What each kind of body may hold. */
export const bodyBounds = {
  /** Conversations, with pictures and files in them. */
  conversation: bounds(body.inferenceBytesMax, body.elementsMax),
  /** A prompt, or its tokens. */
  prompt: bounds(body.promptBytesMax, body.tokensMax),
  embedding: bounds(body.embeddingBytesMax, body.tokensMax),
  documents: bounds(body.documentsBytesMax, body.elementsMax),
  management: bounds(body.managementBytesMax, body.managementElementsMax),
  /** What is sent to come in, with a password or a code. */
  entrance: bounds(body.authBytesMax, body.authElementsMax),
} as const;

/** Begins to hold the bytes of a body: for the caller's organisation, or for the address of who shows no credential. */
export const holdFor = (
  { bodies }: Pick<Services, "bodies">,
  caller: Caller | null,
  ipAddress: string | null,
): ByteHold => (caller ? bodies.known.hold(caller.orgId) : bodies.strangers.hold(networkOf(ipAddress)));
