import { once } from "node:events";
import type { Server } from "node:http";

/** Serves on a free loopback port, prints the origin as the first line, ends on SIGTERM. */
export async function serve(server: Server): Promise<void> {
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
  process.once("SIGTERM", () => process.exit(0));
}
