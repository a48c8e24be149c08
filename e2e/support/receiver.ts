import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Somebody's webhook on this machine, with every body it was sent. */
export async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer((req, res) => {
    let body = "";
    req.setEncoding("utf8");
    req.on("data", (text: string) => {
      body += text;
    });
    req.on("end", () => {
      bodies.push(body);
      res.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/traces`,
    bodies,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
