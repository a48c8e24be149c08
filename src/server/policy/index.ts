export type { Strategy } from "./rank.ts";
export { createRouter, type Decision, type Router } from "./router.ts";
export { noSignals, type Signals } from "./signals.ts";
