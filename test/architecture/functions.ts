import { parseSync } from "@swc/core";
import type { SourceFile } from "./source-files.ts";

export interface FoundFunction {
  readonly name: string;
  /** 1 for the first line of the file. */
  readonly line: number;
  readonly lines: number;
}

type SyntaxNode = Readonly<Record<string, unknown>>;

const functionTypes = new Set([
  "FunctionDeclaration",
  "FunctionExpression",
  "ArrowFunctionExpression",
  "ClassMethod",
  "PrivateMethod",
  "Constructor",
  "MethodProperty",
]);
const testGroups = new Set(["describe", "suite"]);

const isNode = (value: unknown): value is SyntaxNode => typeof value === "object" && value !== null;

/** Whose name a call has in the end: `describe` for `describe.each(rows)("title", …)`. */
function calledName(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.value);
  return calledName(node.callee ?? node.object ?? node.tag);
}

const nameOf = (node: SyntaxNode): string | undefined => {
  const named = node.identifier ?? node.key ?? node.id;
  return isNode(named) && typeof named.value === "string" ? named.value : undefined;
};

/** The line of a position as the parser counts them: in bytes, from 1. */
function lineFinder(text: string): (position: number) => number {
  const bytes = Buffer.from(text);
  const lineEnds: number[] = [];
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lineEnds.push(at);
  return (position) => {
    const before = lineEnds.findIndex((end) => end >= position - 1);
    return (before === -1 ? lineEnds.length : before) + 1;
  };
}

/** Every function of a source file. The callback that groups tests is a list of functions and is left out. */
export function functionsIn({ path, text }: SourceFile): FoundFunction[] {
  const lineAt = lineFinder(text);
  const found: FoundFunction[] = [];

  function visit(value: unknown, name: string, isGroup: boolean): void {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, name, isGroup);
      return;
    }
    if (!isNode(value)) return;
    const own = nameOf(value) ?? name;
    const { span } = value;
    if (functionTypes.has(String(value.type)) && !isGroup && isNode(span)) {
      const line = lineAt(Number(span.start));
      found.push({ name: own, line, lines: lineAt(Number(span.end)) - line + 1 });
    }
    const groups = value.type === "CallExpression" && testGroups.has(calledName(value.callee));
    for (const [key, child] of Object.entries(value)) {
      if (key === "span") continue;
      visit(child, own, groups ? key === "arguments" : isGroup && key === "expression");
    }
  }

  visit(parseSync(text, { syntax: "typescript", tsx: path.endsWith("x") }).body, "", false);
  return found;
}
