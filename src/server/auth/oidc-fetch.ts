import type { CustomFetch } from "openid-client";
import { z } from "zod";
import { clock } from "#server/platform/clock.ts";
import { limits } from "#server/platform/limits.ts";
import { type Outbound, OutboundError } from "#server/platform/outbound.ts";

const answerBytesMax = 1024 * 1024;

const ErrorBody = z.object({ error: z.string().regex(/^[\w.-]{1,60}$/) });

/** Why an answer other than 200 came, with the provider's error code where it sends one. */
function statusProblem(path: string, status: number, text: string): Error {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = null;
  }
  const { data } = ErrorBody.safeParse(body);
  const advice = data?.error === "invalid_client" ? ": check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET" : "";
  return new Error(`${path} of the provider answered ${status}${data ? ` (${data.error})` : ""}${advice}`);
}

/** Sends the library's requests through the address guard, with our limits of time and bytes. */
export function guardedFetch(outbound: Outbound): CustomFetch {
  return async (address, { method, headers, body }) => {
    const { oidcTimeoutMs } = limits.signIn;
    const url = new URL(address);
    const response = await outbound.send({
      url,
      method: method === "POST" ? "POST" : "GET",
      headers,
      ...(body instanceof URLSearchParams && { body: body.toString() }),
      firstByteTimeoutMs: oidcTimeoutMs,
      idleTimeoutMs: oidcTimeoutMs,
      deadlineMs: clock.monotonicMs() + oidcTimeoutMs,
    });
    const text = await response.text(answerBytesMax);
    if (response.status !== 200) throw statusProblem(url.pathname, response.status, text);
    return new Response(text, { headers: { "content-type": String(response.headers["content-type"]) } });
  };
}

/**
 * The reason the library wrapped, without the details it attaches: those hold tokens and claims, which must not reach
 * the log.
 */
function reasonOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof OutboundError) return error;
  const { cause } = error;
  return cause instanceof OutboundError ? cause : new Error((cause instanceof Error ? cause : error).message);
}

/** Does something with the library, and throws the plain reason if it fails. */
export async function withReasons<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw reasonOf(error);
  }
}
