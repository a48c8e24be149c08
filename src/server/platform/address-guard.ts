import { lookup as resolveHost } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { OutboundError } from "./outbound-error.ts";

/** Which private addresses may be reached although private, by host name, address or CIDR. */
export interface AllowedHosts {
  readonly names: ReadonlySet<string>;
  readonly ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of entries) {
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (ipaddr.isValid(entry)) {
      const address = ipaddr.parse(entry);
      ranges.push([address, address.kind() === "ipv4" ? 32 : 128]);
    } else names.add(entry.toLowerCase());
  }
  return { names, ranges };
}

const inRanges = (address: ipaddr.IPv4 | ipaddr.IPv6, { ranges }: AllowedHosts): boolean =>
  ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));

// Look public and are not (R15): an address of Azure's own, and IPv4 inside IPv6 as it was once written.
const apart = allowedHosts(["168.63.129.16", "::/96"]);

/** True when the address is unicast and public, or explicitly allowed. IPv4 inside IPv6 counts as IPv4 (R15). */
export function mayConnect(text: string, allowed: AllowedHosts): boolean {
  const address = ipaddr.process(text);
  if (inRanges(address, allowed)) return true;
  return address.range() === "unicast" && !inRanges(address, apart);
}

/** Without the dot at its end that makes a name absolute, and without IPv6's brackets (R13). */
const bareHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");

/** Resolves and checks every address, and hands only the checked ones to connect: there is no second look-up (R14). */
export function guardedLookup(allowed: AllowedHosts): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const open = allowed.names.has(bareHost(hostname));
      const blocked = addresses.find(({ address }) => !open && !mayConnect(address, allowed));
      const first = addresses[0];
      if (blocked || !first)
        return callback(new OutboundError("blocked", `${hostname} is not a public address`), "", 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

export interface GuardOptions {
  /** Hosts that are not allowed by name are reached by https on port 443 only (R16). */
  readonly secureOnly?: boolean;
  /** The setting that allows private hosts, named in refusals. */
  readonly setting?: string;
}

/** What the look-up hook never sees: addresses written as such, foreign schemes and ports, credentials in the URL. */
export function checkUrl(
  url: URL,
  allowed: AllowedHosts,
  { setting = "ALLOW_PRIVATE_HOSTS", secureOnly = false }: GuardOptions,
): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new OutboundError("blocked", "Only http and https");
  if (url.username || url.password) throw new OutboundError("blocked", "No credentials in URLs");
  const host = bareHost(url.hostname);
  const literal = isIP(host) !== 0;
  if (literal && !mayConnect(host, allowed)) {
    throw new OutboundError("blocked", `${host} is not a public address; see ${setting}`);
  }
  const trusted = allowed.names.has(host) || (literal && inRanges(ipaddr.process(host), allowed));
  if (secureOnly && !trusted && (url.protocol !== "https:" || url.port !== "")) {
    throw new OutboundError("blocked", `Only https on port 443, unless ${setting} names ${host}`);
  }
}

/**
 * Why nothing will be sent to a URL, or null. Every connection is checked again. A name that does not resolve now may
 * do so later.
 */
export async function refusalOf(
  url: URL,
  allowed: AllowedHosts,
  options: GuardOptions,
): Promise<string | null> {
  try {
    checkUrl(url, allowed, options);
  } catch (error) {
    if (error instanceof OutboundError) return error.message;
    throw error;
  }
  const host = bareHost(url.hostname);
  if (isIP(host)) return null;
  return new Promise((resolve) => {
    guardedLookup(allowed)(host, { all: true }, (error) =>
      resolve(error instanceof OutboundError ? error.message : null),
    );
  });
}
