import { TRPCClientError } from "@trpc/client";
import type { AppRouter } from "#server/api/root.ts";

/** What is shown of a failed call. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** To quote when reporting it; null when the server was never reached. */
  readonly requestId: string | null;
}

/** Reads the envelope of a failed procedure; anything else is a connection that did not come about. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof TRPCClientError) {
    const { data, message }: TRPCClientError<AppRouter> = thrown;
    if (data) return { code: data.error.code, message, requestId: data.requestId };
  }
  return { code: "UNREACHABLE", message: "The server could not be reached.", requestId: null };
}

/** Whether asking again may help: never for what the caller got wrong. */
export const isWorthRetrying = (thrown: unknown): boolean =>
  ["UNREACHABLE", "INTERNAL_ERROR", "SERVICE_UNAVAILABLE"].includes(failureOf(thrown).code);
