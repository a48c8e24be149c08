import { type FieldErrors, fieldErrorsOf } from "#app/_lib/field-errors.ts";
import {
  type AlertChannel,
  AlertChannelCreate,
  type AlertChannelType,
  channelAddresses,
} from "#contract/alert-channel.ts";
import { alertChannelTexts } from "#contract/alert-texts.ts";

/** A channel as the form holds it. Address and secret of a stored one are never shown: empty keeps them. */
export interface ChannelDraft {
  readonly name: string;
  readonly type: AlertChannelType;
  readonly address: string;
  readonly isSigned: boolean;
  readonly secret: string;
}

export const newDraft: ChannelDraft = { name: "", type: "email", address: "", isSigned: false, secret: "" };

export const draftOf = ({ name, type, is_signed: isSigned }: AlertChannel): ChannelDraft => ({
  ...newDraft,
  name,
  type,
  isSigned,
});

const signs = ({ type, isSigned }: ChannelDraft): boolean => alertChannelTexts[type].signs && isSigned;

export const createOf = (draft: ChannelDraft): AlertChannelCreate => ({
  name: draft.name.trim(),
  type: draft.type,
  address: draft.address.trim(),
  ...(signs(draft) && { signing_secret: draft.secret.trim() }),
});

/** Only what was typed is changed. */
export const changeOf = (draft: ChannelDraft, stored: AlertChannel) => ({
  name: draft.name.trim(),
  ...(draft.address.trim() !== "" && { address: draft.address.trim() }),
  ...(signs(draft) && draft.secret.trim() !== "" && { signing_secret: draft.secret.trim() }),
  ...(stored.is_signed && !draft.isSigned && { signing_secret: null }),
});

/** What is wrong with a draft, by field. A stored channel needs neither address nor secret again. */
export function errorsOf(draft: ChannelDraft, stored: AlertChannel | null): FieldErrors {
  const body = createOf(draft);
  const keepsAddress = stored !== null && body.address === "";
  const keepsSecret = stored?.is_signed === true && body.signing_secret === "";
  const { signing_secret, ...rest } = body;
  const [issue] = keepsAddress
    ? []
    : (channelAddresses[draft.type].safeParse(body.address).error?.issues ?? []);
  return {
    ...fieldErrorsOf(AlertChannelCreate, keepsSecret ? rest : body),
    ...(issue && { address: issue.message }),
  };
}
