/** Percentiles of a measure over one window. */
export interface Percentiles {
  readonly p50: number;
  readonly p75: number;
  readonly p90: number;
  readonly p99: number;
}

/** Recent measurements of one endpoint in this process. */
export interface EndpointSignals {
  /** It failed and is not used for a while. */
  readonly cooling: boolean;
  /** Recent attempts that ended with a success or a failure of the endpoint. */
  readonly attempts: number;
  /** Share of them that succeeded, 0 to 1; 1 without any. */
  readonly health: number;
  /** Time to first token, in seconds; null without measurements. */
  readonly latency: Percentiles | null;
  /** Tokens per second; null without measurements. */
  readonly throughput: Percentiles | null;
}

/** The signals of an endpoint by its id. */
export type Signals = (measuredAs: string) => EndpointSignals;

const nothingSeen: EndpointSignals = {
  ...{ cooling: false, attempts: 0, health: 1, latency: null, throughput: null },
};

/** Without any measurements, as in a draft's dry run. */
export const noSignals: Signals = () => nothingSeen;
