import { lookup as resolveHost } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";
import { OutboundError } from "./outbound-error.ts";

export interface GuardOptions {
  /** Hosts that are not allowed by name are reached by https on port 443 only. */
  readonly secureOnly?: boolean;
  /** The setting that allows private hosts, named in refusals. */
  readonly setting: string;
}

/** Without the dot at its end that makes a name absolute, and without IPv6's brackets. */
const bareHost = (hostname: string): string =>
  hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, "")
    .replace(/\.$/, "");

const notPublic = (host: string, setting: string): string =>
  `${host} is not a public address, and ${setting} does not name it`;

/** A host that may be reached although private: by its name, or by its address or range. `port` null = any. */
interface AllowedHost {
  readonly name: string | null;
  readonly range: readonly [ipaddr.IPv4 | ipaddr.IPv6, number] | null;
  readonly port: number | null;
}
export type AllowedHosts = readonly AllowedHost[];

const bracketedForm = /^\[([^\]]+)\](?::(\d{1,5}))?$/;
const plainForm = /^([^:]+):(\d{1,5})$/;

/** Reads `host`, `address`, `range`, `host:port` or `[IPv6]:port`; null when it is none of them. */
function parseAllowed(entry: string): AllowedHost | null {
  const bracketed = bracketedForm.exec(entry);
  const [, host = entry, digits] = bracketed ?? plainForm.exec(entry) ?? [];
  const port = digits === undefined ? null : Number(digits);
  if (port !== null && (port < 1 || port > 65_535)) return null;
  if (port === null && ipaddr.isValidCIDR(host)) return { name: null, range: ipaddr.parseCIDR(host), port };
  if (ipaddr.isValid(host)) {
    const address = ipaddr.parse(host);
    return { name: null, range: [address, address.kind() === "ipv4" ? 32 : 128], port };
  }
  if (bracketed || !/^\w([\w.-]*\w)?\.?$/.test(host)) return null;
  return { name: bareHost(host), range: null, port };
}

/** Whether a text names what `allowedHosts` takes. */
export const isAllowedHost = (entry: string): boolean => parseAllowed(entry) !== null;

/** Throws `RangeError` for what is neither a host, an address nor a range. */
export const allowedHosts = (entries: readonly string[]): AllowedHosts =>
  entries.map((entry) => {
    const allowed = parseAllowed(entry);
    if (!allowed) throw new RangeError(`${entry} is no host, address or range`);
    return allowed;
  });

const isOnPort = (allowed: AllowedHost, port: number): boolean =>
  allowed.port === null || allowed.port === port;

const isNamed = (host: string, port: number, allowed: AllowedHosts): boolean =>
  allowed.some((one) => one.name === host && isOnPort(one, port));

const isInRange = (address: ipaddr.IPv4 | ipaddr.IPv6, port: number, allowed: AllowedHosts): boolean =>
  allowed.some(
    (one) =>
      one.range !== null &&
      one.range[0].kind() === address.kind() &&
      address.match(one.range[0], one.range[1]) &&
      isOnPort(one, port),
  );

// Look public and are not: an address of Azure's own, and IPv4 inside IPv6 as it was once written.
const apart = allowedHosts(["168.63.129.16", "::/96"]);

/** True when the address is unicast and public, or allowed on this port. IPv4 inside IPv6 counts as IPv4. */
export function mayConnect(text: string, port: number, allowed: AllowedHosts): boolean {
  const address = ipaddr.process(text);
  if (isInRange(address, port, allowed)) return true;
  return address.range() === "unicast" && !isInRange(address, port, apart);
}

/** The port a URL leads to. */
const portOf = ({ protocol, port }: URL): number =>
  port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);

/**
 * For connections to the port of one URL: resolves and checks every address, and hands only the checked ones to
 * connect. There is no second look-up.
 */
export function guardedLookup(to: URL, allowed: AllowedHosts, { setting }: GuardOptions): LookupFunction {
  const port = portOf(to);
  return (hostname, options, callback) => {
    resolveHost(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "", 0);
      const open = isNamed(bareHost(hostname), port, allowed);
      const blocked = addresses.find(({ address }) => !open && !mayConnect(address, port, allowed));
      const first = addresses[0];
      if (blocked || !first)
        return callback(new OutboundError("blocked", notPublic(hostname, setting)), "", 0);
      if (options.all) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

/** What the look-up hook never sees: addresses written as such, foreign schemes and ports, credentials in the URL. */
export function checkUrl(
  url: URL,
  allowed: AllowedHosts,
  { setting, secureOnly = false }: GuardOptions,
): void {
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new OutboundError("blocked", "Only http and https");
  if (url.username || url.password) throw new OutboundError("blocked", "No credentials in URLs");
  const host = bareHost(url.hostname);
  const port = portOf(url);
  const literal = isIP(host) !== 0;
  if (literal && !mayConnect(host, port, allowed))
    throw new OutboundError("blocked", notPublic(url.host, setting));
  const trusted = isNamed(host, port, allowed) || (literal && isInRange(ipaddr.process(host), port, allowed));
  if (secureOnly && !trusted && (url.protocol !== "https:" || url.port !== "")) {
    throw new OutboundError("blocked", `Only https on port 443, unless ${setting} names ${url.host}`);
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
    guardedLookup(url, allowed, options)(host, { all: true }, (error) =>
      resolve(error instanceof OutboundError ? error.message : null),
    );
  });
}
