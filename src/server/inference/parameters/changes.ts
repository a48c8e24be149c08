import type { ParameterChanges as ParameterReport } from "#contract/parameter-changes.ts";

const add = <T>(list: readonly T[] | undefined, item: T): T[] => (list ? [...list, item] : [item]);

/** Collects the changes of one attempt. Most requests have none, and need no memory for them. */
export class ParameterChanges {
  #dropped: string[] | undefined;
  #translated: { from: string; to: string }[] | undefined;
  #clamped: string[] | undefined;

  drop(name: string): void {
    if (!this.#dropped?.includes(name)) this.#dropped = add(this.#dropped, name);
  }

  translate(from: string, to: string): void {
    if (!this.#translated?.some((known) => known.from === from))
      this.#translated = add(this.#translated, { from, to });
  }

  clamp(name: string): void {
    if (!this.#clamped?.includes(name)) this.#clamped = add(this.#clamped, name);
  }

  /** Null if nothing was changed. */
  report(): ParameterReport | null {
    if (!this.#dropped && !this.#translated && !this.#clamped) return null;
    return { dropped: this.#dropped ?? [], translated: this.#translated ?? [], clamped: this.#clamped ?? [] };
  }
}

/** The headers of an answer that report changes. */
export function reportHeaders(report: ParameterReport | null): Record<string, string> {
  if (!report) return {};
  const { dropped, translated, clamped } = report;
  return {
    ...(dropped.length > 0 && { "x-portolan-dropped-params": dropped.join(",") }),
    ...(translated.length > 0 && {
      "x-portolan-translated-params": translated.map(({ from, to }) => `${from}>${to}`).join(","),
    }),
    ...(clamped.length > 0 && { "x-portolan-clamped-params": clamped.join(",") }),
  };
}
