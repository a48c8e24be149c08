import cluster from "node:cluster";
import { once } from "node:events";
import type { Server as HttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { type Config, SettingsError } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";

type Place = Pick<Config, "HOST" | "PORT">;

const { acceptQueueMax, socketsPerPort } = limits.http.connections;

/**
 * Several sockets listen on the port, and the kernel distributes connections (SO_REUSEPORT): those of each worker,
 * because connections to a worker that dies would otherwise be neither answered nor closed, and several of each
 * process.
 */
const sharesPort = ({ PORT }: Place): boolean => process.platform === "linux" && PORT !== 0;

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

/** Begins to listen. Throws `SettingsError` if host or port are not available. */
async function listen(server: Server, { HOST, PORT }: Place, reusePort: boolean): Promise<void> {
  server.listen({ host: HOST, port: PORT, reusePort, backlog: acceptQueueMax });
  try {
    await once(server, "listening");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const problem = problems[code]?.({ HOST, PORT });
    throw problem === undefined ? error : new SettingsError([problem]);
  }
}

/** Accepts nothing new. Resolves when all connections have ended. */
async function closeSocket(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  await closed;
}

/** Refuses a port that other programs have open, even shared: they would get some of our connections. */
export async function assertPortFree(place: Place): Promise<void> {
  const server = createServer();
  await listen(server, place, false);
  await closeSocket(server);
}

/** A further socket of the port, whose connections `server` serves. With the options of its own connections. */
const furtherSocket = (server: HttpServer): Server =>
  createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket));

export interface OpenPort {
  readonly origin: string;
  /** Accepts nothing new. Resolves when all connections have ended. */
  readonly close: () => Promise<void>;
}

/**
 * Begins to listen, with several sockets where the port can be shared: Node accepts one connection of a socket in each
 * turn of the event loop, so with one socket new clients wait while many streams make turns long.
 */
export async function openPort(server: HttpServer, place: Place): Promise<OpenPort> {
  const isShared = sharesPort(place);
  // Workers share the port that their supervisor found free.
  if (isShared && !cluster.isWorker) await assertPortFree(place);
  const further = Array.from({ length: isShared ? socketsPerPort - 1 : 0 }, () => furtherSocket(server));
  const sockets = [server, ...further];
  for (const socket of sockets) await listen(socket, place, isShared);
  const { port } = server.address() as AddressInfo;
  const { HOST } = place;
  let closed: Promise<void> | undefined;
  return {
    origin: `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${port}`,
    close() {
      closed ??= Promise.all(sockets.map(closeSocket)).then(() => {});
      return closed;
    },
  };
}
