import { resolve } from "node:path";
import { z } from "zod";
import { Residency } from "#contract/residency.ts";
import { isAllowedHost } from "./address-guard.ts";
import { type EncryptionKey, readEncryptionKey } from "./encryption-key.ts";
import { limits } from "./limits.ts";
import { isAddressRange } from "./peer-address.ts";

const { passwords } = limits;

const flag = (fallback: boolean) =>
  z
    .enum(["true", "false", "1", "0", "on", "off"], { error: "must be true or false" })
    .optional()
    .transform((text) => (text === undefined ? fallback : ["true", "1", "on"].includes(text)));

const list = z
  .string()
  .optional()
  .transform((text) =>
    (text ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  );

const hosts = list.pipe(
  z.array(
    z
      .string()
      .refine(
        isAllowedHost,
        "must be hosts or addresses, each with a port or without (gpu.internal:8000, 10.0.8.5, [fd00::5]:8000), or ranges such as 10.0.0.0/8; without scheme",
      ),
  ),
);

const sealingKey = z
  .string()
  .refine(
    (text) => Buffer.from(text, "base64").length === 32,
    "must be 32 bytes in base64 (openssl rand -base64 32)",
  );

const perMinute = (fallback: number) =>
  z.coerce
    .number({ error: "must be a number of requests per minute" })
    .int("must be a whole number")
    .min(0, "must not be negative")
    .max(1_000_000, "may be 1,000,000 at most")
    .default(fallback);

/** Every setting, its default and its meaning; `.env.example` is held against this table by a test. */
export const Settings = z.object({
  NODE_ENV: z
    .enum(["production", "development", "test"], { error: "must be production, development or test" })
    .default("production"),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z.coerce.number({ error: "must be a port number" }).int().min(0).max(65535).default(3000),
  WORKERS: z.coerce
    .number({ error: "must be a number of processes" })
    .int("must be a whole number")
    .min(1, "must be 1 or more")
    .max(64, "may be 64 at most")
    .default(1),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http(s) URL" }).optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres:// or postgresql://")
    .refine(
      (text) => URL.canParse(text),
      "must be a URL; what is special in a password is written as %40 for @",
    )
    .optional(),
  ENCRYPTION_KEY: sealingKey.optional(),
  ENCRYPTION_KEY_PREVIOUS: list.pipe(z.array(sealingKey)),
  ADMIN_EMAIL: z.email("must be an e-mail address").optional(),
  ADMIN_PASSWORD: z
    .string()
    .min(passwords.lengthMin, `must have at least ${passwords.lengthMin} characters`)
    .max(passwords.lengthMax, `may have ${passwords.lengthMax} characters at most`)
    .optional(),
  ADMIN_API_KEY: z.string().optional(),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,15}$/, "must be 2 to 16 lower-case letters or digits")
    .default("ptl"),
  ALLOW_PLAIN_PKCE: flag(true),
  RATE_LIMIT_KEY: perMinute(600).pipe(z.number().min(1, "must be 1 or more")),
  RATE_LIMIT_ORGANISATION: perMinute(6000),
  RATE_LIMIT_AUTH: perMinute(20),
  RATE_LIMIT_PUBLIC: perMinute(60),
  RATE_LIMIT_PAGES: perMinute(300),
  RATE_LIMIT_TEST: perMinute(10),
  TRUSTED_PROXIES: list.pipe(
    z.array(z.string().refine(isAddressRange, "must be addresses or ranges such as 10.0.0.0/8")),
  ),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/, error: "must be the http(s) URL of an OpenID Connect issuer" })
    .optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SIGN_UP: z.enum(["invited", "open"], { error: "must be invited or open" }).default("invited"),
  SMTP_URL: z.url({ protocol: /^smtps?$/, error: "must start with smtp:// or smtps://" }).optional(),
  MAIL_FROM: z
    .string()
    .regex(/^[^<>@]*(?:<[^<>@\s]+@[^<>@\s]+>|\b[^<>@\s]+@[^<>@\s]+)$/, {
      error: "must be an address, such as Portolan <portolan@example.eu>",
    })
    .optional(),
  CATALOG_FILE: z.string().optional(),
  SANDBOX: flag(true),
  ALLOW_PRIVATE_HOSTS: hosts,
  ALLOW_PRIVATE_DESTINATIONS: hosts,
  EUR_USD_RATE: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a decimal such as 1.1596 (USD for 1 EUR)")
    .optional(),
  EXCHANGE_RATES_URL: z
    .union([z.literal("off"), z.url({ protocol: /^https?$/ })], { error: 'must be an http(s) URL, or "off"' })
    .default("https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml"),
  DEFAULT_DATA_RESIDENCY: Residency.optional(),
  ADEQUACY_OFF: list.pipe(
    z.array(z.string().regex(/^[A-Z]{2}$/, "must be country codes in capitals, such as US,GB")),
  ),
  SPOOL_SYNC: z.enum(["process", "power"], { error: "must be process or power" }).default("process"),
  CREDIT_LEASE_TTL: z.coerce
    .number({ error: "must be a number of seconds" })
    .int()
    .min(1, "must be 1 or more seconds")
    .default(1200),
  STALE_MAX: z.coerce.number({ error: "must be a number of seconds" }).int().min(0).default(900),
  RESPONSES_STORE_DEFAULT: flag(true),
  RESPONSES_KEEP_DAYS: z.coerce
    .number({ error: "must be a number of days" })
    .int()
    .min(1, "must be 1 or more days")
    .max(3650, "must be 3650 days or less")
    .default(30),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], {
      error: "must be debug, info, warn, error or silent",
    })
    .default("info"),
});
export type Settings = z.infer<typeof Settings>;

export interface Config extends Settings {
  readonly dataDir: string;
  /** The installation's key, and those before it that may still be needed. */
  readonly encryptionKeys: readonly [Buffer, ...Buffer[]];
  /** Where the first of them has to be written before anything is sealed with it; null when that is done. */
  readonly unwrittenKeyFile: string | null;
  /** Credentials by provider slug, from `<SLUG>_API_KEY`. */
  readonly providerCredentials: ReadonlyMap<string, string>;
}

/** A start-up refusal: `problems` is a list a person can work through. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Settings need attention:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

const own = new Set(["ADMIN_API_KEY"]);

/** `MISTRAL_API_KEY` → `mistral`, `AWS_BEDROCK_API_KEY` → `aws-bedrock`. */
function credentials(env: Record<string, string | undefined>): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value && name.endsWith("_API_KEY") && !own.has(name)) {
      found.set(name.slice(0, -"_API_KEY".length).toLowerCase().replaceAll("_", "-"), value);
    }
  }
  return found;
}

/** The installation's key: from the setting, else the one of the data directory. */
function encryptionKey(settings: Settings, dataDir: string): EncryptionKey {
  if (settings.ENCRYPTION_KEY) {
    return { key: Buffer.from(settings.ENCRYPTION_KEY, "base64"), unwrittenFile: null };
  }
  if (settings.DATABASE_URL) {
    throw new SettingsError([
      "ENCRYPTION_KEY is required with DATABASE_URL (make one: openssl rand -base64 32)",
    ]);
  }
  try {
    return readEncryptionKey(dataDir);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new SettingsError([error.message]);
  }
}

/** Settings that mean something only together. */
function missingParts(settings: Settings): string[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, SMTP_URL, MAIL_FROM, PUBLIC_URL } = settings;
  const { DATABASE_URL, WORKERS } = settings;
  const needs = [
    // The embedded database serves one process.
    [WORKERS > 1 || undefined, "more than one of WORKERS", { DATABASE_URL }],
    [OIDC_ISSUER, "OIDC_ISSUER", { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET }],
    [SMTP_URL, "SMTP_URL", { MAIL_FROM, PUBLIC_URL }],
  ] as const;
  return needs.flatMap(([present, name, others]) =>
    present === undefined
      ? []
      : Object.entries(others).flatMap(([other, value]) =>
          value === undefined ? [`${other} is required with ${name}`] : [],
        ),
  );
}

/** Reads and checks all settings, and writes nothing. Throws `SettingsError` with every problem at once. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Settings.safeParse(present);
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`));
  }
  const missing = missingParts(parsed.data);
  if (missing.length > 0) throw new SettingsError(missing);
  const dataDir = resolve(parsed.data.DATA_DIR);
  const { key, unwrittenFile } = encryptionKey(parsed.data, dataDir);
  return {
    ...parsed.data,
    dataDir,
    unwrittenKeyFile: unwrittenFile,
    encryptionKeys: [key, ...parsed.data.ENCRYPTION_KEY_PREVIOUS.map((text) => Buffer.from(text, "base64"))],
    providerCredentials: credentials(present),
  };
}
