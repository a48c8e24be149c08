import { z } from "zod";
import { isAllowedHost } from "./address-guard.ts";
import { isAddressRange } from "./peer-address.ts";

/** What the documentation says of a setting. */
interface SettingDocs {
  /** Markdown, one or more sentences. */
  readonly description: string;
  /** A value for `.env.example`, where there is no default. */
  readonly example?: string;
  /** What applies without the setting, when the schema has no default for it. Markdown. */
  readonly fallback?: string;
}

/** `docs/settings.md` and `.env.example` are generated from it: `npm run generate`. */
export const settingDocs = z.registry<SettingDocs>();

export const flag = (fallback: boolean) =>
  z
    .enum(["true", "false", "1", "0", "on", "off"], { error: "must be true or false" })
    .default(fallback ? "true" : "false")
    .transform((text) => ["true", "1", "on"].includes(text));

export const list = z
  .string()
  .default("")
  .transform((text) =>
    text
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean),
  );

export const hosts = () =>
  list.pipe(
    z.array(
      z
        .string()
        .refine(
          isAllowedHost,
          "must be hosts or addresses, each with a port or without (gpu.internal:8000, 10.0.8.5, [fd00::5]:8000), or ranges such as 10.0.0.0/8; without scheme",
        ),
    ),
  );

export const addressRanges = () =>
  list.pipe(z.array(z.string().refine(isAddressRange, "must be addresses or ranges such as 10.0.0.0/8")));

export const countryCodes = () =>
  list.pipe(z.array(z.string().regex(/^[A-Z]{2}$/, "must be country codes in capitals, such as US,GB")));

export const httpUrl = (error = "must be an http(s) URL") => z.url({ protocol: /^https?$/, error });

export const postgresUrl = () =>
  z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres:// or postgresql://")
    .refine(
      (text) => URL.canParse(text),
      "must be a URL; special characters in a password are percent-encoded, such as %40 for @",
    );

export const sealingKey = () =>
  z
    .string()
    .refine(
      (text) => Buffer.from(text, "base64").length === 32,
      "must be 32 bytes in base64 (openssl rand -base64 32)",
    );

export const perMinute = (fallback: number) =>
  z.coerce
    .number({ error: "must be a number of requests per minute" })
    .int("must be a whole number")
    .min(0, "must not be negative")
    .max(1_000_000, "may be 1,000,000 at most")
    .default(fallback);

export const seconds = () => z.coerce.number({ error: "must be a number of seconds" }).int();

/** A part of the documentation of settings. */
export interface SettingSection {
  readonly title: string;
  /** Markdown, one sentence that holds for the whole section. */
  readonly note?: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
}
