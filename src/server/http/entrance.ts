import type { IncomingMessage } from "node:http";
import type { Services } from "#server/api/services.ts";
import { deviceCookieName } from "#server/auth/known-device.ts";
import { isSecure } from "#server/auth/sign-in.ts";
import { queueAs, waitFor } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { addressRange, isOneClient } from "#server/platform/peer-address.ts";

const cookieIn = (header: string | undefined, name: string): string | undefined =>
  header
    ?.split(";")
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);

const busy = () =>
  new AppError("SERVICE_UNAVAILABLE", "Too many sign-ins at once. Try again in a moment.", {
    headers: { "retry-after": "2" },
  });

/** What a request of `/api/auth` has to pass before it is looked at. */
export function createEntrance({ config, devices, log, peerAddress, rates }: Services) {
  const trusted = config.TRUSTED_PROXIES.map(addressRange);
  const deviceCookie = deviceCookieName(isSecure(config));
  /** Attempts under way, of each known browser and of all strangers together. */
  const underWay = new Map<string, number>();
  let isWarned = false;

  function warnOnce(req: IncomingMessage): void {
    if (isWarned || trusted.length > 0 || req.headers["x-forwarded-for"] === undefined) return;
    isWarned = true;
    log.warn(
      { event: "sign_in" },
      "Requests come through a proxy that TRUSTED_PROXIES does not name: sign-ins are not limited by address",
    );
  }

  return {
    /** Where a request comes from, as the audit log keeps it. */
    addressOf: (req: IncomingMessage): string | null =>
      peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]),

    /**
     * Lets a request in while `work` lasts. Throws RATE_LIMIT_EXCEEDED for an address that asks too often, and
     * SERVICE_UNAVAILABLE when too many try at once: browsers that were signed in with before have room beside those.
     */
    async pass<T>(req: IncomingMessage, attempt: boolean, work: () => Promise<T>): Promise<T> {
      warnOnce(req);
      const address = this.addressOf(req);
      await waitFor(rates.admitEntrance(isOneClient(address, trusted) ? address : null, attempt));
      if (!attempt) return work();
      const { strangersAtOnce, perDeviceAtOnce } = limits.signIn;
      const device = devices.idOf(cookieIn(req.headers.cookie, deviceCookie));
      const who = device ?? "strangers";
      // A crowd of strangers at the same address does not take their turns in the database either.
      if (device !== null) queueAs(`device ${device}`);
      const before = underWay.get(who) ?? 0;
      if (before >= (device === null ? strangersAtOnce : perDeviceAtOnce)) throw busy();
      underWay.set(who, before + 1);
      try {
        return await work();
      } finally {
        const left = (underWay.get(who) ?? 1) - 1;
        if (left > 0) underWay.set(who, left);
        else underWay.delete(who);
      }
    },
  };
}
