"use client";

import { type FormEvent, useEffect, useState } from "react";
import type { FieldErrors } from "./field-errors.ts";

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The errors of a form from its first refused submission on; what is corrected loses its error at once. `found` are
 * those of the fields as they are now.
 */
export function useFieldErrors(found: FieldErrors) {
  const [refused, setRefused] = useState<{ readonly form: HTMLFormElement } | null>(null);
  useEffect(() => refused?.form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), [refused]);
  const named = Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const errors: FieldErrors = refused
    ? Object.fromEntries(named.map(([name, text]) => [name, sentence(text)]))
    : {};
  return {
    errors,
    /** Whether a submitted form may be sent. If not, its first wrong field gets the focus. */
    accepts: (event: FormEvent<HTMLFormElement>): boolean => {
      event.preventDefault();
      if (named.length === 0) return true;
      setRefused({ form: event.currentTarget });
      return false;
    },
  };
}
