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

/** The limits of each kind of body. */
export const bodyBounds = {
  /** Conversations, with images and files. */
  conversation: bounds(body.inferenceBytesMax, body.elementsMax),
  /** A prompt, or its tokens. */
  prompt: bounds(body.promptBytesMax, body.tokensMax),
  embedding: bounds(body.embeddingBytesMax, body.tokensMax),
  documents: bounds(body.documentsBytesMax, body.elementsMax),
  management: bounds(body.managementBytesMax, body.managementElementsMax),
  /** Sign-in requests, with a password or a code. */
  entrance: bounds(body.authBytesMax, body.authElementsMax),
} as const;

/** Reserves the bytes of a body: for the caller's organisation, or for the address without a credential. */
export const holdFor = (
  { bodies }: Pick<Services, "bodies">,
  caller: Caller | null,
  ipAddress: string | null,
): ByteHold => (caller ? bodies.known.hold(caller.orgId) : bodies.strangers.hold(networkOf(ipAddress)));
