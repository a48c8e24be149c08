import { AppError } from "#server/platform/errors.ts";

/** Whether a request was refused before a generation began: headers of an answer show a generation. */
export const isRefusal = (error: unknown): error is AppError =>
  error instanceof AppError && error.code !== "INTERNAL_ERROR" && !("x-generation-id" in error.headers);
