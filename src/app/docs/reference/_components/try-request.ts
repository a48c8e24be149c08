import type { Entry, Parameter } from "./document.ts";

/** What somebody typed to try an operation. */
export interface Typed {
  /** Parameters by place and name: `query limit`. Empty ones are not sent. */
  readonly values: Readonly<Record<string, string>>;
  /** JSON; null for an operation without a body. */
  readonly body: string | null;
  readonly key: string;
}

export interface TryRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/** What is wrong with what was typed, by field: the name of a value, or `body`. */
export type Problems = Readonly<Record<string, string>>;

export const fieldOf = ({ in: place, name }: Parameter): string => `${place} ${name}`;

/** What the fields hold at first: examples and first choices of required parameters. */
export const initialValues = (parameters: readonly Parameter[]): Record<string, string> =>
  Object.fromEntries(
    parameters
      .filter(({ required }) => required)
      .map((parameter) => [
        fieldOf(parameter),
        String(parameter.example ?? parameter.schema?.enum?.[0] ?? ""),
      ]),
  );

function bodyProblem(body: string): string | null {
  try {
    JSON.parse(body);
    return null;
  } catch (error) {
    return `Not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** What keeps a request from being sent; empty when nothing does. */
export function problemsOf({ operation }: Entry, { values, body }: Typed): Problems {
  const missing = (operation.parameters ?? [])
    .filter((parameter) => parameter.required && !values[fieldOf(parameter)])
    .map((parameter) => [fieldOf(parameter), "Required."]);
  const problem = body === null ? null : bodyProblem(body);
  return Object.fromEntries([...missing, ...(problem ? [["body", problem]] : [])]);
}

/** The request to the operation at `base`. */
export function requestOf(base: string, { method, path, operation }: Entry, typed: Typed): TryRequest {
  const { values, body, key } = typed;
  const given = (operation.parameters ?? []).flatMap((parameter) => {
    const value = values[fieldOf(parameter)];
    return value ? [{ ...parameter, value }] : [];
  });
  const inPlace = (place: string) => given.filter((parameter) => parameter.in === place);
  const filled = inPlace("path").reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  // A list is one parameter for each value; brackets at the end of a name say so.
  const query = inPlace("query").flatMap(({ name, value }) =>
    (name.endsWith("[]") ? value.split(",") : [value]).map((one) => [name, one.trim()]),
  );
  const search = new URLSearchParams(query).toString();
  return {
    url: `${base}${filled}${search === "" ? "" : `?${search}`}`,
    method,
    headers: {
      ...Object.fromEntries(inPlace("header").map(({ name, value }) => [name, value])),
      ...(key !== "" && { authorization: `Bearer ${key}` }),
      ...(body !== null && { "content-type": "application/json" }),
    },
    body,
  };
}

/** What a server answered. */
export interface TryAnswer {
  readonly status: number;
  readonly requestId: string | null;
  /** Formatted if it is JSON. */
  readonly text: string;
}

const shownMax = 100_000;

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function textOf(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  if (type.startsWith("application/zip")) return `A file of ${(await response.blob()).size} bytes`;
  const text = formatted(await response.text());
  return text.length > shownMax
    ? `${text.slice(0, shownMax)}\n… (${text.length} characters; the first ${shownMax} are shown)`
    : text;
}

/** Sends a request without the session: only the key decides what it may do. */
export async function send({ url, ...request }: TryRequest): Promise<TryAnswer> {
  const response = await fetch(url, { ...request, credentials: "omit", redirect: "manual" });
  if (response.type === "opaqueredirect") return { status: 302, requestId: null, text: "A redirect" };
  return {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    text: await textOf(response),
  };
}
