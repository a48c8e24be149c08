import { NativeSelect, PasswordInput, Stack, Switch, TextInput } from "@mantine/core";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import { type AlertChannel, AlertChannelType } from "#contract/alert-channel.ts";
import { alertChannelTexts } from "#contract/alert-texts.ts";
import type { ChannelDraft } from "./channel-draft.ts";

interface ChannelFieldsProps {
  readonly draft: ChannelDraft;
  readonly onChange: (draft: ChannelDraft) => void;
  /** Null for a new one. */
  readonly stored: AlertChannel | null;
  readonly errors: FieldErrors;
}

const typeOptions = AlertChannelType.options.map((value) => ({
  value,
  label: alertChannelTexts[value].title,
}));

/** All that can be set of a channel. */
export function ChannelFields({ draft, onChange, stored, errors }: ChannelFieldsProps) {
  const set = (change: Partial<ChannelDraft>) => onChange({ ...draft, ...change });
  const { title, description, addressLabel, signs } = alertChannelTexts[draft.type];
  return (
    <Stack>
      <NameField
        withAsterisk
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus={!stored}
      />
      {stored ? (
        <Facts
          label="Channel"
          rows={[
            ["Type", title],
            ["Sends to", stored.target],
          ]}
        />
      ) : (
        <NativeSelect
          label="Type"
          description={description}
          value={draft.type}
          onChange={(event) => set({ type: AlertChannelType.parse(event.currentTarget.value) })}
          data={typeOptions}
        />
      )}
      <TextInput
        label={stored ? `New ${addressLabel.toLowerCase()}` : addressLabel}
        description={
          stored ? "Empty keeps the stored one, which is encrypted" : "Stored encrypted and not shown again"
        }
        required={!stored}
        type={draft.type === "email" ? "email" : "url"}
        autoComplete="off"
        value={draft.address}
        onChange={(event) => set({ address: event.currentTarget.value })}
        error={errors.address}
      />
      {signs && (
        <Switch
          label="Sign requests"
          description="According to Standard Webhooks, so that the receiver can verify the sender"
          checked={draft.isSigned}
          onChange={(event) => set({ isSigned: event.currentTarget.checked })}
        />
      )}
      {signs && draft.isSigned && (
        <PasswordInput
          label="Signing secret"
          description={
            stored?.is_signed ? "Empty keeps the stored one" : "whsec_ and 24 to 64 random bytes in base64"
          }
          autoComplete="off"
          value={draft.secret}
          onChange={(event) => set({ secret: event.currentTarget.value })}
          error={errors.signing_secret}
        />
      )}
    </Stack>
  );
}
