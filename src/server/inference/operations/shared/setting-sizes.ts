import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { jsonBytes } from "#server/platform/long-json.ts";

export const jsonBytesOf = (value: unknown): number => (value == null ? 0 : jsonBytes(value));

/**
 * Refuses tools and formats that are longer than any model accepts, naming their field: they are repeated in every
 * event of a response. Throws PAYLOAD_TOO_LARGE.
 */
export function assertShort(bytesOf: Readonly<Record<string, number>>): void {
  const { settingBytesMax: max } = limits.body;
  for (const [param, bytes] of Object.entries(bytesOf))
    if (bytes > max)
      throw new AppError("PAYLOAD_TOO_LARGE", `${param}: may have at most ${max} bytes as JSON`, {
        param,
        metadata: { bytes_max: max },
      });
}
