import { vi } from "vitest";
import { faultRows } from "./fault-table.ts";
import { waits, walkFaults } from "./fault-walk.ts";

/** Minutes of waiting become seconds, for the limits and for what the sandbox waits. */
const timesFaster = vi.hoisted(() => 10);

vi.mock(import("#server/platform/limits.ts"), async (original) => {
  const { limits } = await original();
  const { firstByteTimeoutMs, streamFirstByteTimeoutMs, idleTimeoutMs, slow } = limits.upstream;
  const upstream = {
    ...limits.upstream,
    firstByteTimeoutMs: firstByteTimeoutMs / timesFaster,
    streamFirstByteTimeoutMs: streamFirstByteTimeoutMs / timesFaster,
    idleTimeoutMs: idleTimeoutMs / timesFaster,
    slow: { ...slow, waitedMs: slow.waitedMs / timesFaster, pauseMsMax: slow.pauseMsMax / timesFaster },
  };
  return { limits: { ...limits, upstream } };
});

await walkFaults(faultRows.filter(waits), timesFaster);
