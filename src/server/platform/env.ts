import { resolve } from "node:path";
import { type EncryptionKey, readEncryptionKey } from "./encryption-key.ts";
import { renamedSettings, Settings } from "./settings.ts";

export interface Config extends Settings {
  readonly dataDir: string;
  /** The installation's key, and those before it that may still be needed. */
  readonly encryptionKeys: readonly [Buffer, ...Buffer[]];
  /** Where the first of them has to be written before anything is sealed with it; null when that is done. */
  readonly unwrittenKeyFile: string | null;
  /** Credentials by provider slug, from `<SLUG>_API_KEY`. */
  readonly providerCredentials: ReadonlyMap<string, string>;
  /** What the log should say at the start. */
  readonly warnings: readonly string[];
}

/** The server does not start; `problems` names everything that has to be corrected. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(`Settings need attention:\n${problems.map((problem) => `  - ${problem}`).join("\n")}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

interface CurrentNames {
  readonly values: Record<string, string | undefined>;
  /** New name → the old one that was given instead. */
  readonly oldNames: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

/** Values under old names move to the new ones. Where both are set, the new name wins. */
export function withCurrentNames(present: Environment): CurrentNames {
  const values = { ...present };
  const oldNames = new Map<string, string>();
  const warnings: string[] = [];
  for (const [oldName, newName] of Object.entries(renamedSettings)) {
    const value = values[oldName];
    if (value === undefined) continue;
    delete values[oldName];
    if (values[newName] === undefined) {
      values[newName] = value;
      oldNames.set(newName, oldName);
      warnings.push(`The setting ${oldName} has a new name: ${newName}. Please rename it`);
    } else {
      warnings.push(
        `The setting ${oldName} is ignored, because its new name ${newName} is set. Please remove it`,
      );
    }
  }
  return { values, oldNames, warnings };
}

const notProviders = new Set(["ADMIN_API_KEY"]);

/** `MISTRAL_API_KEY` → `mistral`, `AWS_BEDROCK_API_KEY` → `aws-bedrock`. */
function credentials(env: Environment): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value && name.endsWith("_API_KEY") && !notProviders.has(name)) {
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
function missingSettings(settings: Settings): string[] {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, SMTP_URL, MAIL_FROM, PUBLIC_URL } = settings;
  const { DATABASE_URL, DATABASE_READ_URL, WORKERS } = settings;
  const needs = [
    // The embedded database serves one process.
    [WORKERS > 1 || undefined, "more than one of WORKERS", { DATABASE_URL }],
    [DATABASE_READ_URL, "DATABASE_READ_URL", { DATABASE_URL }],
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
export function loadConfig(env: Environment = process.env): Config {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ""),
  );
  const { values, oldNames, warnings } = withCurrentNames(present);
  const parsed = Settings.safeParse(values);
  if (!parsed.success) {
    throw new SettingsError(
      parsed.error.issues.map(({ path, message }) => {
        const oldName = oldNames.get(String(path[0]));
        return `${path.join(".")} ${oldName ? `(set as ${oldName}) ` : ""}${message}`;
      }),
    );
  }
  const missing = missingSettings(parsed.data);
  if (missing.length > 0) throw new SettingsError(missing);
  const dataDir = resolve(parsed.data.DATA_DIR);
  const { key, unwrittenFile } = encryptionKey(parsed.data, dataDir);
  return {
    ...parsed.data,
    dataDir,
    unwrittenKeyFile: unwrittenFile,
    encryptionKeys: [key, ...parsed.data.ENCRYPTION_KEY_PREVIOUS.map((text) => Buffer.from(text, "base64"))],
    providerCredentials: credentials(present),
    warnings,
  };
}
