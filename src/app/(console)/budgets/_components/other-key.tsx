import { Button, Group, TextInput } from "@mantine/core";
import { useState } from "react";
import { BudgetDimensionName } from "#contract/budget.ts";
import { metadataPrefix } from "#contract/budget-dimensions.ts";

/** Adds a key of `metadata` that is no tag of the organisation. It is counted separately until something else is chosen. */
export function OtherKey({ onAdd }: { readonly onAdd: (name: string) => void }) {
  const [key, setKey] = useState("");
  const name = `${metadataPrefix}${key.trim()}`;
  const isValid = BudgetDimensionName.safeParse(name).success;
  function add() {
    if (!isValid) return;
    onAdd(name);
    setKey("");
  }
  return (
    <Group align="end" gap="xs">
      <TextInput
        flex={1}
        label="Another key of metadata"
        placeholder="Such as team"
        maxLength={64}
        value={key}
        onChange={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // The form is not complete yet.
          event.preventDefault();
          add();
        }}
        error={key.trim() !== "" && !isValid && "may have letters, digits, _, . and - only"}
      />
      <Button variant="default" onClick={add} disabled={!isValid}>
        Add
      </Button>
    </Group>
  );
}
