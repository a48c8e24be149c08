import { AppError } from "#server/platform/errors.ts";

/** When and why the operator suspended an organisation; its members can read the reason. */
export interface Suspension {
  readonly since: string;
  readonly reason: string;
}

/** The columns of `organisation` that it is read from. */
export const suspensionColumns = { suspended_at: true, suspended_reason: true } as const;

export const suspensionOf = ({
  suspended_at,
  suspended_reason,
}: {
  readonly suspended_at: Date | null;
  readonly suspended_reason: string | null;
}): Suspension | null =>
  suspended_at && { since: suspended_at.toISOString(), reason: suspended_reason ?? "" };

/** The error for every request on behalf of a suspended organisation. */
export const organisationSuspended = ({ since, reason }: Suspension): AppError =>
  new AppError(
    "ORGANISATION_SUSPENDED",
    `The organisation is suspended by whoever runs this installation. The reason they gave: ${reason}`,
    { metadata: { suspended_at: since, reason } },
  );
