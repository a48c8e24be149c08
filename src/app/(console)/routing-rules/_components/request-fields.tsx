"use client";

import { type ComboboxItem, type ComboboxParsedItem, MultiSelect, Text } from "@mantine/core";
import { type MediaModality, mediaModalities } from "#contract/modalities.ts";
import { matchesParameter, parameterDescription, parameterGroups } from "./request-parameters.ts";

/** What a request is tried with, besides its model. */
export interface TriedRequest {
  /** What it holds besides text. */
  readonly modalities: readonly string[];
  /** The names of the fields that it sets. */
  readonly parameters: readonly string[];
}

const contentNames: Record<MediaModality, string> = {
  image: "Images",
  audio: "Audio",
  file: "Files (PDF and other documents)",
  video: "Video",
};

const isShown = (item: ComboboxItem, search: string) => matchesParameter(item.value, search);

/** Groups with the fields that match; groups without one are left out. */
const filter = ({ options, search }: { options: ComboboxParsedItem[]; search: string }) =>
  options.flatMap((option): ComboboxParsedItem[] => {
    if (!("group" in option)) return isShown(option, search) ? [option] : [];
    const items = option.items.filter((item) => typeof item === "object" && isShown(item, search));
    return items.length > 0 ? [{ ...option, items }] : [];
  });

interface RequestFieldsProps {
  readonly value: TriedRequest;
  readonly onChange: (value: TriedRequest) => void;
}

/** What the tried request contains and which fields it sets. */
export function RequestFields({ value, onChange }: RequestFieldsProps) {
  const { modalities, parameters } = value;
  return (
    <>
      <MultiSelect
        label="Content of the request"
        placeholder={modalities.length === 0 ? "Text only" : ""}
        clearable
        value={[...modalities]}
        onChange={(chosen) =>
          onChange({ ...value, modalities: mediaModalities.filter((one) => chosen.includes(one)) })
        }
        data={mediaModalities.map((one) => ({ value: one, label: contentNames[one] }))}
      />
      <MultiSelect
        label="Parameters of the request"
        description="Shows for each provider what is sent, renamed, limited or left out."
        placeholder={parameters.length === 0 ? "Search, such as tools or temperature" : ""}
        searchable
        clearable
        hidePickedOptions
        maxValues={64}
        value={[...parameters]}
        onChange={(chosen) => onChange({ ...value, parameters: chosen })}
        data={parameterGroups}
        filter={filter}
        renderOption={({ option }) => (
          <div>
            <Text size="sm">{option.value}</Text>
            <Text size="xs" c="dimmed">
              {parameterDescription(option.value)}
            </Text>
          </div>
        )}
        nothingFoundMessage="No matching parameter"
      />
    </>
  );
}
