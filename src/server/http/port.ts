import cluster from "node:cluster";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { type Config, SettingsError } from "#server/platform/env.ts";

type Place = Pick<Config, "HOST" | "PORT">;

/**
 * Each worker opens the port for itself, and the kernel shares connections out (SO_REUSEPORT). Node's own way hands
 * them on from the supervisor, and those on their way to a worker that dies are never answered nor closed.
 */
const sharesPort = ({ PORT }: Place): boolean =>
  cluster.isWorker && process.platform === "linux" && PORT !== 0;

/** Begins to listen. Returns the origin. Throws `SettingsError` when somebody has the port. */
export async function listenOn(server: Server, { HOST, PORT }: Place): Promise<string> {
  server.listen({ host: HOST, port: PORT, reusePort: sharesPort({ HOST, PORT }) });
  await Promise.race([
    once(server, "listening"),
    once(server, "error").then(([error]) => {
      if (error.code !== "EADDRINUSE") throw error;
      throw new SettingsError([
        `PORT ${PORT} on ${HOST} is in use. Stop the program that has it, or set another PORT.`,
      ]);
    }),
  ]);
  const { port } = server.address() as AddressInfo;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}

/** Refuses a port that others have, also those who share it: they would be given some of our connections. */
export async function demandFreePort(place: Place): Promise<void> {
  const server = createServer();
  await listenOn(server, place);
  server.close();
  await once(server, "close");
}
