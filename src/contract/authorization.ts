import { z } from "zod";
import { CallbackUrl, callbackCharsMax } from "./callback-url.ts";
import { Timestamp, Uuid } from "./common.ts";
import { assertLimit, KeyExpiry, KeyLimit, KeyName, LimitReset } from "./key.ts";
import { list } from "./list.ts";

/** The alphabet and lengths of RFC 7636 4.1, for verifiers and for challenges of both methods. */
const Verifier = z
  .string()
  .min(43, "must have at least 43 characters")
  .max(128, "may have 128 characters at most")
  .regex(/^[A-Za-z0-9._~-]*$/, "may hold letters, digits and -._~ only");

const Method = z.enum(["S256", "plain"], { error: "must be S256 or plain" });

const challengeFields = {
  callback_url: CallbackUrl.describe(
    "Address of the app that receives the code: https, or http on localhost, 127.0.0.1 or [::1].",
  ),
  code_challenge: Verifier.describe(
    "PKCE challenge: the base64url SHA-256 of the code verifier, or the verifier itself with `plain`.",
  ),
  code_challenge_method: Method.default("S256").describe(
    "How the challenge was made; `plain` only where the installation allows it.",
  ),
};

/** Lone surrogates and broken UTF-8 could not be given back as they came. */
const State = z
  .string()
  .max(4096, "may have 4,096 characters at most")
  .refine((text) => !/[\uFFFD\p{Cs}]/u.test(text), "must be valid UTF-8");
const ClientId = z
  .string()
  .max(256, "may have 256 characters at most")
  .describe("Name the app gives itself; it is not verified.");
const KeyLabel = KeyName.describe("Name of the issued key; the host of `callback_url` by default.");

const redirectUriMessage = "must be the same as callback_url when both are given";

/** The query of `GET /auth` and of the consent page, where a browser begins. */
export const AuthorizationQuery = z
  .object({
    ...challengeFields,
    state: State.describe("Opaque value that is returned to the callback unchanged.").optional(),
    response_type: z
      .literal("code", { error: "can only be code" })
      .describe("OAuth 2.0 response type, always `code`.")
      .optional(),
    client_id: ClientId.optional(),
    redirect_uri: z
      .string()
      .max(callbackCharsMax)
      .describe("OAuth 2.0 name of `callback_url`; must be the same if sent.")
      .optional(),
    key_label: KeyLabel.optional(),
  })
  .superRefine((query, context) => {
    if (query.redirect_uri !== undefined && query.redirect_uri !== query.callback_url) {
      context.addIssue({ code: "custom", path: ["redirect_uri"], message: redirectUriMessage });
    }
  });
export type AuthorizationQuery = z.infer<typeof AuthorizationQuery>;

/** What a code is asked for with. The key it brings has these bounds and those of who asks. */
export const CodeRequest = z
  .strictObject({
    ...challengeFields,
    key_label: KeyLabel.optional(),
    client_id: ClientId.optional(),
    workspace_id: Uuid.nullish().describe("ID of the workspace the key will belong to; null for none."),
    allowed_models: list(z.string().min(1).max(200))
      .max(200)
      .nullish()
      .describe("IDs of the models the key may use; null for every model, empty for none."),
    limit: KeyLimit.nullish().describe("Spending limit in euros, up to six decimals; null for no limit."),
    limit_reset: LimitReset.nullish().describe(
      "How often the limit resets (UTC; weeks start on Monday); null to never reset it. Needs a limit.",
    ),
    usage_limit_type: LimitReset.nullish().describe(
      "Alias of `limit_reset` for OpenRouter clients; `limit_reset` takes precedence.",
    ),
    expires_at: KeyExpiry.nullish().describe("Time the key stops working; null if it never expires."),
  })
  .superRefine(assertLimit);
export type CodeRequest = z.infer<typeof CodeRequest>;

/** A code, unwrapped. */
export const AuthorizationCode = z
  .object({
    code: z.string().describe("Code to exchange for the key, once and within ten minutes."),
    created_at: Timestamp.describe("Time the code was created."),
  })
  .meta({ id: "AuthorizationCode" });
export type AuthorizationCode = z.infer<typeof AuthorizationCode>;

/** A code as a program gets it. */
export const ProgramCode = AuthorizationCode.extend({
  data: z
    .object({
      id: z.string().describe("Same as `code`."),
      app_id: z.literal(0).describe("Always 0: apps are not numbered."),
      created_at: Timestamp.describe("Same as `created_at` outside."),
    })
    .describe("The code as OpenRouter's clients read it."),
}).meta({ id: "ProgramCode" });

export const CodeExchange = z.object({
  code: z
    .string()
    .min(1, "must not be empty")
    .max(256, "may have 256 characters at most")
    .describe("Code to exchange."),
  code_verifier: Verifier.describe("PKCE verifier that the challenge was made from."),
  code_challenge_method: Method.nullish().describe(
    "Challenge method; if sent, it must be the one the code was made with.",
  ),
});
export type CodeExchange = z.infer<typeof CodeExchange>;

/** The key an app gets for its code, unwrapped. */
export const IssuedKey = z
  .object({
    key: z.string().describe("The issued API key."),
    user_id: z.string().describe("ID of the user or service account that owns the key."),
  })
  .meta({ id: "IssuedKey" });
export type IssuedKey = z.infer<typeof IssuedKey>;

/** What the consent page shows of who is asked. */
export const ConsentView = z.object({
  email: z.string().nullable(),
  organisation: z.string(),
  organisation_id: Uuid,
  /** Where the person could act instead; the page can switch. */
  organisations: z.array(z.object({ id: Uuid, name: z.string() })),
  balance: z.string(),
  may_issue: z.boolean(),
  workspaces: z.array(z.object({ id: Uuid, name: z.string() })),
});
export type ConsentView = z.infer<typeof ConsentView>;
