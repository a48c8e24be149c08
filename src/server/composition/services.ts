import { createNotifications, type Notifications } from "#server/accounts/index.ts";
import { type Alerts, openAlerts } from "#server/alerts/index.ts";
import { Idempotency } from "#server/api/idempotency.ts";
import type { Services } from "#server/api/services.ts";
import { devicePurpose, knownDevices } from "#server/auth/known-device.ts";
import { RateLimiter } from "#server/auth/rate-limiter.ts";
import { RateLimits } from "#server/auth/rate-limits.ts";
import type { Catalogues } from "#server/catalog/index.ts";
import type { InferenceDeps } from "#server/inference/index.ts";
import { ByteBudget } from "#server/platform/byte-budget.ts";
import { FailureWindow } from "#server/platform/failure-window.ts";
import { limits } from "#server/platform/limits.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { createRowSeal } from "#server/platform/row-seal.ts";
import { version } from "#server/platform/version.ts";
import { subjectPurpose } from "#server/subjects/index.ts";
import { createLogSigner, Sequencer } from "#server/transparency/index.ts";
import type { Accounts } from "./accounts.ts";
import type { Responses } from "./inference.ts";
import type { Money } from "./money.ts";
import type { Opening } from "./opening.ts";
import type { Prepared } from "./prepare.ts";
import type { Storage } from "./storage.ts";

/** Everything opened so far. */
export interface Opened {
  readonly prepared: Prepared;
  readonly storage: Storage;
  readonly accounts: Accounts;
  readonly money: Money;
  readonly catalogues: Catalogues;
  readonly inference: InferenceDeps;
  readonly responses: Responses;
}

const alertsOf = (
  { config, log }: Opening,
  { prepared, storage: { database, queue }, catalogues }: Opened,
  notifications: Notifications,
): Alerts =>
  openAlerts({
    database,
    queue,
    log,
    sealer: prepared.sealer,
    outbound: prepared.outboundToDestinations,
    mailer: prepared.mailer,
    notifications,
    catalogue: catalogues.of,
    publicUrl: config.PUBLIC_URL ?? null,
  });

/** The host that a new log is named after. */
const hostOf = ({ PUBLIC_URL }: Opening["config"]): string =>
  PUBLIC_URL === undefined ? "portolan.localhost" : new URL(PUBLIC_URL).host;

function openTransparency({ config, log, shutdown }: Opening, { prepared, storage: { database } }: Opened) {
  const signer = createLogSigner(config.encryptionKeys);
  const originOf = (orgId: string) => `${hostOf(config)}/transparency/${orgId}`;
  const sequencer = new Sequencer({ database, signer, originOf }, log);
  shutdown.add("transparency log", () => sequencer.close());
  const { outboundToDestinations: outbound, witnesses } = prepared;
  // Many authorities have no https: they get a hash, and sign their answer.
  const setting = "ALLOW_PRIVATE_DESTINATIONS";
  const outboundToAuthorities = new Outbound(allowedHosts(config[setting]), { setting });
  shutdown.add("connections to time-stamping authorities", () => outboundToAuthorities.close());
  const authorities = { urls: prepared.authorities, outbound: outboundToAuthorities };
  const { publication } = prepared;
  const recordRetentionDays = config.REQUEST_RETENTION_DAYS;
  return {
    ...{ database, signer, sequencer, outbound, witnesses, authorities, publication },
    recordRetentionDays,
  };
}

/** Collects what procedures and handlers may use. */
export function createServices(opening: Opening, opened: Opened, draining: () => boolean): Services {
  const { config, log, metrics, shutdown, say } = opening;
  const { prepared, storage, accounts, money, catalogues, inference, responses } = opened;
  const { sealer } = prepared;
  const { database, reports, queue } = storage;
  const notifications = createNotifications({ config, queue, sealer, say });
  const { snapshot, authentication } = accounts;
  // The embedded database serves one process, so there is no other to count with.
  const limiter = new RateLimiter({ database: config.DATABASE_URL ? database : null, log });
  shutdown.add("rate limiter", async () => limiter.close());
  return {
    version,
    config,
    log,
    metrics,
    database,
    reports,
    sealer,
    catalogues,
    catalogueUpdates: { files: prepared.catalogueFiles, outbound: prepared.outboundToCatalogues },
    billing: money.billing,
    presets: () => snapshot.value().presets,
    inference,
    responses: responses.responses,
    queue,
    destinations: money.destinations,
    transparency: openTransparency(opening, opened),
    alerts: alertsOf(opening, opened, notifications),
    snapshotAgeMs: snapshot.ageMs,
    refreshSnapshot: () =>
      snapshot.refresh().then(
        () => true,
        (error: unknown) => {
          log.warn({ event: "snapshot", error }, "A change will be seen by this process a little later");
          return false;
        },
      ),
    authenticate: authentication.authenticate,
    callerOfKey: authentication.callerOfKey,
    notifications,
    idempotency: new Idempotency(database, sealer, log),
    refusedRequests: responses.refusedRequests,
    rates: new RateLimits(limiter, config),
    auditExport: {
      target: prepared.auditTarget,
      token: config.AUDIT_EXPORT_TOKEN ?? null,
      outbound: prepared.outboundToDestinations,
    },
    subjectSeal: createRowSeal(config.encryptionKeys, subjectPurpose),
    devices: knownDevices(createRowSeal(config.encryptionKeys, devicePurpose)),
    bodies: {
      known: new ByteBudget(limits.body.heldBytesMax),
      strangers: new ByteBudget(limits.body.strangersHeldBytesMax),
    },
    peerAddress: prepared.peerAddress,
    exchangeFailures: new FailureWindow(limits.authorization.failures),
    draining,
  };
}
