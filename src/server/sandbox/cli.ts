import { parseArgs } from "node:util";
import { startSandbox } from "./server.ts";

/** The sandbox in a process of its own: prints its origin and serves until it is stopped. */
const { values } = parseArgs({
  options: { port: { type: "string", default: "0" }, remembered: { type: "string", default: "1000" } },
});
const sandbox = await startSandbox({ port: Number(values.port), remembered: Number(values.remembered) });
process.stdout.write(`${sandbox.origin}\n`);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void sandbox.close());
