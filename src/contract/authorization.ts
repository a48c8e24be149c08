import { z } from "zod";
import { CallbackUrl, callbackCharsMax } from "./callback-url.ts";
import { Timestamp, Uuid } from "./common.ts";
import { demandLimit, KeyExpiry, KeyLimit, KeyName, LimitReset } from "./key.ts";
import { list } from "./list.ts";

/** The alphabet and lengths of RFC 7636 4.1, for verifiers and, as spec.md has it, for challenges of both methods. */
const Verifier = z
  .string()
  .min(43, "must have at least 43 characters")
  .max(128, "may have 128 characters at most")
  .regex(/^[A-Za-z0-9._~-]*$/, "may hold letters, digits and -._~ only");

const Method = z.enum(["S256", "plain"], { error: "must be S256 or plain" });

const challengeFields = {
  callback_url: CallbackUrl,
  code_challenge: Verifier,
  code_challenge_method: Method.default("S256"),
};

/** Lone surrogates and broken UTF-8 could not be given back as they came. */
const State = z
  .string()
  .max(4096, "may have 4,096 characters at most")
  .refine((text) => !/[\uFFFD\p{Cs}]/u.test(text), "must be valid UTF-8");
const ClientId = z.string().max(256, "may have 256 characters at most");

const redirectUriMessage = "must be the same as callback_url when both are given";

/** The query of `GET /auth` and of the consent page, where a browser begins. */
export const AuthorizationQuery = z
  .object({
    ...challengeFields,
    state: State.optional(),
    response_type: z.literal("code", { error: "can only be code" }).optional(),
    client_id: ClientId.optional(),
    redirect_uri: z.string().max(callbackCharsMax).optional(),
    key_label: KeyName.optional(),
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
    key_label: KeyName.optional(),
    client_id: ClientId.optional(),
    workspace_id: Uuid.nullish(),
    allowed_models: list(z.string().min(1).max(200)).max(200).nullish(),
    limit: KeyLimit.nullish(),
    limit_reset: LimitReset.nullish(),
    /** The name OpenRouter's clients use for `limit_reset`. */
    usage_limit_type: LimitReset.nullish(),
    expires_at: KeyExpiry.nullish(),
  })
  .superRefine(demandLimit);
export type CodeRequest = z.infer<typeof CodeRequest>;

/** A code, unwrapped (spec.md). It is exchanged once, within ten minutes. */
export const AuthorizationCode = z
  .object({ code: z.string(), created_at: Timestamp })
  .meta({ id: "AuthorizationCode" });
export type AuthorizationCode = z.infer<typeof AuthorizationCode>;

export const CodeExchange = z.object({
  code: z.string().min(1, "must not be empty").max(256, "may have 256 characters at most"),
  code_verifier: Verifier,
  code_challenge_method: Method.nullish(),
});
export type CodeExchange = z.infer<typeof CodeExchange>;

/** The key an app gets for its code, unwrapped (spec.md). */
export const IssuedKey = z.object({ key: z.string(), user_id: z.string() }).meta({ id: "IssuedKey" });
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
