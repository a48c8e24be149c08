import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";

const run = promisify(execFile);

export const readDocument = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The code blocks of a language in a document, in their order. */
export const codeBlocks = (document: string, language: string): string[] =>
  [...document.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"))].map(
    ([, text = ""]) => text,
  );

interface Command {
  readonly url: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The words of a shell command, with its variables replaced. */
function shellWords(command: string, variables: Readonly<Record<string, string>>): string[] {
  const replaced = (text: string) =>
    text.replaceAll(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`$${name} has no value`);
      return value;
    });
  const words = command.replaceAll("\\\n", " ").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...words].map(([, verbatim, quoted, bare]) => verbatim ?? replaced(quoted ?? bare ?? ""));
}

/** What a `curl` command of a guide sends. An option that is not known here is an error. */
export function parseCurl(command: string, variables: Readonly<Record<string, string>>): Command {
  const [program, ...words] = shellWords(command.trim(), variables);
  if (program !== "curl") throw new Error(`Not a curl command: ${command}`);
  const headers: Record<string, string> = {};
  let [url, method, body] = ["", "", undefined as string | undefined];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "-i" || word === "--no-buffer") continue;
    if (word === "-X") method = words.shift() ?? "";
    else if (word === "-d") body = words.shift();
    else if (word === "-H") {
      const [name = "", value = ""] = words.shift()?.split(": ") ?? [];
      headers[name] = value;
    } else if (word.startsWith("-") || url) throw new Error(`Not understood: ${word} in ${command}`);
    else url = word;
  }
  return { url, method: method || (body === undefined ? "GET" : "POST"), headers, body };
}

/** Runs the `curl` command of a guide, which names the default address, against a server elsewhere. */
export function runCurl(
  command: string,
  origin: string,
  variables: Readonly<Record<string, string>>,
): Promise<Response> {
  const { url, ...request } = parseCurl(command, variables);
  return fetch(url.replace("http://127.0.0.1:3000", origin), request);
}

/**
 * Runs a script of a guide, which names the default address, against a server elsewhere, as a reader would in a project
 * with the packages that it imports. Returns what it prints.
 */
export async function runScript(
  script: string,
  { origin, key }: { readonly origin: string; readonly key: string },
): Promise<string> {
  const { stdout } = await run(
    process.execPath,
    ["--input-type=module", "--eval", script.replaceAll("http://127.0.0.1:3000", origin)],
    { env: { ...process.env, PORTOLAN_API_KEY: key } },
  );
  return stdout.trim();
}
