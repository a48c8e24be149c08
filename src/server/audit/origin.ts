import { AsyncLocalStorage } from "node:async_hooks";

/** Where a change comes from: told once at the edge, written into every audit row below it. */
export interface Origin {
  readonly requestId: string;
  readonly ipAddress: string | null;
}

const origins = new AsyncLocalStorage<Origin>();

export const withOrigin = <T>(origin: Origin, work: () => T): T => origins.run(origin, work);
export const currentOrigin = (): Origin | undefined => origins.getStore();
