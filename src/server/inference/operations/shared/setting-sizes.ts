import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { jsonBytes } from "#server/platform/long-json.ts";

export const jsonBytesOf = (value: unknown): number => (value == null ? 0 : jsonBytes(value));

/**
 * Refuses tools and formats that are longer than any model takes, by the name of the field they stand in: they are
 * written out again with every event of a response. Throws PAYLOAD_TOO_LARGE.
 */
export function assertShort(bytesOf: Readonly<Record<string, number>>): void {
  const { settingBytesMax: max } = limits.body;
  for (const [param, bytes] of Object.entries(bytesOf))
    if (bytes > max)
      throw new AppError("PAYLOAD_TOO_LARGE", `${param}: may have ${max} bytes as JSON at most`, {
        param,
        metadata: { bytes_max: max },
      });
}
