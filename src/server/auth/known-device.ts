import { z } from "zod";
import { sha256 } from "#server/platform/crypto.ts";
import { randomHex } from "#server/platform/ids.ts";
import type { RowSeal } from "#server/platform/row-seal.ts";

/** The purpose the key of the cookie is derived for. */
export const devicePurpose = "sign-in device";

/** A browser and the accounts that signed in with it, as digests of their names. */
const Device = z.object({
  id: z.string().max(64),
  accounts: z.array(z.string().max(64)).max(8),
  signature: z.string().max(128),
});
type Device = z.infer<typeof Device>;

const accountsMax = 5;

/** `Max-Age` of the cookie. After that time the browser is unknown again. */
export const deviceSeconds = 180 * 24 * 60 * 60;

const digestOf = (account: string): string => sha256(account.trim().toLowerCase()).slice(0, 16);

function read(text: string | null | undefined): Device | null {
  if (!text) return null;
  try {
    return Device.parse(JSON.parse(Buffer.from(text, "base64url").toString("utf8")));
  } catch {
    // An invalid cookie counts as none.
    return null;
  }
}

/**
 * Browsers that accounts have signed in with, identified by a signed cookie, so that guesses of strangers do not delay
 * a person there. The cookie gives no access: the password is still required.
 */
export function knownDevices(seal: RowSeal) {
  const held = (cookie: string | null | undefined): Device | null => {
    const device = read(cookie);
    const holds = device && seal.check([device.id, ...device.accounts], device.signature) === "holds";
    return holds ? device : null;
  };
  return {
    /** The ID of a known browser. Null without a valid cookie. */
    idOf: (cookie: string | null | undefined): string | null => held(cookie)?.id ?? null,
    /** The browser's ID if the account has signed in with it, else null. */
    idFor(cookie: string | null | undefined, account: string): string | null {
      const device = held(cookie);
      return device?.accounts.includes(digestOf(account)) ? device.id : null;
    },
    /** The cookie after a sign-in to an account. */
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

/** The name of the cookie. `secure` is the same as for the session cookie. */
export const deviceCookieName = (secure: boolean): string =>
  secure ? "__Host-portolan_device" : "portolan_device";
