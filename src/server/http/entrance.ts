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

/** The checks that a request of `/api/auth` must pass first. */
export function createEntrance({ config, devices, log, peerAddress, rates }: Services) {
  const trusted = config.TRUSTED_PROXIES.map(addressRange);
  const deviceCookie = deviceCookieName(isSecure(config));
  /** Running attempts, of each known browser and of all others together. */
  const underWay = new Map<string, number>();
  let isWarned = false;

  function warnOnce(req: IncomingMessage): void {
    if (isWarned || trusted.length > 0 || req.headers["x-forwarded-for"] === undefined) return;
    isWarned = true;
    log.warn(
      { event: "sign_in" },
      "Requests come through a proxy that TRUSTED_PROXIES does not name, so sign-ins are not limited by address",
    );
  }

  return {
    /** The origin of a request, as the audit log stores it. */
    addressOf: (req: IncomingMessage): string | null =>
      peerAddress(req.socket.remoteAddress, req.headers["x-forwarded-for"]),

    /**
     * Admits a request for the duration of `work`. Throws RATE_LIMIT_EXCEEDED for an address with too many attempts,
     * and SERVICE_UNAVAILABLE if too many run at once: known browsers have their own places.
     */
    async pass<T>(req: IncomingMessage, attempt: boolean, work: () => Promise<T>): Promise<T> {
      warnOnce(req);
      const address = this.addressOf(req);
      await waitFor(rates.admitEntrance(isOneClient(address, trusted) ? address : null, attempt));
      if (!attempt) return work();
      const { strangersAtOnce, perDeviceAtOnce } = limits.signIn;
      const device = devices.idOf(cookieIn(req.headers.cookie, deviceCookie));
      const who = device ?? "strangers";
      // Known browsers have their own queue for the database too, apart from others at the same address.
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
