import { waitInTime } from "#server/db/index.ts";
import { AppError } from "#server/platform/errors.ts";
import { decimalFromPico, largest, type Pico } from "#server/platform/money.ts";
import type { Owner } from "./hold.ts";
import type { Holder } from "./leasing.ts";

const creditOf: Record<Owner, string> = {
  organisation: "the remaining credit",
  key: "the remaining limit of the API key",
  workspace: "the remaining limit of the workspace",
  budget: "the remaining budget",
};

/** Says that the database was unavailable, instead of blaming the owner's credit. */
export const orUnavailable = <T>(asked: Promise<T>): Promise<T> =>
  waitInTime(asked).catch((error: unknown) => {
    throw new AppError("SERVICE_UNAVAILABLE", "Credit cannot be reserved at the moment", {
      headers: { "retry-after": "5" },
      cause: error,
    });
  });

const insufficientQuota = (needed: Pico, available: Pico, owner: Owner): AppError =>
  new AppError(
    "INSUFFICIENT_QUOTA",
    `This request may cost up to EUR ${decimalFromPico(needed, 6)}, more than ${creditOf[owner]}`,
    {
      metadata: {
        limit_of: owner,
        needed_eur: decimalFromPico(needed, 10),
        available_eur: decimalFromPico(available, 10),
        missing_eur: decimalFromPico(largest(0n, needed - available), 10),
      },
    },
  );

/** The refusal of a request that needs more than is available. `available` is null if a counter is full. */
export function refusal(needed: Pico, available: Pico | null, { owner, counter }: Holder): AppError {
  if (!counter) return insufficientQuota(needed, available ?? 0n, owner);
  return available === null ? counter.tooMany() : counter.refuse(needed, available);
}
