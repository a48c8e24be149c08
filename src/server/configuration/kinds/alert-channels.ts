import { AlertChannelCreate, AlertChannelUpdate } from "#contract/alert-channel.ts";
import type { Values } from "#contract/configuration-form.ts";
import { configurationForms } from "#contract/configuration-kinds.ts";
import { secretMask } from "#contract/destination.ts";
import { secretReferencePattern } from "#contract/secret-reference.ts";
import {
  type ChannelSecrets,
  channelSecrets,
  createChannel,
  deleteChannel,
  listChannels,
  updateChannel,
} from "#server/alerts/index.ts";
import { changedSecret } from "#server/destinations/index.ts";
import { limits } from "#server/platform/limits.ts";
import { changedInput, everyPage, type Kind, textOf } from "../kind.ts";
import type { Session } from "../session.ts";

const form = configurationForms.alert_channels;
const defaults = {};
const noSecrets: Partial<ChannelSecrets> = {};

/** The value of a field, which can be a reference. Undefined if it is one whose value is not known. */
const resolved = ({ secrets }: Session, value: unknown): string | undefined => {
  const text = textOf(value);
  return secretReferencePattern.test(text) ? secrets.get(text) : text;
};

/** The fields that contain secrets, with their values; those that are not known are absent. */
function secretInput(session: Session, { address, signing_secret }: Values): Partial<ChannelSecrets> {
  const [known, secret] = [resolved(session, address), resolved(session, signing_secret)];
  return {
    ...(known !== undefined && { address: known }),
    ...(signing_secret == null
      ? { signing_secret: null }
      : secret !== undefined && { signing_secret: secret }),
  };
}

const masked = (value: string | null | undefined, stored: string | null | undefined): string =>
  value === undefined || value === stored ? secretMask : changedSecret;

export const alertChannels: Kind = {
  kind: "alert_channels",
  form,
  permissions: { read: "alerts:read", write: "alerts:write", delete: "alerts:write" },
  secretFields: ["address", "signing_secret"],
  defaults,
  fixed: ["type"],
  isReplaced: true,
  comment: "Channels of alerts. An address that contains a secret is a reference.",
  identify: ({ name }) => ({ key: textOf(name), name: textOf(name) }),
  workspaceOf: () => null,
  async read({ alerts, as }) {
    const reader = as("alerts:read");
    const rows = await everyPage((paging) => listChannels(alerts, reader, paging), limits.lists.rowsMax);
    return rows.map(({ id, name, type, target, is_signed }) => ({
      id,
      values: {
        name,
        type,
        address: type === "email" ? target : secretMask,
        signing_secret: is_signed ? secretMask : null,
      },
    }));
  },
  async comparable(session, values, current) {
    const stored = current
      ? await channelSecrets(session.alerts, session.as("alerts:read"), current.id)
      : noSecrets;
    const { address, signing_secret } = secretInput(session, values);
    const isShown = values.type === "email" && address !== undefined;
    return {
      ...values,
      address: isShown ? address : masked(address, stored.address),
      signing_secret: values.signing_secret == null ? null : masked(signing_secret, stored.signing_secret),
    };
  },
  create(session, values) {
    const input = form.input(values, (...reference) => session.names.idOf(...reference));
    return createChannel(
      session.alerts,
      session.as("alerts:write"),
      AlertChannelCreate.parse({ ...input, ...secretInput(session, values) }),
    );
  },
  async update(session, difference) {
    const { id, values, changed } = difference;
    const { address: _, ...input } = changedInput({ form, defaults }, session, difference);
    const secrets =
      changed.has("address") || changed.has("signing_secret") ? secretInput(session, values) : {};
    await updateChannel(
      session.alerts,
      session.as("alerts:write"),
      AlertChannelUpdate.parse({ ...input, ...secrets, id }),
    );
  },
  remove: ({ alerts, as }, id) => deleteChannel(alerts, as("alerts:write"), id),
};
