import { AsyncLocalStorage } from "node:async_hooks";

/** Where a change comes from: determined once at the edge, stored in every audit row of the request. */
export interface Origin {
  readonly requestId: string;
  readonly ipAddress: string | null;
}

const plans = new AsyncLocalStorage<string>();

/** Runs changes of a plan. Their audit rows contain its digest. */
export const withPlan = <T>(digest: string, work: () => T): T => plans.run(digest, work);
export const currentPlan = (): string | undefined => plans.getStore();

const origins = new AsyncLocalStorage<Origin>();

export const withOrigin = <T>(origin: Origin, work: () => T): T => origins.run(origin, work);
export const currentOrigin = (): Origin | undefined => origins.getStore();
