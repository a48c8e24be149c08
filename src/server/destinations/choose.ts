import { createHash } from "node:crypto";
import type { DeliveryContent } from "#contract/destination.ts";
import type { FilterRules } from "#contract/destination-filter.ts";
import type { TraceContent } from "#contract/trace-content.ts";
import type { GenerationSummary, TraceLabels } from "./trace/facts.ts";
import { traceIdOf } from "./trace/trace.ts";

/** The settings that decide whether a destination gets a generation. */
export interface ActiveDestination {
  readonly id: string;
  readonly orgId: string;
  readonly workspaceId: string | null;
  readonly privacyMode: boolean;
  readonly samplingRate: number;
  /** Null: of all keys. */
  readonly keyIds: ReadonlySet<string> | null;
  readonly filterRules: FilterRules | null;
  readonly residency: string | null;
}

/** A generation that has ended, offered to its organisation's destinations. */
export interface Offer {
  readonly facts: GenerationSummary;
  readonly labels: TraceLabels;
  /** Creates the content when it is needed. Null if it is unknown. */
  readonly content: (() => TraceContent) | null;
  /** Whether the required residency of the request allows a place to store its content. */
  readonly mayKeepAt: (residency: string | null) => boolean;
}

const two64 = 2 ** 64;

/** Evenly distributed over [0, 1): equal for one session at one destination, independent between destinations. */
export function sample(destinationId: string, sessionOrTrace: string): number {
  const digest = createHash("sha256").update(`${destinationId}:${sessionOrTrace}`).digest();
  return Number(digest.readBigUInt64BE()) / two64;
}

/** Whether a destination gets a generation, before its filter is applied. */
export function chosen(destination: ActiveDestination, { facts, labels }: Offer): boolean {
  const { workspaceId, keyIds, samplingRate } = destination;
  if (workspaceId !== null && workspaceId !== labels.workspaceId) return false;
  if (keyIds !== null && !keyIds.has(facts.api_key_id)) return false;
  if (samplingRate < 1) {
    const name = facts.session_id ?? traceIdOf(facts.id, labels.traceId);
    if (sample(destination.id, name) >= samplingRate) return false;
  }
  return true;
}

/** Whether the content is sent, or why not. Where residency forbids the content, personal data is omitted too. */
export function contentFor({ privacyMode, residency }: ActiveDestination, offer: Offer): DeliveryContent {
  if (offer.content === null) return "none";
  if (!offer.mayKeepAt(residency)) return "residency";
  return privacyMode ? "private" : "sent";
}
