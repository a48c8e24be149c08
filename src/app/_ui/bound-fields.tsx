import { NativeSelect, TextInput } from "@mantine/core";
import { expiryChoices, resetChoices } from "../_lib/key-bounds.ts";

interface BoundFieldsProps {
  readonly limit: string;
  /** One of the values of `expiryChoices`. */
  readonly days: string;
}

/** What a key may spend and how long it lives; read with `boundsIn`. */
export function BoundFields({ limit, days }: BoundFieldsProps) {
  return (
    <>
      <TextInput
        name="limit"
        label="Spending limit in euros"
        description="Empty: no limit but your credit"
        inputMode="decimal"
        pattern="[0-9]+([.][0-9]{1,6})?"
        defaultValue={limit}
      />
      <NativeSelect name="limit_reset" label="The limit starts anew" data={resetChoices} />
      <NativeSelect name="days" label="The key ends" data={expiryChoices} defaultValue={days} />
    </>
  );
}
