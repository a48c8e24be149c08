import ipaddr from "ipaddr.js";

export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** An address or CIDR range. Throws for anything else. */
export function addressRange(text: string): AddressRange {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

export const isAddressRange = (text: string): boolean => ipaddr.isValidCIDR(text) || ipaddr.isValid(text);

/** Networks where a peer is a reverse proxy rather than a client. */
const inner: ReadonlySet<string> = new Set([
  "loopback",
  "private",
  "linkLocal",
  "uniqueLocal",
  "carrierGradeNat",
]);

/**
 * Whether an address stands for one client. Without trusted proxies an inner address may be that of a proxy, through
 * which everybody comes; and a trusted proxy that names nobody speaks for all behind it.
 */
export function isOneClient(address: string | null, trusted: readonly AddressRange[]): boolean {
  if (address === null || !ipaddr.isValid(address)) return false;
  const known = ipaddr.process(address);
  if (trusted.length === 0) return !inner.has(known.range());
  return !trusted.some(([range, bits]) => range.kind() === known.kind() && known.match(range, bits));
}

/** Finds a request's origin from its socket's address and `X-Forwarded-For`. */
export type PeerAddress = (
  socketAddress: string | undefined,
  forwardedFor: string | string[] | undefined,
) => string | null;

/**
 * The socket's address. If that is a trusted proxy, the last address of `X-Forwarded-For` that is not a trusted proxy:
 * a client can forge everything before it.
 */
export function createPeerAddress(trusted: readonly AddressRange[]): PeerAddress {
  const isTrusted = (text: string): boolean => {
    const address = ipaddr.process(text);
    return trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
  };
  return (socketAddress, forwardedFor) => {
    if (socketAddress === undefined) return null;
    if (trusted.length === 0 || forwardedFor === undefined || !isTrusted(socketAddress)) return socketAddress;
    let known = socketAddress;
    const hops = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : forwardedFor).split(",").reverse();
    for (const hop of hops) {
      const address = hop.trim();
      if (!ipaddr.isValid(address)) return known;
      known = ipaddr.process(address).toString();
      if (!isTrusted(known)) return known;
    }
    return known;
  };
}
