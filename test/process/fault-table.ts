import { readFileSync } from "node:fs";
import { type ErrorCode, errorTable } from "#contract/errors.ts";

/** A row of the table in docs/faults.md: how one fault of the sandbox ends. */
export interface FaultRow {
  /** As the sandbox reads it, with its argument. */
  readonly fault: string;
  readonly answer: "all" | "complete" | "streamed";
  /** Whether content was delivered before the failure. */
  readonly begun: boolean;
  /** Null if the answer is complete. */
  readonly code: ErrorCode | null;
  readonly faultCode: string;
  readonly providerStatus: number | null;
  readonly message: string;
  readonly next: boolean;
  readonly billed: string;
}

const text = readFileSync(new URL("../../docs/faults.md", import.meta.url), "utf8");

const isCode = (value: string | undefined): value is ErrorCode => value !== undefined && value in errorTable;

function rowOf(line: string): FaultRow {
  const cells = line.split("|").map((cell) => cell.trim().replaceAll("`", ""));
  const [
    ,
    fault = "",
    answer = "",
    received = "",
    faultCode = "",
    status = "",
    message = "",
    next,
    billed = "",
  ] = cells;
  const [, begun, errorStatus, code] = /^(200)?(?:, then )?(?:(\d{3}) (\w+))?$/.exec(received) ?? [];
  if (answer !== "all" && answer !== "complete" && answer !== "streamed")
    throw new Error(`docs/faults.md: "${answer}" is not a kind of answer: ${line}`);
  if (
    isCode(code) ? errorTable[code].status !== Number(errorStatus) : code !== undefined || begun === undefined
  )
    throw new Error(`docs/faults.md: "${received}" is not a status and code: ${line}`);
  const providerStatus = status === "-" ? null : Number(status);
  return {
    ...{ fault, answer, begun: begun !== undefined, code: isCode(code) ? code : null, faultCode },
    ...{ providerStatus, message, next: next === "yes", billed },
  };
}

const lines = text.split("\n");
const first = lines.findIndex((line) => /^\| Fault +\| Answer/.test(line)) + 2;

/** Every row of the table. */
export const faultRows: readonly FaultRow[] = lines.slice(first, lines.indexOf("", first)).map(rowOf);

/** What a placeholder stands for when the row does not say. */
const anything: Readonly<Record<string, string>> = {
  id: "[\\w-]+",
  model: "test/[\\w-]+",
  name: "[\\w -]+",
  provider: "sandbox-fr",
  time: "\\d{10}",
  number: "\\d+",
  usage: "\\{[^]*\\}",
  output: "\\[[^]*\\][^]*",
  settings: '"billing"[^]*"background":false',
};

/** The bytes a code block of docs/faults.md promises, as the end of what a client reads. */
export function promisedBytes(block: string, { code, faultCode, message, providerStatus }: FaultRow): RegExp {
  const template = new RegExp(`\`\`\`\\w+ ?${block}\\n([^]*?)\\n\`\`\``).exec(text)?.[1];
  if (template === undefined) throw new Error(`docs/faults.md has no block "${block}"`);
  const known: Record<string, unknown> = { fault_code: faultCode, message, provider_status: providerStatus };
  if (code) {
    const { status, type, kind } = errorTable[code];
    Object.assign(known, { code, status, type, error_type: kind });
  }
  const pattern = template
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")
    .replaceAll(/<(\w+)>/g, (_, name: string) => {
      const meaning = name in known ? String(known[name]) : anything[name];
      if (meaning === undefined) throw new Error(`docs/faults.md: <${name}> in "${block}" means nothing`);
      return meaning;
    });
  const stream = template.includes("data: ");
  return new RegExp(stream ? `(?:^|\\n\\n)${pattern}\\n\\n$` : `^${pattern}$`);
}
