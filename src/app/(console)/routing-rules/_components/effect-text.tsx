"use client";

import { createContext, type ReactNode, use } from "react";
import { type Effects, effectText } from "./effects.ts";

/** What the fields of the edited rule exclude; null while it is not known. */
export const EffectsContext = createContext<Effects | null>(null);

/** The hint of a field with what the field excludes just now. */
export function useHint(field: string, hint?: string): ReactNode {
  const effects = use(EffectsContext);
  const effect = effects && effectText(effects, field);
  if (!effect) return hint;
  return (
    <>
      {hint}
      {hint && <br />}
      <strong>{effect}</strong>
    </>
  );
}
