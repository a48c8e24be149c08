import cluster from "node:cluster";
import { type AuditTarget, readAuditTarget } from "#server/audit/export/target.ts";
import { type OidcProvider, openOidc } from "#server/auth/oidc-provider.ts";
import { type CatalogueFiles, loadCatalogueFiles } from "#server/catalog/index.ts";
import { assertPortFree } from "#server/http/port.ts";
import { providerKinds } from "#server/inference/index.ts";
import { isKeyOfInstallation } from "#server/keys/index.ts";
import { type Config, SettingsError } from "#server/platform/env.ts";
import { type Mailer, openMailer } from "#server/platform/mailer.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { addressRange, createPeerAddress, type PeerAddress } from "#server/platform/peer-address.ts";
import { createSealer, type Sealer } from "#server/platform/sealing.ts";
import type { Shutdown } from "#server/platform/shutdown.ts";
import { type Sandbox, startSandbox } from "#server/sandbox/index.ts";
import {
  type Publication,
  type PublicationTarget,
  readPublicationTarget,
  readWitness,
  type Witness,
} from "#server/transparency/index.ts";

/** Everything that depends only on settings and files. */
export interface Prepared {
  readonly sealer: Sealer;
  readonly mailer: Mailer | null;
  readonly oidc: OidcProvider | null;
  readonly peerAddress: PeerAddress;
  /** The shipped catalogue, the sandbox and `CATALOG_FILE`. */
  readonly catalogueFiles: CatalogueFiles;
  readonly outboundToProviders: Outbound;
  /** To servers with catalogue files: encrypted, unless the operator allows the host. */
  readonly outboundToCatalogues: Outbound;
  /** To providers of organisations, which may not use what the operator allowed for the installation's. */
  readonly outboundToOwnProviders: Outbound;
  /** Destinations have their own outbound connections, independent of what providers may reach. */
  readonly outboundToDestinations: Outbound;
  /** Who signs the checkpoints of transparency logs. */
  readonly witnesses: readonly Witness[];
  /** Time-stamping authorities for the checkpoints. */
  readonly authorities: readonly URL[];
  /** Where the checkpoints are published. */
  readonly publication: Publication;
  /** Where audit logs are sent; null without a receiver. */
  readonly auditTarget: AuditTarget | null;
}

/** Validates settings that belong to areas. Throws `SettingsError`. */
function assertSettings({ ADMIN_API_KEY, KEY_PREFIX }: Config): void {
  if (ADMIN_API_KEY === undefined || isKeyOfInstallation(ADMIN_API_KEY, KEY_PREFIX)) return;
  throw new SettingsError([
    `ADMIN_API_KEY must have the form of this installation's keys, which begin with ${KEY_PREFIX}_. Leave it out to have one generated`,
  ]);
}

/** Reads the witnesses of the settings. Throws `SettingsError`. */
function witnessesOf({ TRANSPARENCY_WITNESSES }: Config): readonly Witness[] {
  return TRANSPARENCY_WITNESSES.map((item) => {
    const witness = readWitness(item);
    if (witness) return witness;
    throw new SettingsError([
      `TRANSPARENCY_WITNESSES: ${JSON.stringify(item.slice(0, 80))} must be a public key as name+ID+key of the type 4 (timestamped Ed25519), a space and a URL`,
    ]);
  });
}

/** Reads the time-stamping authorities of the settings. Throws `SettingsError`. */
function authoritiesOf({ TRANSPARENCY_TIMESTAMPS }: Config): readonly URL[] {
  return TRANSPARENCY_TIMESTAMPS.map((item) => {
    const url = URL.parse(item);
    const isHttp = url?.protocol === "https:" || url?.protocol === "http:";
    if (url && isHttp && url.username === "" && url.hash === "") return url;
    throw new SettingsError([
      `TRANSPARENCY_TIMESTAMPS: ${JSON.stringify(item.slice(0, 80))} must be an http or https URL without credentials`,
    ]);
  });
}

/** Reads where checkpoints are published from the settings. Throws `SettingsError`. */
function publicationOf(config: Config): Publication {
  const targets = config.TRANSPARENCY_PUBLISH_TO.map((item) => {
    const target = readPublicationTarget(item);
    if (target) return target;
    throw new SettingsError([
      `TRANSPARENCY_PUBLISH_TO: ${JSON.stringify(item.slice(0, 80))} must be a URL without credentials that begins with https://, http://, s3+https:// or s3+http://`,
    ]);
  });
  const has = (kind: PublicationTarget["kind"]) => targets.some((target) => target.kind === kind);
  const { TRANSPARENCY_PUBLISH_TOKEN: token, TRANSPARENCY_S3_KEY: key } = config;
  if (token !== undefined && !has("post"))
    throw new SettingsError([
      "TRANSPARENCY_PUBLISH_TOKEN needs a TRANSPARENCY_PUBLISH_TO that begins with https://",
    ]);
  if ((key !== undefined) !== has("bucket"))
    throw new SettingsError([
      "TRANSPARENCY_S3_KEY is needed if, and only if, a TRANSPARENCY_PUBLISH_TO begins with s3+https:// or s3+http://",
    ]);
  const [accessKeyId = "", secretAccessKey = ""] = key?.split(":") ?? [];
  const [region, lockDays] = [config.TRANSPARENCY_S3_REGION, config.TRANSPARENCY_S3_LOCK_DAYS ?? null];
  const s3 = key === undefined ? null : { accessKeyId, secretAccessKey, region, lockDays };
  return { targets, secrets: { token: token ?? null, s3 } };
}

/** Reads the receiver of audit logs of the settings. Throws `SettingsError`. */
function auditTargetOf({ AUDIT_EXPORT_URL: text, AUDIT_EXPORT_TOKEN: token }: Config): AuditTarget | null {
  const target = text === undefined ? null : readAuditTarget(text);
  if (text !== undefined && !target)
    throw new SettingsError([
      "AUDIT_EXPORT_URL must be a URL without credentials that begins with https://, http://, otlp+https://, otlp+http://, syslog+tls:// or syslog+tcp://",
    ]);
  if (token !== undefined && (!target || target.kind === "syslog"))
    throw new SettingsError(["AUDIT_EXPORT_TOKEN needs an AUDIT_EXPORT_URL that is not syslog"]);
  return target;
}

async function openSandbox({ SANDBOX }: Config, shutdown: Shutdown): Promise<Sandbox | null> {
  if (!SANDBOX) return null;
  const sandbox = await startSandbox();
  shutdown.add("sandbox", () => sandbox.close());
  return sandbox;
}

/**
 * Reads and validates everything that needs no database, so that mistakes are reported before anything is created,
 * migrated or shown. Throws `SettingsError`.
 */
export async function prepare(config: Config, shutdown: Shutdown): Promise<Prepared> {
  assertSettings(config);
  const witnesses = witnessesOf(config);
  const authorities = authoritiesOf(config);
  const publication = publicationOf(config);
  const auditTarget = auditTargetOf(config);
  // Workers share a port that their supervisor found free.
  if (cluster.isPrimary) await assertPortFree(config);
  const sandbox = await openSandbox(config, shutdown);
  const catalogueFiles = loadCatalogueFiles({
    kinds: providerKinds,
    overlayFile: config.CATALOG_FILE,
    sandboxOrigin: sandbox?.origin,
    exchangeRateOverride: config.EUR_USD_RATE,
  });
  // Of the loopback addresses only the sandbox's own port: providers must not reach other local servers.
  const sandboxHosts = sandbox ? [new URL(sandbox.origin).host] : [];
  const outboundToProviders = new Outbound(allowedHosts([...config.ALLOW_PRIVATE_HOSTS, ...sandboxHosts]));
  shutdown.add("outbound connections", () => outboundToProviders.close());
  const outboundToCatalogues = new Outbound(allowedHosts(config.ALLOW_PRIVATE_HOSTS), {
    secureOnly: true,
    setting: "ALLOW_PRIVATE_HOSTS",
  });
  shutdown.add("connections to catalogues", () => outboundToCatalogues.close());
  const outboundToOwnProviders = new Outbound(allowedHosts(config.ALLOW_PRIVATE_OWN_PROVIDERS), {
    setting: "ALLOW_PRIVATE_OWN_PROVIDERS",
  });
  shutdown.add("connections to own providers", () => outboundToOwnProviders.close());
  const outboundToDestinations = new Outbound(allowedHosts(config.ALLOW_PRIVATE_DESTINATIONS), {
    secureOnly: true,
    setting: "ALLOW_PRIVATE_DESTINATIONS",
  });
  shutdown.add("connections to destinations", () => outboundToDestinations.close());
  const oidc = openOidc(config);
  if (oidc) shutdown.add("sign-in provider", () => oidc.close());
  return {
    sealer: createSealer(config.encryptionKeys),
    mailer: openMailer(config),
    oidc,
    peerAddress: createPeerAddress(config.TRUSTED_PROXIES.map(addressRange)),
    catalogueFiles,
    outboundToProviders,
    outboundToCatalogues,
    outboundToOwnProviders,
    outboundToDestinations,
    witnesses,
    authorities,
    publication,
    auditTarget,
  };
}
