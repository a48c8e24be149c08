import cluster from "node:cluster";
import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { type Config, SettingsError } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";

type Place = Pick<Config, "HOST" | "PORT">;

/**
 * Each worker opens the port itself, and the kernel distributes connections (SO_REUSEPORT). With Node's own way,
 * through the supervisor, connections to a worker that dies are neither answered nor closed.
 */
const sharesPort = ({ PORT }: Place): boolean =>
  cluster.isWorker && process.platform === "linux" && PORT !== 0;

const noAddress = ({ HOST }: Place) => `HOST ${HOST} is not an address of this machine`;

/** What is wrong with the settings if a port cannot be opened. */
const problems: Readonly<Record<string, (place: Place) => string>> = {
  EADDRINUSE: ({ HOST, PORT }) =>
    `PORT ${PORT} on ${HOST} is in use. Stop the program that uses it, or set another PORT.`,
  EACCES: ({ PORT }) => `PORT ${PORT} requires privileges that this user does not have. Set one above 1023.`,
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  EINVAL: noAddress,
};

/** Begins to listen. Returns the origin. Throws `SettingsError` if host or port are not available. */
export async function listenOn(server: Server, { HOST, PORT }: Place): Promise<string> {
  const { acceptQueueMax: backlog } = limits.http.connections;
  server.listen({ host: HOST, port: PORT, reusePort: sharesPort({ HOST, PORT }), backlog });
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const problem = problems[code]?.({ HOST, PORT });
    throw problem === undefined ? error : new SettingsError([problem]);
  }
  const { port } = server.address() as AddressInfo;
  return `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`;
}

/** Refuses a port that other programs have open, even shared: they would get some of our connections. */
export async function assertPortFree(place: Place): Promise<void> {
  const server = createServer();
  await listenOn(server, place);
  server.close();
  await once(server, "close");
}
