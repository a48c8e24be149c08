"use client";

import { parseAsString, useQueryStates } from "nuqs";

/** A filter of a screen. Its value is in the URL under the field's name. */
export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** What there is to choose from; without it any text may be typed. */
  readonly options?: readonly { readonly value: string; readonly label: string }[] | undefined;
  readonly placeholder?: string;
  /** Values that a text field suggests; others can be typed too. */
  readonly suggestions?: readonly string[];
  /** Shown only when it filters, or when a person added it. */
  readonly isExtra?: boolean;
  /** The field that `/` goes to; at most one of a screen. */
  readonly search?: true;
}

export interface Filters<Name extends string> {
  /** By field; null where it does not narrow. */
  readonly values: Readonly<Record<Name, string | null>>;
  readonly active: number;
  set(name: Name, value: string | null): void;
  clear(): void;
}

/**
 * The filters of a screen, stored in the URL, so that a view can be shared and the browser's back button works.
 * `also` names what is reset when a filter changes, such as the page.
 */
export function useFilters<const Name extends string>(
  names: readonly Name[],
  also: readonly string[] = [],
): Filters<Name> {
  const keys = [...names, ...also];
  const [stored, store] = useQueryStates(Object.fromEntries(keys.map((name) => [name, parseAsString])), {
    history: "replace",
  });
  const values = Object.fromEntries(names.map((name) => [name, stored[name] || null])) as Record<
    Name,
    string | null
  >;
  const reset = Object.fromEntries(also.map((name) => [name, null]));
  return {
    values,
    active: names.filter((name) => values[name] !== null).length,
    set: (name, value) => void store({ ...reset, [name]: value || null }),
    clear: () => void store(null),
  };
}
