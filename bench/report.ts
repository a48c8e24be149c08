import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import type { Mode } from "./answer.ts";

/** The medians of one subject in one mode. */
export interface Row {
  readonly subject: string;
  readonly mode: Mode;
  readonly requests_per_second: number;
  readonly cpu_us_per_request: number;
  readonly main_thread_us_per_request: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly resident_mib: number;
  readonly resident_mib_idle: number;
  readonly idle: boolean;
}

const columns: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ["subject", (row) => row.subject],
  ["mode", (row) => row.mode],
  ["requests/s", (row) => Math.round(row.requests_per_second).toLocaleString("en")],
  ["CPU µs/request", (row) => row.cpu_us_per_request.toFixed(0) + (row.idle ? "" : " (still busy)")],
  ["main thread µs", (row) => row.main_thread_us_per_request.toFixed(0)],
  ["p50 ms", (row) => row.p50_ms.toFixed(2)],
  ["p99 ms", (row) => row.p99_ms.toFixed(2)],
  ["RSS MiB idle", (row) => row.resident_mib_idle.toFixed(0)],
  ["RSS MiB loaded", (row) => row.resident_mib.toFixed(0)],
];

const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;

/** A Markdown table, padded so that a terminal shows it well too. */
export function markdownTable(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [titles, ...rows];
  const widths = titles.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const padded = cells.map((row) => line(row.map((cell, at) => cell.padEnd(widths[at] ?? 0))));
  return [padded[0], line(widths.map((width) => "-".repeat(width))), ...padded.slice(1)].join("\n");
}

/** The rows as a Markdown table. */
export const table = (rows: readonly Row[]): string =>
  markdownTable(
    columns.map(([title]) => title),
    rows.map((row) => columns.map(([, cell]) => cell(row))),
  );

/** Figures of two subjects whose ratio is reported, where both were measured in a mode. */
const compared: readonly {
  readonly what: string;
  readonly of: (row: Row) => number;
  readonly subjects: readonly (readonly [string, string])[];
}[] = [
  {
    what: "CPU per request",
    of: (row) => row.cpu_us_per_request,
    subjects: [
      ["portolan", "relay"],
      ["portolan-postgres", "relay"],
      ["portolan-postgres", "against-postgres"],
    ],
  },
  {
    what: "main thread per request",
    of: (row) => row.main_thread_us_per_request,
    subjects: [
      ["portolan", "relay"],
      ["portolan-postgres", "relay"],
    ],
  },
  {
    what: "requests/s",
    of: (row) => row.requests_per_second,
    subjects: [
      ["portolan-postgres", "portkey"],
      ["portolan", "portkey"],
      ["portolan-postgres", "litellm"],
      ["portolan", "litellm"],
    ],
  },
];

/** What the figures are for: this gateway against the bare relay and its peers, from the same run. */
export function ratios(rows: readonly Row[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const mode of new Set(rows.map((row) => row.mode))) {
    const find = (subject: string) => rows.find((row) => row.subject === subject && row.mode === mode);
    for (const { what, of, subjects } of compared) {
      for (const [one, other] of subjects) {
        const [first, second] = [find(one), find(other)];
        if (first && second) found[`${mode}: ${what}, ${one} / ${other}`] = of(first) / of(second);
      }
    }
  }
  return found;
}

/** What the figures depend on and a reader needs to judge them. */
export function machineFacts() {
  const [cpu] = cpus();
  return {
    cpu: cpu?.model ?? "unknown",
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    kernel: execFileSync("uname", ["-sr"], { encoding: "utf8" }).trim(),
    node: process.version,
    commit: execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim(),
  };
}

/** Writes `bench/results/<time>.json` and returns its path. */
export function writeResult(at: Date, result: object): string {
  const folder = fileURLToPath(new URL("results/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  const path = `${folder}${at.toISOString().replaceAll(":", "-").slice(0, 19)}.json`;
  writeFileSync(path, `${JSON.stringify({ at: at.toISOString(), ...result }, null, 2)}\n`);
  return path;
}

/** Writes the text between the bench marks of docs/benchmarks.md and formats the file. Throws when the marks are missing. */
export function fillBenchmarks(text: string): void {
  const document = fileURLToPath(new URL("../docs/benchmarks.md", import.meta.url));
  const before = readFileSync(document, "utf8");
  const marked = /<!-- bench -->[\s\S]*<!-- \/bench -->/;
  if (!marked.test(before)) throw new Error("docs/benchmarks.md has no <!-- bench --> block");
  writeFileSync(
    document,
    before.replace(marked, () => `<!-- bench -->\n${text}\n<!-- /bench -->`),
  );
  execFileSync(fileURLToPath(new URL("../node_modules/.bin/biome", import.meta.url)), [
    "format",
    "--write",
    document,
  ]);
}
