export { type Fault, type FaultName, faults } from "./faults.ts";
export type { SeenRequest } from "./seen.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./server.ts";
