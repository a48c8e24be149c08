import { z } from "zod";
import { recordOf } from "#contract/bounded.ts";
import { whyForbidden } from "./forbidden-headers.ts";

const empty = "must not be empty";

const ascii = "must be printable ASCII in one line";

/** A field of a type's configuration; `title` and `description` are shown in the form. It may be used in headers. */
export const text = (title: string, description?: string) =>
  z
    .string()
    .trim()
    .min(1, empty)
    .max(2048)
    .regex(/^[\x20-\x7e]*$/, ascii)
    .meta({ title, ...(description && { description }) });

/** A secret: sealed at rest, never shown again. It may be used in headers. */
export const secret = (title: string, description?: string) =>
  z
    .string()
    .trim()
    .min(1, empty)
    .max(8192)
    .regex(/^[\x20-\x7e]*$/, ascii)
    .meta({ title, ...(description && { description }), writeOnly: true, format: "password" });

/** A secret with several lines, such as a file. Never used in headers. */
export const secretFile = (title: string, description: string) =>
  z.string().trim().min(1, empty).max(8192).meta({ title, description, writeOnly: true, format: "password" });

/**
 * An http(s) address without credentials. Whether it may be reached is checked when it is saved and at each request.
 */
export const address = (title: string, description?: string) =>
  z
    .url({ protocol: /^https?$/, error: "must be an address such as https://traces.example.eu" })
    .max(2048)
    .refine(
      (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
      "must not contain a user or password",
    )
    .refine((url) => !URL.parse(url)?.hash, "must not have a fragment")
    .transform((url) => url.replace(/\/+$/, ""))
    .meta({ title, ...(description && { description }), format: "uri" });

/** A name that is used in addresses or statements, without special characters. */
export const identifier = (title: string, pattern = /^[A-Za-z0-9_-]{1,128}$/) =>
  z.string().trim().regex(pattern, `must match ${pattern.source}`).meta({ title });

const headersMax = 32;

const HeaderPairs = z
  .string()
  .max(64 * 1024)
  .transform((pairs, context) => {
    const out: Record<string, string> = {};
    for (const pair of pairs.split(",").filter((part) => part.trim() !== "")) {
      const at = pair.indexOf("=");
      if (at < 1) {
        context.addIssue({
          code: "custom",
          message: "must be an object, or text such as name=value,name2=value2",
        });
        return z.NEVER;
      }
      out[pair.slice(0, at).trim()] = pair.slice(at + 1).trim();
    }
    return out;
  });

/** Additional headers of every request, as an object or as `name=value,name2=value2`. Their values are secrets. */
export const Headers = z
  .union([recordOf(z.string().max(8_192), { max: 100 }), HeaderPairs], {
    error: "must be an object of texts, or text such as name=value,name2=value2",
  })
  .superRefine((headers, context) => {
    const names = Object.keys(headers);
    if (names.length > headersMax)
      context.addIssue({ code: "custom", message: `may hold ${headersMax} at most` });
    for (const name of names) {
      const refuse = (message: string) => context.addIssue({ code: "custom", message, path: [name] });
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name)) refuse("is not a valid header name");
      const forbidden = whyForbidden(name);
      if (forbidden) refuse(`The header ${name} ${forbidden}`);
      if (!/^[\t\x20-\x7e]{0,4096}$/.test(headers[name] ?? "")) {
        refuse("must be printable ASCII with at most 4,096 characters");
      }
    }
  })
  .transform((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
  )
  .meta({
    title: "Headers",
    description: "Sent with every request. Values are stored as secrets.",
    writeOnly: true,
  });
