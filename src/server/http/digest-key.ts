import type { IncomingMessage } from "node:http";
import { ContentDigests, digestKeyHeader as header } from "#server/inference/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";

const { digestKeyCharsMin, digestKeyCharsMax } = limits.http;
const key = new RegExp(`^[\\x21-\\x7e]{${digestKeyCharsMin},${digestKeyCharsMax}}$`);

const refused = (problem: string) => new AppError("BAD_REQUEST", `${header}: ${problem}`, { param: header });

/**
 * What makes the digests of a request and its answer, if the header `x-portolan-digest-key` asks for them. Throws
 * BAD_REQUEST for a key that could be guessed.
 */
export function digestsOf(req: IncomingMessage, body: Buffer): Promise<ContentDigests> | undefined {
  const given = req.headers[header];
  if (given === undefined) return undefined;
  if (typeof given !== "string" || !key.test(given))
    throw refused(
      `must have ${digestKeyCharsMin} to ${digestKeyCharsMax} visible ASCII characters, such as the hexadecimal digits of 32 random bytes`,
    );
  return ContentDigests.of(given, body);
}
