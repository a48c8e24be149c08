import { TRPCClientError } from "@trpc/client";
import { describe, expect, test } from "vitest";
import { type ErrorCode, errorTable } from "#contract/errors.ts";
import type { AppRouter } from "#server/api/root.ts";
import { clientOf } from "#test/console/client.ts";
import { Refusal, requestId, serverOf } from "#test/console/server.ts";
import { failureOf, isWorthRetrying } from "./failure.ts";

const codes = Object.keys(errorTable) as ErrorCode[];

/** What the console's client throws when the server answers so. */
async function thrownBy(code: ErrorCode, message: string): Promise<unknown> {
  const server = serverOf({
    session: {
      get: () => {
        throw new Refusal(code, message);
      },
    },
  });
  return await clientOf(server)
    .session.get.query()
    .then(
      () => null,
      (error: unknown) => error,
    );
}

describe.each(codes)("the error %s", (code) => {
  test("is shown with its code, the message of the server and the request ID", async () => {
    const thrown = await thrownBy(code, `${code} & more`);
    expect(thrown).toBeInstanceOf(TRPCClientError<AppRouter>);
    expect(failureOf(thrown)).toEqual({ code, message: `${code} & more`, requestId });
  });

  test("is retried only when that may help", async () => {
    const mayHelp = code === "INTERNAL_ERROR" || code === "SERVICE_UNAVAILABLE";
    expect(isWorthRetrying(await thrownBy(code, "x"))).toBe(mayHelp);
  });
});

describe.each([
  ["a connection that broke", new TypeError("fetch failed")],
  ["an answer that is no envelope", new TRPCClientError<AppRouter>("Unexpected token '<'")],
  ["nothing at all", undefined],
])("%s", (_what, thrown) => {
  test("counts as an unreachable server: without a request ID, and retried", () => {
    const { code, message, requestId: id } = failureOf(thrown);
    expect({ code, id }).toEqual({ code: "UNREACHABLE", id: null });
    expect(message).not.toBe("");
    expect(isWorthRetrying(thrown)).toBe(true);
  });
});
