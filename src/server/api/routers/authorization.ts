import { z } from "zod";
import {
  AuthorizationCode,
  AuthorizationQuery,
  CodeExchange,
  CodeRequest,
  ConsentView,
  IssuedKey,
  ProgramCode,
} from "#contract/authorization.ts";
import { identityOf, membershipsOf, workspacesOf } from "#server/accounts/index.ts";
import { readBalance } from "#server/billing/index.ts";
import { createCode, exchangeCode } from "#server/keys/index.ts";
import type { Config } from "#server/platform/env.ts";
import { AppError } from "#server/platform/errors.ts";
import { decimalFromPico } from "#server/platform/money.ts";
import type { Context } from "../context.ts";
import { anyone, authenticated, permitted, rest, router } from "../trpc.ts";

const tag = "Key issuance";
const example = {
  callback_url: "https://app.example.eu/callback",
  code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  code_challenge_method: "S256",
};

function assertMethodAllowed(method: string, { ALLOW_PLAIN_PKCE }: Config): void {
  if (method !== "plain" || ALLOW_PLAIN_PKCE) return;
  throw new AppError("BAD_REQUEST", "code_challenge_method: this installation accepts S256 only", {
    param: "code_challenge_method",
  });
}

/** Guessing codes and verifiers is slowed down by address. */
async function throttled<T>({ services, ipAddress }: Context, work: () => Promise<T>): Promise<T> {
  const { exchangeFailures } = services;
  const address = ipAddress ?? "";
  const waitSeconds = Math.ceil(exchangeFailures.waitMs(address) / 1000);
  if (waitSeconds > 0) {
    throw new AppError("RATE_LIMIT_EXCEEDED", `Too many failed exchanges. Try again in ${waitSeconds} s`, {
      headers: { "retry-after": String(waitSeconds) },
    });
  }
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError && error.code === "FORBIDDEN") exchangeFailures.failed(address);
    throw error;
  }
}

const asText = (values: Readonly<Record<string, string | undefined>>): string =>
  Object.entries(values)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&");

export const authorizationRouter = router({
  start: anyone
    .meta(
      rest("GET", "/auth", {
        opaque: ["code_challenge", "state"],
        summary: "Start in a browser: ask a person for a key",
        description:
          "Checks the request and redirects to the consent page, where the person signs in if needed, can reduce what " +
          "the key may do, and approves or denies. The page then calls `callback_url` with `code` and `state`, or " +
          "`error=access_denied` and `state`. A bad request answers 400 here and redirects nowhere.",
        tag,
        public: true,
        rateLimit: "auth",
        redirect: true,
      }),
    )
    .input(AuthorizationQuery)
    .output(z.object({ location: z.string() }))
    .query(({ ctx: { services }, input }) => {
      assertMethodAllowed(input.code_challenge_method, services.config);
      return { location: `/auth?${asText(input)}` };
    }),

  authorize: permitted("keys:write", "workspace")
    .meta(
      rest("POST", "/auth/keys/authorize", {
        opaque: ["code_challenge"],
        summary: "Record a person's consent and make a code",
        description: "Called by the consent page when the person approves.",
        tag,
        errors: [404],
        example: { ...example, key_label: "Example app" },
        idempotent: true,
        audit: { action: "auth.consent", configuration: false },
      }),
    )
    .input(CodeRequest)
    .output(AuthorizationCode)
    .mutation(({ ctx: { services, caller }, input }) => {
      assertMethodAllowed(input.code_challenge_method, services.config);
      return createCode(services.database, caller, "consent", input);
    }),

  code: permitted("keys:write", "workspace")
    .meta(
      rest("POST", "/auth/keys/code", {
        opaque: ["code_challenge"],
        summary: "Create a code from a server",
        description:
          "For servers and command lines that pass a key to somebody else without a screen. The key belongs to you, can " +
          "run inference only, and never exceeds the key that requested it.",
        tag,
        errors: [404],
        example: { ...example, key_label: "Batch job", limit: 5, limit_reset: "daily" },
        idempotent: true,
        audit: { action: "auth.code_created", configuration: false },
      }),
    )
    .input(CodeRequest)
    .output(ProgramCode)
    .mutation(async ({ ctx: { services, caller }, input }) => {
      assertMethodAllowed(input.code_challenge_method, services.config);
      const { code, created_at } = await createCode(services.database, caller, "program", input);
      return { code, created_at, data: { id: code, app_id: 0, created_at } };
    }),

  exchange: anyone
    .meta(
      rest("POST", "/auth/keys", {
        opaque: ["code", "code_verifier"],
        summary: "Exchange a code for its API key",
        description:
          "Once, within ten minutes, with the verifier of the challenge. The same exchange within ten seconds gets the " +
          "same answer, in case the first one was lost; a later one, or one with another verifier, revokes the key.",
        tag,
        public: true,
        rateLimit: "auth",
        errors: [403],
        example: {
          code: "The code your callback was called with",
          code_verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        },
        audit: { action: "api_key.create", configuration: true },
      }),
    )
    .input(CodeExchange)
    .output(IssuedKey)
    .mutation(({ ctx, input }) =>
      throttled(ctx, async () => {
        const { services } = ctx;
        const issued = await exchangeCode(services.database, services.config.KEY_PREFIX, input);
        return issued;
      }),
    ),

  consent: authenticated("organisation")
    .output(ConsentView)
    .query(async ({ ctx: { services, caller } }) => {
      const [account, memberships, balance, workspaces] = await Promise.all([
        identityOf(services.database, caller),
        caller.kind === "person" ? membershipsOf(services.database, caller.userId) : [],
        readBalance(services.database, caller.orgId),
        workspacesOf(services.database, caller),
      ]);
      return {
        email: account.email,
        organisation: account.orgName,
        organisation_id: caller.orgId,
        organisations: memberships.map(({ orgId, orgName }) => ({ id: orgId, name: orgName })),
        balance: decimalFromPico(balance.granted - balance.used, 6),
        may_issue: caller.permissions.has("keys:write"),
        workspaces,
      };
    }),
});
