import type { ParameterChanges as ParameterReport } from "#contract/parameter-changes.ts";
import { maskSecrets } from "#server/platform/mask-secrets.ts";

const add = <T>(list: readonly T[] | undefined, item: T): T[] => (list ? [...list, item] : [item]);

const nameLengthMax = 64;
const plainName = /^[\w.[\]-]{1,19}$/;

/** Clients choose names, and reports are stored and sent as headers: no API key, no long and no odd text is in one. */
const reportable = (name: string): string =>
  plainName.test(name)
    ? name
    : maskSecrets(name)
        .slice(0, nameLengthMax)
        .replace(/[^\w.[\]-]/g, "?");

/** The client's names of fields that its operation has under another name than chat. */
export type FieldNames = Readonly<Record<string, string>>;

/** Collects the changes of one attempt. Most requests have none, and need no memory for them. */
export class ParameterChanges {
  readonly #names: FieldNames;
  #dropped: string[] | undefined;
  #translated: { from: string; to: string }[] | undefined;
  #clamped: string[] | undefined;

  constructor(names: FieldNames = {}) {
    this.#names = names;
  }

  /** The client's name of a field of chat, as it can be reported. */
  nameOf(name: string): string {
    // Clients choose names: `constructor` must not be found in the prototype.
    const known = (one: string) => (Object.hasOwn(this.#names, one) ? this.#names[one] : undefined);
    const at = name.indexOf(".");
    if (at === -1 || known(name) !== undefined) return reportable(known(name) ?? name);
    // A name that ends in a dot stands for the field with what is inside it.
    const inside = known(name.slice(0, at + 1));
    if (inside !== undefined) return reportable(inside + name.slice(at + 1));
    return reportable(known(name.slice(0, at)) ?? name);
  }

  drop(field: string): void {
    const name = this.nameOf(field);
    if (!this.#dropped?.includes(name)) this.#dropped = add(this.#dropped, name);
  }

  translate(field: string, to: string): void {
    const from = this.nameOf(field);
    if (!this.#translated?.some((known) => known.from === from))
      this.#translated = add(this.#translated, { from, to });
  }

  clamp(field: string): void {
    const name = this.nameOf(field);
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
