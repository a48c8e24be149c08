/** Percentiles of a measure over one window. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** What this process has lately seen of one endpoint. */
export interface EndpointSignals {
  /** It failed and is left alone for a while. */
  readonly cooling: boolean;
  /** Share of attempts that succeeded lately, 0 to 1; 1 when there were none. */
  readonly health: number;
  /** Time to the first content, in seconds; null when nothing was measured. */
  readonly latency: Percentiles | null;
  /** Tokens a second; null when nothing was measured. */
  readonly throughput: Percentiles | null;
}

/** The signals of an endpoint by its id. */
export type Signals = (endpointId: string) => EndpointSignals;

const nothingSeen: EndpointSignals = { cooling: false, health: 1, latency: null, throughput: null };

/** Without any measurements, as in a draft's dry run. */
export const noSignals: Signals = () => nothingSeen;
