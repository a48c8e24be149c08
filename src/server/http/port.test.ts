import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { SettingsError } from "#server/platform/env.ts";
import { limits } from "#server/platform/limits.ts";
import { boundConnections } from "./connections.ts";
import { assertPortFree, openPort } from "./port.ts";

const HOST = "127.0.0.1";
const isLinux = process.platform === "linux";

async function freePort(): Promise<number> {
  const server = createServer().listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function open(prepare = (_: ReturnType<typeof createHttpServer>) => {}) {
  const server = createHttpServer((_, response) => response.end("served"));
  prepare(server);
  const PORT = await freePort();
  const port = await openPort(server, { HOST, PORT });
  onTestFinished(() => {
    server.closeAllConnections();
    return port.close();
  });
  return { server, port, place: { HOST, PORT } };
}

/** Connects clients together. They are closed with the test. */
function connectMany(count: number, port: number): Socket[] {
  const sockets = Array.from({ length: count }, () =>
    connect(port, HOST)
      .on("error", () => {})
      .resume(),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return sockets;
}

describe.skipIf(!isLinux)("a port with several sockets", () => {
  test("accepts many connections in a turn of the event loop", async () => {
    const { server, place } = await open();
    const clients = 20 * limits.http.connections.socketsPerPort;
    let [turns, accepted, isCounting] = [0, 0, true];
    const count = () => {
      if (accepted > 0) turns++;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const all = Promise.withResolvers<void>();
    server.on("connection", () => {
      accepted++;
      if (accepted === clients) all.resolve();
    });
    connectMany(clients, place.PORT);
    await all.promise;
    isCounting = false;
    expect(turns).toBeLessThan(clients / 4);
  });

  test("serves what each of them accepts, and closes connections beyond the maximum of all", async () => {
    let dropped = 0;
    const max = 40;
    const { place } = await open((server) => boundConnections(server, () => dropped++, max));
    const sockets = connectMany(3 * max, place.PORT);
    await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(2 * max);
    expect(dropped).toBe(2 * max);
    const held = sockets.filter(({ closed }) => !closed);
    const answers = held.map((socket) => once(socket, "data"));
    for (const socket of held) socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(new Set((await Promise.all(answers)).map(([part]) => String(part).slice(0, 15)))).toEqual(
      new Set(["HTTP/1.1 200 OK"]),
    );
    for (const socket of held) socket.destroy();
    // Ended connections make room.
    await expect.poll(async () => (await fetch(`http://${HOST}:${place.PORT}`)).status).toBe(200);
  });

  test("is refused to another program, even to one that would share it", async () => {
    const { place } = await open();
    await expect(assertPortFree(place)).rejects.toThrow(SettingsError);
    await expect(openPort(createHttpServer(), place)).rejects.toThrow(
      `PORT ${place.PORT} on ${HOST} is in use`,
    );
  });
});

test("a closed port accepts nothing, finishes what it has, and is free afterwards", async () => {
  const { server, port, place } = await open();
  server.removeAllListeners("request");
  const [client] = connectMany(1, place.PORT);
  client?.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const [, response] = await once(server, "request");
  let isClosed = false;
  const closed = port.close().then(() => {
    isClosed = true;
  });
  expect(port.close()).toBe(port.close());
  await assertPortFree(place);
  expect(isClosed).toBe(false);
  response.end("finished");
  await closed;
});
