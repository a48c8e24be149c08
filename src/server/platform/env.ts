import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { Residency } from "#contract/residency.ts";

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

/** Every setting, its default and its meaning; `.env.example` is held against this table by a test. */
export const Settings = z.object({
  NODE_ENV: z
    .enum(["production", "development", "test"], { error: "must be production, development or test" })
    .default("production"),
  HOST: z.string().min(1).default("127.0.0.1"),
  PORT: z.coerce.number({ error: "must be a port number" }).int().min(0).max(65535).default(3000),
  PUBLIC_URL: z.url({ protocol: /^https?$/, error: "must be an http(s) URL" }).optional(),
  DATA_DIR: z.string().min(1).default(".data"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres:// or postgresql://")
    .optional(),
  ENCRYPTION_KEY: z
    .string()
    .refine(
      (text) => Buffer.from(text, "base64").length === 32,
      "must be 32 bytes in base64 (openssl rand -base64 32)",
    )
    .optional(),
  ADMIN_EMAIL: z.email("must be an e-mail address").optional(),
  ADMIN_PASSWORD: z.string().min(8, "must have at least 8 characters").optional(),
  ADMIN_API_KEY: z.string().optional(),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{1,15}$/, "must be 2 to 16 lower-case letters or digits")
    .default("ptl"),
  ALLOW_PLAIN_PKCE: flag(true),
  CATALOG_FILE: z.string().optional(),
  SANDBOX: flag(true),
  ALLOW_PRIVATE_HOSTS: list,
  EUR_USD_RATE: z
    .string()
    .regex(/^\d+(\.\d+)?$/, "must be a decimal such as 1.1596 (USD for 1 EUR)")
    .optional(),
  DEFAULT_DATA_RESIDENCY: Residency.optional(),
  ADEQUACY_OFF: list.pipe(
    z.array(z.string().regex(/^[A-Z]{2}$/, "must be country codes in capitals, such as US,GB")),
  ),
  SPOOL_SYNC: z.enum(["process", "power"], { error: "must be process or power" }).default("process"),
  STALE_MAX: z.coerce.number({ error: "must be a number of seconds" }).int().min(0).default(900),
  LOG_LEVEL: z
    .enum(["debug", "info", "warn", "error", "silent"], {
      error: "must be debug, info, warn, error or silent",
    })
    .default("info"),
});
export type Settings = z.infer<typeof Settings>;

export interface Config extends Settings {
  readonly dataDir: string;
  readonly encryptionKey: Buffer;
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

/** The installation's key: from the setting, else made once and kept in the data directory. */
function encryptionKey(settings: Settings, dataDir: string): Buffer {
  if (settings.ENCRYPTION_KEY) return Buffer.from(settings.ENCRYPTION_KEY, "base64");
  if (settings.DATABASE_URL) {
    throw new SettingsError([
      "ENCRYPTION_KEY is required with DATABASE_URL (make one: openssl rand -base64 32)",
    ]);
  }
  const file = join(dataDir, "encryption.key");
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600, flag: "wx" });
  }
  const key = Buffer.from(readFileSync(file, "utf8"), "base64");
  if (key.length !== 32)
    throw new SettingsError([`${file} does not hold 32 bytes in base64; restore it from a backup`]);
  return key;
}

/** Reads and checks all settings. Throws `SettingsError` with every problem at once. */
export function loadConfig(env: Record<string, string | undefined> = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const parsed = Settings.safeParse(present);
  if (!parsed.success) {
    throw new SettingsError(parsed.error.issues.map((issue) => `${issue.path.join(".")} ${issue.message}`));
  }
  const dataDir = resolve(parsed.data.DATA_DIR);
  return {
    ...parsed.data,
    dataDir,
    encryptionKey: encryptionKey(parsed.data, dataDir),
    providerCredentials: credentials(present),
  };
}
