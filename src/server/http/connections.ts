import { readFileSync } from "node:fs";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { limits } from "#server/platform/limits.ts";

const { max, min, descriptorsReserved, descriptorsUnknown } = limits.http.connections;

/** How many descriptors this process may have open (`ulimit -n`, which Node raises to the hard limit). */
export function descriptorsMax(): number {
  try {
    const [, soft] =
      /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    if (soft === "unlimited") return Number.POSITIVE_INFINITY;
    return soft === undefined ? descriptorsUnknown : Number(soft);
  } catch {
    // Only Linux has the file.
    return descriptorsUnknown;
  }
}

/** The maximum of client connections: each may need another one to a provider. */
export const connectionsMax = (descriptors: number): number =>
  Math.max(min, Math.min(max, Math.floor((descriptors - descriptorsReserved) / 2)));

/** Closes connections beyond the maximum, whichever socket of the port accepted them, and calls `dropped`. */
export function boundConnections(
  server: Server,
  dropped: () => void,
  max = connectionsMax(descriptorsMax()),
): void {
  let open = 0;
  const ended = () => {
    open--;
  };
  server.on("connection", (socket: Socket) => {
    open++;
    socket.once("close", ended);
    if (open <= max) return;
    socket.destroy();
    dropped();
  });
}
