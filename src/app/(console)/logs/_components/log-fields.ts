interface Key {
  readonly id: string;
  readonly name: string;
}

/** Filters that the log and the refused requests share. */
export const modelField = { name: "model", label: "Model", placeholder: "Model" } as const;

export const keyField = (keys: readonly Key[] = []) =>
  ({ name: "key", label: "Key", options: keys.map(({ id, name }) => ({ value: id, label: name })) }) as const;

export const presetField = { name: "preset", label: "Preset", placeholder: "Preset", isExtra: true } as const;

export const errorField = { name: "error", label: "Error code", placeholder: "Error code" } as const;
