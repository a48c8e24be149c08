import { expect, test } from "vitest";
import { addressRange, createPeerAddress, isAddressRange, isOneClient } from "./peer-address.ts";

const ranges = ["10.0.0.0/8", "::1", "2001:db8:1::/48"].map(addressRange);
const peerAddress = createPeerAddress(ranges);

test.each([
  ["a stranger's own word counts for nothing", "203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["a trusted proxy is believed", "10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["also when it speaks IPv4 inside IPv6", "::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
  ["what a client wrote before the proxy's word is not", "10.0.0.1", "1.1.1.1, 198.51.100.1", "198.51.100.1"],
  ["a chain of trusted proxies is followed", "10.0.0.1", "198.51.100.1, 10.2.3.4", "198.51.100.1"],
  ["IPv6 works as well", "::1", "2001:db8:2::7", "2001:db8:2::7"],
  ["rubbish ends the walk", "10.0.0.1", "198.51.100.1, <script>", "10.0.0.1"],
  ["a proxy that asks by itself is itself", "10.0.0.1", undefined, "10.0.0.1"],
  ["proxies only: the first of them", "10.0.0.1", "10.0.0.7,10.0.0.6", "10.0.0.7"],
])("%s", (_, socket, forwarded, expected) => {
  expect(peerAddress(socket, forwarded)).toBe(expected);
});

test("no proxy is trusted unless named, and a closed socket has no address", () => {
  expect(createPeerAddress([])("127.0.0.1", "198.51.100.1")).toBe("127.0.0.1");
  expect(peerAddress(undefined, "198.51.100.1")).toBeNull();
});

test("addresses and ranges are distinguished from names", () => {
  expect(["10.0.0.1", "10.0.0.0/8", "fd00::/8"].every(isAddressRange)).toBe(true);
  expect(["proxy.example.eu", "10.0.0.0/33", ""].some(isAddressRange)).toBe(false);
});

test.each([
  ["a public address is one client", "203.0.113.9", [], true],
  ["so is one of IPv6", "2001:db8:2::7", [], true],
  ["an inner one may be a proxy's, through which everybody comes", "10.0.0.1", [], false],
  ["so may the machine's own", "127.0.0.1", [], false],
  ["and one inside IPv6", "::ffff:192.168.0.7", [], false],
  ["with proxies named, an inner address is a client's", "192.168.0.7", ranges, true],
  ["but a named proxy that names nobody is not", "10.0.0.1", ranges, false],
  ["nor is a closed socket", null, [], false],
] as const)("%s", (_, address, trusted, expected) => {
  expect(isOneClient(address, trusted)).toBe(expected);
});
