import { Anchor, NativeSelect, Stack, Text } from "@mantine/core";
import Link from "next/link";
import type { FieldErrors } from "#app/_lib/field-errors.ts";
import { useIsOperator } from "#app/_lib/use-may.ts";
import { Facts } from "#app/_ui/facts.tsx";
import { LimitToField } from "#app/_ui/limit-to-field.tsx";
import { NameField } from "#app/_ui/text-fields.tsx";
import type { AlertChannel } from "#contract/alert-channel.ts";
import { AlertKind, AlertScope } from "#contract/alert-kind.ts";
import { alertKindTexts } from "#contract/alert-texts.ts";
import { kindOptions, muteChoices, mutedText, scopesOf } from "./alert-text.ts";
import { type RuleDraft, withKind } from "./draft.ts";
import { SettingsFields } from "./settings-fields.tsx";

interface RuleFieldsProps {
  readonly draft: RuleDraft;
  readonly onChange: (draft: RuleDraft) => void;
  /** What a stored rule watches cannot be changed. */
  readonly stored: boolean;
  readonly channels: readonly AlertChannel[];
  readonly errors: FieldErrors;
}

const scopeTexts: Record<AlertScope, string> = {
  organisation: "This organisation",
  installation: "All organisations of the installation",
};

const ruleMutes = [{ value: "", label: "Not muted" }, ...muteChoices];

/** What a new rule watches, and where. */
function WatchedFields({ draft, onChange, errors }: Pick<RuleFieldsProps, "draft" | "onChange" | "errors">) {
  const isOperator = useIsOperator();
  const { scopes, description } = alertKindTexts[draft.kind];
  const offered = kindOptions.filter(({ value }) => isOperator || scopesOf(value).includes("organisation"));
  return (
    <>
      <NativeSelect
        label="Kind"
        description={description}
        value={draft.kind}
        onChange={(event) => onChange(withKind(draft, AlertKind.parse(event.currentTarget.value)))}
        error={errors.kind}
        data={offered}
      />
      {isOperator && (
        <NativeSelect
          label="Scope"
          value={draft.scope}
          onChange={(event) => onChange({ ...draft, scope: AlertScope.parse(event.currentTarget.value) })}
          error={errors.scope}
          data={scopes.map((value) => ({ value, label: scopeTexts[value] }))}
        />
      )}
    </>
  );
}

const StoredFacts = ({ draft: { kind, scope } }: Pick<RuleFieldsProps, "draft">) => (
  <Facts
    label="What is watched"
    rows={[
      ["Kind", alertKindTexts[kind].title],
      ["Scope", scopeTexts[scope]],
      ["Alerts when", alertKindTexts[kind].description],
    ]}
  />
);

/** All that can be set of an alert rule. */
export function RuleFields({ draft, onChange, stored, channels, errors }: RuleFieldsProps) {
  const set = (change: Partial<RuleDraft>) => onChange({ ...draft, ...change });
  const isTime = draft.muted !== "" && !ruleMutes.some(({ value }) => value === draft.muted);
  return (
    <Stack>
      <NameField
        withAsterisk
        description="Notifications contain it"
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        error={errors.name}
        data-autofocus={!stored}
      />
      {stored ? (
        <StoredFacts draft={draft} />
      ) : (
        <WatchedFields draft={draft} onChange={onChange} errors={errors} />
      )}
      <SettingsFields
        kind={draft.kind}
        typed={draft.settings}
        errors={errors}
        onChange={(settings) => set({ settings })}
      />
      <LimitToField
        label="Channels"
        all="None: history only"
        nothingFound="No matching channel"
        choices={channels.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.channelIds}
        onChange={(channelIds) => set({ channelIds })}
      />
      {channels.length === 0 && (
        <Text size="xs" c="dimmed">
          Add an e-mail address or a webhook under{" "}
          <Anchor component={Link} href="/alerts/channels" inherit underline="always">
            Channels
          </Anchor>{" "}
          first.
        </Text>
      )}
      {stored && (
        <NativeSelect
          label="Mute"
          description="Nothing new is sent. What is still open when the time is over is sent then."
          value={draft.muted}
          onChange={(event) => set({ muted: event.currentTarget.value })}
          data={[...(isTime ? [{ value: draft.muted, label: mutedText(draft.muted) }] : []), ...ruleMutes]}
        />
      )}
    </Stack>
  );
}
