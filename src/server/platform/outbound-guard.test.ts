import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "#test/until.ts";
import { isAllowedHost } from "./address-guard.ts";
import { clock } from "./clock.ts";
import { allowedHosts, mayConnect, Outbound, OutboundError } from "./outbound.ts";

const nobody = allowedHosts([]);

describe("forbidden addresses", () => {
  test.each([
    // This host, loopback, private and link-local IPv4, the metadata services of clouds
    "0.0.0.0",
    "0.1.2.3",
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "169.254.170.2",
    "100.64.0.1",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    // Documentation, benchmarking, multicast, reserved, broadcast
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "198.18.0.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    // The same in IPv6
    "::",
    "::1",
    "fe80::1",
    "fc00::1",
    "fd00:ec2::254",
    "ff02::1",
    "2001:db8::1",
    "fec0::1",
    // IPv4 inside IPv6: mapped, translated, 6to4, Teredo
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "0:0:0:0:0:ffff:7f00:1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "::127.0.0.1",
    "::a00:1",
    "::ffff:0:127.0.0.1",
    "64:ff9b:1::7f00:1",
    "64:ff9b:1:ffff::a00:1",
    // What the registries set apart since: ORCHID, SRv6, discard only, documentation, the clouds' own
    "100::1",
    "2001:10::1",
    "2001:20::1",
    "3fff::1",
    "5f00::1",
    "192.88.99.1",
    "192.31.196.1",
    "192.52.193.1",
    "192.175.48.1",
    "fd20:ce::254",
    "febf::1",
    "feff::1",
  ])("%s is refused", (address) => {
    expect(mayConnect(address, 443, nobody)).toBe(false);
  });

  test.each([
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "2606:4700::1111",
    "::ffff:1.1.1.1",
  ])("%s is public", (address) => {
    expect(mayConnect(address, 443, nobody)).toBe(true);
  });

  test("what the operator allows is allowed, and nothing beside it", () => {
    const allowed = allowedHosts(["10.0.8.0/24", "192.168.1.5", "fd00:1::/32", "ollama.internal"]);
    expect(
      ["10.0.8.7", "192.168.1.5", "fd00:1::9", "::ffff:10.0.8.7"].map((ip) => mayConnect(ip, 443, allowed)),
    ).toEqual([true, true, true, true]);
    expect(["10.0.9.1", "192.168.1.6", "fd00:2::1"].map((ip) => mayConnect(ip, 443, allowed))).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe("a host that is allowed", () => {
  test.each([
    { entry: "10.0.8.5", opens: ["10.0.8.5:80", "10.0.8.5:8000"], closed: ["10.0.8.6:80"] },
    { entry: "10.0.8.5:8000", opens: ["10.0.8.5:8000"], closed: ["10.0.8.5:80", "10.0.8.5:8001"] },
    { entry: "10.0.8.0/24", opens: ["10.0.8.5:80", "10.0.8.200:8000"], closed: ["10.0.9.5:80"] },
    { entry: "fd00::5", opens: ["[fd00::5]:80", "[fd00::5]:8000"], closed: ["[fd00::6]:80"] },
    { entry: "[fd00::5]", opens: ["[fd00::5]:80"], closed: ["[fd00::6]:80"] },
    { entry: "[fd00::5]:8000", opens: ["[fd00::5]:8000"], closed: ["[fd00::5]:80", "[fd00::6]:8000"] },
    { entry: "127.0.0.1:11434", opens: ["127.0.0.1:11434"], closed: ["127.0.0.1:5432", "127.0.0.2:11434"] },
    { entry: "localhost:443", opens: ["localhost"], closed: ["localhost:5432", "127.0.0.1"] },
    { entry: "LOCALHOST.", opens: ["localhost", "localhost:5432"], closed: ["127.0.0.1:5432"] },
  ])("as $entry opens that and nothing beside it", async ({ entry, opens, closed }) => {
    const outbound = new Outbound(allowedHosts([entry]));
    for (const host of opens) expect(await outbound.refusal(new URL(`https://${host}/`)), host).toBeNull();
    for (const host of closed)
      expect(await outbound.refusal(new URL(`https://${host}/`)), host).toMatch(
        /is not a public address, and ALLOW_PRIVATE_HOSTS does not name it$/,
      );
  });

  test.each([
    "",
    "http://10.0.8.5",
    "10.0.0.0/99",
    "10.0.0.0/8:80",
    "gpu:0",
    "gpu:65536",
    "gpu:http",
    "[gpu]:80",
    "a b",
    "fd00::5]:1",
    "-",
  ])("cannot be written as '%s'", (entry) => {
    expect(isAllowedHost(entry)).toBe(false);
    expect(() => allowedHosts([entry])).toThrow(RangeError);
  });

  test("with a port may be spoken to without TLS there alone, where others need TLS", async () => {
    const outbound = new Outbound(allowedHosts(["10.0.8.5:4318", "localhost:4318"]), {
      secureOnly: true,
      setting: "ALLOW_PRIVATE_DESTINATIONS",
    });
    const refusal = (url: string) => outbound.refusal(new URL(url));
    expect(await refusal("http://10.0.8.5:4318/")).toBeNull();
    expect(await refusal("http://localhost:4318/")).toBeNull();
    for (const url of [
      "http://10.0.8.5/",
      "http://localhost:4317/",
      "http://1.1.1.1/",
      "https://1.1.1.1:4318/",
    ])
      expect(await refusal(url), url).toContain("ALLOW_PRIVATE_DESTINATIONS");
  });
});

describe("where a request goes", () => {
  const seen: string[] = [];
  let server: Server;
  let port = 0;

  beforeAll(async () => {
    server = createServer((req, res) => {
      seen.push(`${req.method} ${req.url}`);
      if (req.url?.startsWith("/redirect/")) {
        res.writeHead(Number(req.url.slice("/redirect/".length)), {
          location: `http://127.0.0.1:${port}/secret`,
        });
      }
      res.end("hello");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  async function sendWith(allowed: readonly string[], url: string) {
    const outbound = new Outbound(allowedHosts(allowed));
    try {
      const response = await outbound.send({
        url: new URL(url),
        method: "GET",
        headers: {},
        firstByteTimeoutMs: 5000,
        idleTimeoutMs: 5000,
        deadlineMs: clock.monotonicMs() + 5000,
      });
      return { status: response.status, text: await response.text(1000) };
    } finally {
      await outbound.close();
    }
  }

  test.each([
    "http://127.0.0.1:PORT/",
    "http://127.1:PORT/",
    "http://0x7f000001:PORT/",
    "http://2130706433:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://[::1]:PORT/",
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://0.0.0.0:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127。0。0。1:PORT/",
    "http://１２７.0.0.1:PORT/",
    "http://017700000001:PORT/",
    "http://0x7f.0.0.0x1:PORT/",
    "http://127.0.1:PORT/",
    "http://0:PORT/",
    "http://[::]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://[64:ff9b:1::127.0.0.1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/",
    "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/",
    "http://%6c%6f%63%61%6c%68%6f%73%74:PORT/",
    "http://example.com@127.0.0.1:PORT/",
    "http://127.0.0.1:PORT\\@example.com/",
    "gopher://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "http://①②⑦.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST:PORT/",
    "http://user:secret@127.0.0.1:PORT/",
    "http://user@example.com/",
    "ftp://127.0.0.1:PORT/",
    "file:///etc/passwd",
  ])("%s is never connected to", async (url) => {
    const before = seen.length;
    await expect(sendWith([], url.replace("PORT", String(port)))).rejects.toMatchObject({
      failure: "blocked",
    });
    expect(seen).toHaveLength(before);
  });

  test("a name with a dot at its end is not connected to either, whether it resolves or not", async () => {
    const before = seen.length;
    await expect(sendWith([], `http://localhost.:${port}/`)).rejects.toBeInstanceOf(OutboundError);
    expect(seen).toHaveLength(before);
  });

  test("a name that resolves to a private address is reached only when it is allowed", async () => {
    expect(await sendWith(["localhost"], `http://localhost:${port}/`)).toEqual({
      status: 200,
      text: "hello",
    });
    expect(await sendWith(["127.0.0.0/8", "::1"], `http://localhost:${port}/`)).toMatchObject({
      status: 200,
    });
    expect(await sendWith(["127.0.0.1"], `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200 });
  });

  test("an address is connected to on the ports that are allowed only, by name and by number", async () => {
    const before = seen.length;
    for (const host of ["localhost", "127.0.0.1"]) {
      expect(await sendWith([`${host}:${port}`], `http://${host}:${port}/`)).toMatchObject({ status: 200 });
      await expect(sendWith([`${host}:${port - 1}`], `http://${host}:${port}/`)).rejects.toMatchObject({
        failure: "blocked",
        message: expect.stringContaining("ALLOW_PRIVATE_HOSTS"),
      });
    }
    expect(seen).toHaveLength(before + 2);
  });

  test("credentials in an address are refused even where the host is allowed", async () => {
    await expect(sendWith(["127.0.0.1"], `http://user:secret@127.0.0.1:${port}/`)).rejects.toMatchObject({
      failure: "blocked",
    });
  });

  test.each([301, 302, 303, 307, 308])("a redirect with %i is returned, never followed", async (status) => {
    const before = seen.length;
    expect(await sendWith(["127.0.0.1"], `http://127.0.0.1:${port}/redirect/${status}`)).toMatchObject({
      status,
    });
    await until(() => expect(seen).toHaveLength(before + 1));
    expect(seen).not.toContain("GET /secret");
  });

  test("a port without a listener is refused", async () => {
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const free = (closed.address() as AddressInfo).port;
    await new Promise((resolve) => closed.close(resolve));
    await expect(sendWith(["127.0.0.1"], `http://127.0.0.1:${free}/`)).rejects.toMatchObject({
      failure: "connect",
    });
  });
});
