import { z } from "zod";
import { sha256 } from "#server/platform/crypto.ts";
import { randomHex } from "#server/platform/ids.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";

/** What the key of the cookie is derived for. */
export const devicePurpose = "sign-in device";

/** A browser that was signed in with before, and to which accounts: digests of their names. */
const Device = z.object({
  id: z.string().max(64),
  accounts: z.array(z.string().max(64)).max(8),
  signature: z.string().max(128),
});
type Device = z.infer<typeof Device>;

const accountsMax = 5;

/** `Max-Age` of the cookie: who was away for longer is a stranger again. */
export const deviceSeconds = 180 * 24 * 60 * 60;

const digestOf = (account: string): string => sha256(account.trim().toLowerCase()).slice(0, 16);

function read(text: string | null | undefined): Device | null {
  if (!text) return null;
  try {
    return Device.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    // Whatever a client makes up counts as no cookie.
    return null;
  }
}

/**
 * Browsers that somebody has signed in with, told by a signed cookie: strangers who guess at an account, or at all of
 * them, do not hold up a person there. The cookie opens nothing; the password is asked for as ever.
 */
export function knownDevices(seal: RowSeal) {
  const held = (cookie: string | null | undefined): Device | null => {
    const device = read(cookie);
    const holds = device && seal.standing([device.id, ...device.accounts], device.signature) === "holds";
    return holds ? device : null;
  };
  return {
    /** The id of any such browser; null for who sends no cookie of ours. */
    idOf: (cookie: string | null | undefined): string | null => held(cookie)?.id ?? null,
    /** The browser's id when the account was signed in to with it; null otherwise. */
    idFor(cookie: string | null | undefined, account: string): string | null {
      const device = held(cookie);
      return device?.accounts.includes(digestOf(account)) ? device.id : null;
    },
    /** The cookie after somebody has signed in to an account. */
    after(cookie: string | null | undefined, account: string): string {
      const { id, accounts: before } = held(cookie) ?? { id: randomHex(16), accounts: [] };
      const own = digestOf(account);
      const accounts = [own, ...before.filter((each) => each !== own)].slice(0, accountsMax);
      const device: Device = { id, accounts, signature: seal.sign([id, ...accounts]) };
      return Buffer.from(JSON.stringify(device)).toString("base64url");
    },
  };
}
export type KnownDevices = ReturnType<typeof knownDevices>;

/** The name of the cookie; `secure` as that of the session. */
export const deviceCookieName = (secure: boolean): string =>
  secure ? "__Host-portolan_device" : "portolan_device";
