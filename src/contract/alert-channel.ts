import { z } from "zod";
import { alertChannelTypeNames } from "./alert-texts.ts";
import { Paging, Timestamp, Uuid } from "./common.ts";

/** Longer than any address of a mail server or webhook. */
const addressCharsMax = 2_048;

const WebAddress = z
  .url({ protocol: /^https?$/, error: "must be an address such as https://hooks.example.eu/alerts" })
  .refine(
    (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
    "must not contain a user or password",
  )
  .refine((url) => !URL.parse(url)?.hash, "must not have a fragment");

/** What the address of each type of channel has to be. */
export const channelAddresses: Record<AlertChannelType, z.ZodType<string, string>> = {
  email: z.email("must be an e-mail address"),
  webhook: WebAddress,
  slack: WebAddress,
};

/** How notifications are sent. */
export const AlertChannelType = z.enum(alertChannelTypeNames, {
  error: "must be email, webhook or slack",
});
export type AlertChannelType = z.infer<typeof AlertChannelType>;

const Name = z.string().trim().min(1, "must not be empty").max(100, "may have 100 characters at most");
const Address = z
  .string()
  .trim()
  .max(addressCharsMax, `may have ${addressCharsMax} characters at most`)
  .describe("The e-mail address, or the address of the webhook. Stored encrypted.");
const SigningSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/, "must be whsec_ and 24 to 64 bytes in base64");
const signing = "Secret of a webhook: requests are signed according to Standard Webhooks. Stored encrypted.";

/** What is known of a channel whose receiver accepted nothing several times in a row. */
export const AlertChannelPause = z.object({
  reason: z.string().describe("Why the latest attempt failed."),
  since: Timestamp.describe("Time the pause began."),
  next_attempt_at: Timestamp.describe("Time from which one notification is tried again."),
});
export type AlertChannelPause = z.infer<typeof AlertChannelPause>;

/** Whether the owner of an e-mail address agreed to get alerts. */
export const AlertConfirmation = z.enum(["not_needed", "member", "confirmed", "pending"]);
export type AlertConfirmation = z.infer<typeof AlertConfirmation>;

export const AlertChannel = z
  .object({
    id: Uuid.describe("ID of the channel."),
    name: z.string().describe("Name of the channel."),
    type: AlertChannelType.describe("How notifications are sent."),
    target: z
      .string()
      .describe("The e-mail address, or protocol and host of the webhook; its path may be a secret."),
    is_signed: z.boolean().describe("Whether requests are signed."),
    paused: AlertChannelPause.nullable().describe(
      "Why nothing is sent at the moment; null if the channel is not paused. A test that is accepted ends the pause.",
    ),
    confirmation: AlertConfirmation.describe(
      "`not_needed`: no e-mail address; `member`: the verified address of a member; `confirmed`: by the owner of the " +
        "address; `pending`: nothing but a confirmation mail is sent until the owner confirms.",
    ),
    confirmation_expires_at: Timestamp.nullable().describe(
      "Until when the link in the latest confirmation mail can be used; null if there is none.",
    ),
    problem: z
      .string()
      .nullable()
      .describe("Why the stored channel cannot be read, so that nothing is sent; null if it can be read."),
    created_at: Timestamp.describe("Time the channel was created."),
    updated_at: Timestamp.describe("Time the channel was last changed."),
  })
  .meta({ id: "AlertChannel" });
export type AlertChannel = z.infer<typeof AlertChannel>;

export const AlertChannelCreate = z.strictObject({
  name: Name.describe("Name of the channel, unique in the organisation."),
  type: AlertChannelType.describe("How notifications are sent. It cannot be changed later."),
  address: Address,
  signing_secret: SigningSecret.nullish().describe(signing),
});
export type AlertChannelCreate = z.infer<typeof AlertChannelCreate>;

export const AlertChannelUpdate = z.strictObject({
  id: Uuid.describe("ID of the channel."),
  name: Name.optional().describe("New name, unique in the organisation."),
  address: Address.optional(),
  signing_secret: SigningSecret.nullish().describe(
    "New secret of a webhook; null to send without a signature.",
  ),
});
export type AlertChannelUpdate = z.infer<typeof AlertChannelUpdate>;

export const AlertSearch = z
  .string()
  .trim()
  .min(1, "must not be empty")
  .max(100, "may have 100 characters at most");

export const AlertChannelListQuery = Paging.extend({
  search: AlertSearch.describe("Text to find in the name or target.").optional(),
  type: AlertChannelType.describe("Return only channels of this type.").optional(),
});
export type AlertChannelListQuery = z.infer<typeof AlertChannelListQuery>;

export const AlertChannelTest = z
  .object({
    success: z.boolean().describe("Whether the receiver accepted the test."),
    message: z.string().describe("Result in words, with advice if the test failed."),
  })
  .meta({ id: "AlertChannelTest" });
export type AlertChannelTest = z.infer<typeof AlertChannelTest>;

export const AlertChannelConfirm = z.strictObject({
  token: z
    .string()
    .min(1, "must not be empty")
    .max(100, "is not valid")
    .describe("The token in the link of the mail."),
});
export type AlertChannelConfirm = z.infer<typeof AlertChannelConfirm>;

export const ConfirmedAddress = z
  .object({
    address: z.string().describe("The address that gets alerts from now on."),
    organisation: z.string().describe("Name of the organisation whose alerts it gets."),
  })
  .describe("What was confirmed.");
export type ConfirmedAddress = z.infer<typeof ConfirmedAddress>;
