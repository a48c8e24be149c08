import { z } from "zod";

/** The desired state of one resource, as the file has it. */
export type Values = Readonly<Record<string, unknown>>;

/** What a resource can refer to by name: other resources, people by e-mail address, and service accounts. */
export type Referred = "workspaces" | "keys" | "budgets" | "alert_channels" | "people" | "service_accounts";

/** Returns the ID of what a name refers to. `path` is where the name stands in the resource. */
export type IdOf = (to: Referred, name: string, path: readonly (string | number)[]) => string;

/** The form of one kind of resource in the file, derived from the schema that creates it. */
export interface ConfigurationForm {
  readonly schema: z.ZodType<Values>;
  /** The fields in the order of the schema. */
  readonly fields: readonly string[];
  /** Input of the schema that creates the resource: IDs instead of names, without what only the file has. */
  input(values: Values, idOf: IdOf): Values;
}

interface ReferenceField {
  /** The field of the file, which has the name. */
  readonly as: string;
  readonly to: Referred;
  readonly description: string;
}

interface Definition {
  readonly create: z.ZodObject;
  /** Fields that hold an ID, or a list of IDs. */
  readonly references: Readonly<Record<string, ReferenceField>>;
  /** Fields that the file does not have. */
  readonly without?: readonly string[];
  /** Fields that only the file has. */
  readonly own?: Readonly<Record<string, z.ZodType>>;
  /** Replaces names deeper in the resource. */
  readonly nested?: (values: Values, idOf: IdOf) => Values;
}

const someId = "00000000-0000-4000-8000-000000000000";

/** IDs in place of names while the other fields are checked: the same for the same name. */
function someIds(): IdOf {
  const names: string[] = [];
  return (_, name) => {
    if (!names.includes(name)) names.push(name);
    return `${someId.slice(0, -12)}${String(names.indexOf(name)).padStart(12, "0")}`;
  };
}

export const Name = z.string().min(1, "must not be empty").max(255, "may have 255 characters at most");
const Names = z.array(Name).max(1000, "may name 1,000 at most");

/** Derives the form of a resource in the file: names in place of IDs, and all rules of the schema that creates it. */
export function formOf({
  create,
  references,
  without = [],
  own = {},
  nested = (values) => values,
}: Definition): ConfigurationForm {
  const isList = (field: string) => Array.isArray(create.shape[field]?.safeParse([someId]).data);
  const unchanged = Object.entries(create.shape).filter(
    ([field]) => !(field in references) && !without.includes(field),
  );
  const named = Object.entries(references).map(([field, { as, description }]) => [
    as,
    (isList(field) ? Names : Name).nullish().describe(description),
  ]);

  function input(values: Values, idOf: IdOf): Values {
    const rest = Object.entries(values).filter(
      ([field]) => !(field in own) && !Object.values(references).some(({ as }) => as === field),
    );
    const ids = Object.entries(references).map(([field, { as, to }]) => {
      const value = values[as];
      if (Array.isArray(value)) return [field, value.map((name, at) => idOf(to, String(name), [as, at]))];
      return [field, typeof value === "string" ? idOf(to, value, [as]) : value];
    });
    const complete = { ...Object.fromEntries(rest), ...Object.fromEntries(ids) };
    return nested(
      Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== undefined)),
      idOf,
    );
  }

  const shape = { ...Object.fromEntries(unchanged), ...Object.fromEntries(named), ...own };
  const schema = z.strictObject(shape).superRefine((values, { addIssue }) => {
    const { error } = create.safeParse(input(values, someIds()));
    for (const { path, message } of error?.issues ?? []) {
      const [field, ...inner] = path;
      const { as = field } = references[String(field)] ?? {};
      addIssue({ code: "custom", path: as === undefined ? inner : [as, ...inner], message });
    }
  });
  return { schema, fields: Object.keys(shape), input };
}
