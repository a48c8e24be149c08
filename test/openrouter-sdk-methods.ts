import { readFileSync } from "node:fs";
import { OpenRouter } from "@openrouter/sdk";
import { unservedOperation } from "#contract/unserved-operations.ts";
import { markdownTable } from "../scripts/markdown-table.ts";

/** A method of the installed SDK of OpenRouter, and the operation it requests; null if it sends no request. */
export interface SdkMethod {
  /** Such as `models.list`. */
  readonly name: string;
  readonly operation: { readonly method: string; readonly path: string } | null;
}

const folder = new URL("./", import.meta.resolve("@openrouter/sdk/funcs/chatSend.js"));

/** The operation that a function of the SDK requests, read from its file. */
function operationOf(name: string): SdkMethod["operation"] {
  // These combine other methods, and have no file of the usual form.
  if (name === "callModelFunc") return operationOf("responsesSend");
  if (name.startsWith("oAuthCreate") && /Url$|Challenge$/.test(name)) return null;
  const text = readFileSync(new URL(`${name}.js`, folder), "utf8");
  const alias = /^import \{ (\w+) \} from "\.\/\w+\.js";/.exec(text)?.[1];
  if (alias) return operationOf(alias);
  const path = /pathToFunc\("([^"]+)"\)/.exec(text)?.[1];
  const method = /method: "([A-Z]+)"/.exec(text)?.[1];
  if (!path || !method) throw new Error(`No operation in ${name}`);
  return { method, path };
}

function methodsOf(holder: object, prefix = ""): SdkMethod[] {
  const members = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(holder)));
  return members.flatMap(([name, { get, value }]): SdkMethod[] => {
    if (get) return methodsOf(get.call(holder) as object, `${prefix}${name}.`);
    const called = /(\w+)\(this, /.exec(String(value))?.[1];
    return name === "constructor" || !called
      ? []
      : [{ name: `${prefix}${name}`, operation: operationOf(called) }];
  });
}

/** Every method of the SDK, by name. */
export const sdkMethods: readonly SdkMethod[] = methodsOf(new OpenRouter({})).toSorted((one, other) =>
  one.name < other.name ? -1 : 1,
);

/** Why Portolan does not serve a method; null if it does. */
export const whyUnserved = ({ operation }: SdkMethod): string | null =>
  (operation && unservedOperation(operation.method, operation.path)?.reason) ?? null;

const rowOf = (method: SdkMethod) => [
  `\`${method.name}\``,
  method.operation ? `\`${method.operation.method} ${method.operation.path}\`` : "no request",
];

/** Path in the repository → content: which methods of the SDK are served. */
export function sdkDocument(): Record<string, string> {
  const served = sdkMethods.filter((method) => whyUnserved(method) === null);
  const unserved = sdkMethods.filter((method) => whyUnserved(method) !== null);
  const text = `# Methods of OpenRouter's SDK

Generated from the installed \`@openrouter/sdk\` by \`npm run generate\`; do not edit. How to use the SDK: [client libraries](clients.md#openrouters-sdk).

## Served

The tests call each of these ${served.length} methods, and the SDK's own validation accepts the answer.

${markdownTable([["Method", "Operation"], ...served.map(rowOf)])}

## Not served

These ${unserved.length} methods get a 404 that names the operation and the reason.

${markdownTable([
  ["Method", "Operation", "Reason"],
  ...unserved.map((method) => [...rowOf(method), whyUnserved(method) ?? ""]),
])}
`;
  return { "docs/openrouter-sdk.md": text };
}
