import type { ConfigurationForm, Values } from "#contract/configuration-form.ts";
import type { ConfigurationKind } from "#contract/configuration-kinds.ts";
import type { Permission } from "#server/access/permissions.ts";
import { AppError } from "#server/platform/errors.ts";
import type { KindOrder } from "./plan.ts";
import type { Session } from "./session.ts";

/** A resource as it is, in the form of the file. */
export interface Found {
  readonly id: string;
  readonly values: Values;
  /** It is not deleted, although a file does not have it. */
  readonly isKept?: boolean;
  /** The ID of the resource of the same kind with which it ends. */
  readonly endsWithId?: string | null;
}

/** A resource whose fields differ, and which of them do. */
export interface Difference {
  readonly id: string;
  readonly values: Values;
  /** Top-level fields of the file. */
  readonly changed: ReadonlySet<string>;
}

/** One kind of resource: one row of the table. It calls the same functions as REST and the console. */
export interface Kind extends KindOrder {
  readonly kind: ConfigurationKind;
  readonly form: ConfigurationForm;
  readonly permissions: {
    readonly read: Permission;
    readonly write: Permission;
    readonly delete: Permission;
  };
  /** Fields that have references in place of secrets. */
  readonly secretFields: readonly string[];
  /** Values of fields that are not set. */
  readonly defaults: Values;
  /** Fields in whose content null has a meaning of its own. */
  readonly exact?: readonly string[];
  /** How many there may be. */
  readonly countMax?: number;
  /** The comment above the section in an exported file. */
  readonly comment: string;
  /** What identifies a resource, and what messages call it. */
  identify(values: Values): { readonly key: string; readonly name: string };
  /** The workspace a resource belongs to; null for none. */
  workspaceOf(values: Values): string | null;
  read(session: Session): Promise<readonly Found[]>;
  /** What the file wants in the form in which it is compared. Throws BAD_REQUEST naming the field. */
  comparable(session: Session, values: Values, current: Found | undefined): Promise<Values> | Values;
  /** Returns the ID, and an API key that was generated. */
  create(session: Session, values: Values): Promise<{ readonly id: string; readonly key?: string }>;
  update(session: Session, difference: Difference): Promise<void>;
  remove(session: Session, id: string): Promise<void>;
}

/** The changed fields as input of an update, with IDs; null for what is not set any more. */
export function changedInput(
  { form, defaults }: Pick<Kind, "form" | "defaults">,
  { names }: Session,
  { values, changed }: Difference,
): Values {
  const fields = [...changed].map((field) => [field, values[field] ?? defaults[field] ?? null]);
  return form.input(Object.fromEntries(fields), (...reference) => names.idOf(...reference));
}

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const workspaceField = ({ workspace }: Values): string | null =>
  typeof workspace === "string" ? workspace : null;

/** Throws CONFLICT for what cannot be read: without it a file would allow more than what is stored. */
export function assertReadable(what: string, name: string, problem: string | null): void {
  if (problem !== null)
    throw new AppError(
      "CONFLICT",
      `The ${what} ${name} cannot be read; correct or delete it first: ${problem}`,
    );
}

/** All pages of a list. */
export async function everyPage<T>(
  read: (paging: { limit: number; offset: number }) => Promise<{ data: T[]; total_count: number }>,
  pageSize: number,
): Promise<T[]> {
  const rows: T[] = [];
  for (let total = 1; rows.length < total; ) {
    const page = await read({ limit: pageSize, offset: rows.length });
    if (page.data.length === 0) break;
    rows.push(...page.data);
    total = page.total_count;
  }
  return rows;
}
