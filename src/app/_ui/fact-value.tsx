import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Citation } from "#contract/catalogue-view.ts";
import { Sources } from "./sources.tsx";

interface FactValueProps<T> {
  readonly fact: {
    readonly value: T | null;
    readonly sources: readonly Citation[];
    readonly as_of: string | null;
    readonly expires_at: string | null;
    readonly confidence: string;
    readonly expired: boolean;
  };
  readonly show: (value: T) => ReactNode;
}

/** A claim with where it comes from, how sure that is and how old. */
export function FactValue<T>({ fact, show }: FactValueProps<T>) {
  const { value, sources, as_of, expires_at, confidence, expired } = fact;
  return (
    <>
      <Text size="sm">{value === null ? "Unknown (treated as the worst case)" : show(value)}</Text>
      {expired && (
        <Text size="xs" c="red.8">
          Expired on {expires_at} (treated as unknown)
        </Text>
      )}
      {value !== null && <Sources sources={sources} asOf={as_of} confidence={confidence} />}
    </>
  );
}
