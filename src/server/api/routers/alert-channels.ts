import { z } from "zod";
import {
  AlertChannel,
  AlertChannelConfirm,
  AlertChannelCreate,
  AlertChannelListQuery,
  AlertChannelTest,
  AlertChannelUpdate,
  ConfirmedAddress,
} from "#contract/alert-channel.ts";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  askAgain,
  confirmAddress,
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  testChannel,
  updateChannel,
} from "#server/alerts/index.ts";
import { anyone, deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Alerts";
const ById = z.object({ id: Uuid.describe("ID of the channel.") });
const opaque = ["address", "signing_secret"];

export const alertChannelsRouter = router({
  list: permitted("alerts:read", "organisation")
    .meta(
      rest("GET", "/alert-channels", {
        summary: "List alert channels",
        description: "Where alerts are sent, the newest first. Secrets are not returned.",
        tag,
      }),
    )
    .input(AlertChannelListQuery)
    .output(dataList(AlertChannel))
    .query(({ ctx, input }) => listChannels(ctx.services.alerts.deps, ctx.caller, input)),

  create: permitted("alerts:write", "organisation")
    .meta(
      rest("POST", "/alert-channels", {
        summary: "Create an alert channel",
        description:
          "An e-mail address, a webhook (Standard Webhooks) or a Slack-compatible webhook. Address and secret are " +
          "stored encrypted. Rules name the channels that they notify. An e-mail address that belongs to no member " +
          "gets a mail with a link, and nothing else until its owner confirms.",
        tag,
        opaque,
        status: 201,
        errors: [409],
        example: {
          name: "On call",
          type: "slack",
          address: "https://hooks.slack.com/services/T000/B000/XXXX",
        },
        idempotent: true,
        audit: { action: "alert_channel.create", configuration: false },
      }),
    )
    .input(AlertChannelCreate)
    .output(data(AlertChannel))
    .mutation(async ({ ctx, input }) => ({
      data: await createChannel(ctx.services.alerts.deps, ctx.caller, input),
    })),

  get: permitted("alerts:read", "organisation")
    .meta(
      rest("GET", "/alert-channels/{id}", {
        summary: "Get an alert channel",
        description: "Without its secrets.",
        tag,
        errors: [404],
      }),
    )
    .input(ById)
    .output(data(AlertChannel))
    .query(async ({ ctx, input }) => ({
      data: await getChannel(ctx.services.alerts.deps, ctx.caller, input.id),
    })),

  update: permitted("alerts:write", "organisation")
    .meta(
      rest("PATCH", "/alert-channels/{id}", {
        summary: "Change an alert channel",
        description: "Changes only the fields that are sent. Pending notifications go to the new address.",
        tag,
        opaque,
        errors: [404, 409],
        example: { name: "On call, day" },
        audit: { action: "alert_channel.update", configuration: false },
      }),
    )
    .input(AlertChannelUpdate)
    .output(data(AlertChannel))
    .mutation(async ({ ctx, input }) => ({
      data: await updateChannel(ctx.services.alerts.deps, ctx.caller, input),
    })),

  askConfirmation: permitted("alerts:write", "organisation")
    .meta(
      rest("POST", "/alert-channels/{id}/confirmation", {
        summary: "Send another confirmation mail",
        description:
          "For an e-mail address that belongs to no member. The link of an earlier mail does not work any more. An " +
          "address gets three such mails a day at most. Answers 409 if the channel needs no confirmation.",
        tag,
        errors: [404, 409],
        audit: { action: "alert_channel.ask_confirmation", configuration: false },
      }),
    )
    .input(ById)
    .output(data(AlertChannel))
    .mutation(async ({ ctx, input }) => ({
      data: await askAgain(ctx.services.alerts.deps, ctx.caller, input.id),
    })),

  confirm: anyone
    .meta(
      rest("POST", "/alert-channels/confirm", {
        summary: "Confirm an e-mail address",
        description:
          "With the token in the link of the mail, once. The page of the link calls this when its reader confirms, so " +
          "that programs that open links confirm nothing.",
        tag,
        public: true,
        opaque: ["token"],
        errors: [404],
        example: { token: "0123456789abcdefghijklmnopqrstuvwxyzABCDEFG" },
        audit: { action: "alert_channel.confirm", configuration: false },
      }),
    )
    .input(AlertChannelConfirm)
    .output(data(ConfirmedAddress))
    .mutation(async ({ ctx, input }) => ({
      data: await confirmAddress(ctx.services.alerts.deps, input.token),
    })),

  remove: permitted("alerts:write", "organisation")
    .meta(
      rest("DELETE", "/alert-channels/{id}", {
        summary: "Delete an alert channel",
        description: "With the history of its notifications. Answers 409 while a rule uses it.",
        tag,
        errors: [404, 409],
        audit: { action: "alert_channel.delete", configuration: false },
      }),
    )
    .input(ById)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await deleteChannel(ctx.services.alerts.deps, ctx.caller, input.id);
      return deleted;
    }),

  test: permitted("alerts:write", "organisation")
    .meta(
      rest("POST", "/alert-channels/{id}/test", {
        summary: "Send a test to an alert channel",
        description:
          "Sends a message of the type `alert.test` and reports whether the receiver accepted it. If it did, a pause of " +
          "the channel ends, and what waits is sent. Ten tests a minute per organisation, including those of " +
          "destinations and provider credentials.",
        tag,
        rateLimit: "test",
        errors: [404],
        audit: { none: "sends a test to the channel, which can end its pause, and changes no setting" },
      }),
    )
    .input(ById)
    .output(data(AlertChannelTest))
    .mutation(async ({ ctx, input }) => ({
      data: await testChannel(ctx.services.alerts.deps, ctx.caller, input.id),
    })),
});
