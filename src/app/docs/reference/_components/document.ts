import { queryOptions } from "@tanstack/react-query";

/** The parts of an OpenAPI 3.1 document which the reference shows. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
}

type Content = Readonly<Record<string, MediaType>>;

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
  readonly example?: unknown;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses?: Readonly<
    Record<string, { readonly description?: string; readonly content?: Content }>
  >;
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly security?: readonly unknown[];
  readonly servers?: readonly { readonly url: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

export const documentPath = "/api/v1/openapi.json";

/** The document of our own server, whose tests check its shape, so it is not validated here. */
async function loadDocument(): Promise<ApiDocument> {
  const response = await fetch(documentPath);
  if (!response.ok) throw new Error(`The document answered ${response.status}`);
  return response.json();
}

/** The document, as TanStack Query loads it once for all that show it. */
export const documentQuery = queryOptions({
  queryKey: [documentPath],
  queryFn: loadDocument,
  staleTime: Number.POSITIVE_INFINITY,
});

export interface Entry {
  /** The anchor on the page. */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface Section {
  readonly tag: string;
  readonly description: string | undefined;
  readonly entries: readonly Entry[];
}

/** The operations by their first tag, in the order of the document: its tags, then those it does not list. */
export function sectionsOf({ paths = {}, tags = [] }: ApiDocument): Section[] {
  const entries = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Entry => {
      const id = operation.operationId ?? `${method}${path.replaceAll(/\W+/g, "-")}`;
      return { id, method: method.toUpperCase(), path, operation };
    }),
  );
  const tagOf = ({ operation }: Entry) => operation.tags?.[0] ?? "Other";
  const names = new Set([...tags.map(({ name }) => name), ...entries.map(tagOf)]);
  return [...names]
    .map((tag) => ({
      tag,
      description: tags.find(({ name }) => name === tag)?.description,
      entries: entries.filter((entry) => tagOf(entry) === tag),
    }))
    .filter((section) => section.entries.length > 0);
}

/** The sections with only the operations whose words, path or method hold all that was typed. */
export function findIn(sections: readonly Section[], typed: string): Section[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return sections
    .map((section) => ({
      ...section,
      entries: section.entries.filter(({ method, path, operation }) => {
        const text = `${section.tag} ${method} ${path} ${operation.summary ?? ""}`.toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    }))
    .filter(({ entries }) => entries.length > 0);
}

export const jsonOf = (content: Content | undefined): MediaType | undefined => content?.["application/json"];

/** Whether an operation wants an API key. */
export const needsKey = ({ security }: ApiDocument, operation: Operation): boolean =>
  (operation.security ?? security ?? []).length > 0;
