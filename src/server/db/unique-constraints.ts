import { Prisma } from "#generated/prisma/client.ts";
import { AppError } from "#server/platform/errors.ts";

interface Taken {
  readonly param: string;
  readonly message: string;
}

/**
 * The message for a write that would duplicate a unique value, by constraint. Null where the server creates the
 * values, so that only a race can duplicate them.
 */
export const uniqueConstraints: Readonly<Record<string, Taken | null>> = {
  budget_org_id_name_key: { param: "name", message: "there is a budget of this name already" },
  preset_org_id_name_key: { param: "name", message: "there is a preset of this name already" },
  alert_channel_confirmation_digest_key: null,
  alert_channel_org_id_name_key: { param: "name", message: "there is a channel of this name already" },
  alert_rule_org_id_name_key: { param: "name", message: "there is an alert rule of this name already" },
  workspace_org_id_name_key: { param: "name", message: "there is a workspace of this name already" },
  workspace_org_id_slug_key: { param: "slug", message: "there is a workspace with this slug already" },
  routing_rule_scope_owner_id_name_key_key: {
    param: "name",
    message: "there is a rule of this name with the same owner already",
  },
  destination_owner_id_type_name_key_key: {
    param: "name",
    message: "the organisation or workspace has a destination of this type and name already",
  },
  invitation_org_id_email_key: { param: "email", message: "has been invited already" },
  member_org_id_user_id_key: { param: "email", message: "is a member already" },
  user_email_key: { param: "email", message: "there is an account with this address already" },
  account_provider_id_account_id_key: null,
  alert_incident_rule_id_open_subject_key: null,
  alert_notification_incident_id_channel_id_event_key: null,
  catalogue_entry_org_id_scope_section_name_key: null,
  api_key_digest_key: null,
  api_key_public_id_key: null,
  authorization_code_digest_key: null,
  conversation_item_conversation_id_item_id_key: null,
  destination_delivery_destination_id_generation_id_key: null,
  invitation_digest_key: null,
  organisation_slug_key: null,
  preset_version_preset_id_version_key: null,
  refused_request_org_id_day_api_key_id_operation_model_error_key: null,
  session_token_key: null,
};

/** As the driver reports it: PostgreSQL's name of a unique index or primary key. */
function constraintOf(error: Prisma.PrismaClientKnownRequestError): string | undefined {
  const { driverAdapterError } = (error.meta ?? {}) as {
    driverAdapterError?: { cause?: { constraint?: { index?: string } } };
  };
  return driverAdapterError?.cause?.constraint?.index;
}

const isRefusal = (error: unknown): error is Prisma.PrismaClientKnownRequestError =>
  error instanceof Prisma.PrismaClientKnownRequestError && error.code === "P2002";

/** Whether a write was refused because of a duplicate, inside its transaction or after it. */
export const isUniqueViolation = (error: unknown): boolean =>
  isRefusal(error) || (error instanceof AppError && isRefusal(error.cause));

/** The error of a transaction for clients: CONFLICT, naming the field, for a duplicate of a unique value. */
export function namingConflict(error: unknown): unknown {
  if (!isRefusal(error)) return error;
  const taken = uniqueConstraints[constraintOf(error) ?? ""];
  if (!taken) {
    return new AppError("CONFLICT", "The same was stored by another request at this moment; try again", {
      cause: error,
    });
  }
  const { param, message } = taken;
  return new AppError("CONFLICT", `${param}: ${message}`, { param, cause: error });
}
