import { describe, expect, test } from "vitest";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

const product = sourceFiles("src").filter(({ path }) => !/\.test\.tsx?$/.test(path));

interface Rule {
  readonly title: string;
  readonly forbidden: RegExp;
  /** Where it may stand all the same. */
  readonly home: RegExp;
}

/** A schema of the contract that is applied to a column and throws. */
const storedValueParsed =
  /\b(?!JSON|Date|URL)[A-Z]\w*(?:\.nullable\(\))?\.parse\(\s*(?:row|before|code|fact|incident|notification|stored|delivery|rule|member)\.\w/;

const rules: readonly Rule[] = [
  {
    title: "the environment is read in platform/env.ts only",
    forbidden: /\bprocess\.env\b/,
    // The examples for people are text, not code of ours. Pages of the documentation are rendered without our server's code.
    home: /^src\/server\/platform\/(?:env|project)\.ts$|^src\/app\/.*\bsnippets\.ts$|^src\/app\/docs\/_content\/documents\.ts$/,
  },
  {
    title: "clocks are read in platform/clock.ts only, in the console in use-now.ts",
    forbidden: /\bDate\.now\b|\bnew Date\b|\bperformance\.|\bprocess\.hrtime\b/,
    home: /^src\/server\/platform\/clock\.ts$|^src\/app\/_lib\/use-now\.ts$/,
  },
  {
    title: "random numbers are drawn in platform/ids.ts only",
    forbidden: /\bMath\.random\b/,
    home: /^src\/server\/platform\/ids\.ts$/,
  },
  {
    title: "nothing writes to the console",
    forbidden: /\bconsole\.(log|error|warn|info|debug|trace|table|dir|time)\(/,
    home: /^src\/app\/.*\bsnippets\.ts$/,
  },
  {
    title: "the server calls fetch in platform/outbound.ts only",
    forbidden: /(?<![.\w])fetch\(/,
    home: /^src\/server\/platform\/outbound\.ts$|^src\/app\//,
  },
  {
    title: "sockets are opened in platform/outbound.ts, for syslog and by the servers only",
    forbidden:
      /^import (?!type\b)(?!\{ type [^,}]*\}).*from "(undici|(node:)?(http|https|http2|net|tls|dgram|dns)(\/promises)?)"/m,
    home: /^src\/server\/(platform\/(outbound|address-guard|syslog)\.ts|main\.ts|http\/|sandbox\/server\.ts|db\/embedded[^/]*\.ts)/,
  },
  {
    title: "text in columns is searched with db/containing.ts, for which % and _ are no patterns",
    forbidden: /\bcontains: [^,}]+, mode:/,
    home: /^src\/server\/db\/containing\.ts$/,
  },
  {
    title: "a value that changes at run time is a function, never an accessor, which a spread would freeze",
    forbidden: /^\s*(?:static )?get [\w#]+\(\)|\bdefineProperty\(/m,
    home: /^src\/generated\//,
  },
  {
    title: "the opened services are passed on, never spread into other objects",
    forbidden: /\.\.\.(?:[\w.]+\.)?(?:services|inference)\b(?![.(])/,
    home: /^$/,
  },
  {
    title: "nothing redirects but to what ownPath answers, and leaves the console only by navigate.ts",
    forbidden:
      /\blocation(\.href)?\s*=(?![=>])|\blocation\.(assign|replace)\(|\brouter\.(push|replace)\(|\b(?:permanentR|r)edirect\((?!ownPath\()|\bwriteHead\(30(?!4)|\buseRouter\b/,
    home: /^src\/app\/_lib\/navigate\.ts$|^src\/server\/http\/respond\.ts$/,
  },
  {
    title:
      "parts of pages that load later go through part.tsx, where a lost connection does not lose the page",
    forbidden: /\bfrom "next\/dynamic"|\blazy\(/,
    home: /^src\/app\/_ui\/part\.tsx$/,
  },
  {
    title: "areas that scroll and tables are our own: Mantine's bring 20 kB of positioning to a page",
    forbidden: /\b(?:ScrollArea|Table)\b[^;]*from "@mantine\/core"/,
    home: /^$/,
  },
  {
    title: "links in texts of the console have our colours: an Anchor, not a bare link",
    forbidden: /<Link href=[^>]*>[^<{]*\w[^<]*<\/Link>/,
    home: /^src\/app\/docs\//,
  },
  {
    title: "what changes something goes through use-mutation.ts, where a double click counts once",
    forbidden: /\buseMutation\b[^;]*from "@tanstack\/react-query"/,
    home: /^src\/app\/_lib\/use-mutation\.ts$/,
  },
  {
    title:
      "columns of a row are read by readColumns or inside readRow, so that no stored value makes a list fail",
    forbidden: storedValueParsed,
    // Rules, filters and configurations of presets are read inside readRow. Sealed texts are ours alone.
    home: /^src\/server\/(policy\/rule-rows|destinations\/destination-rows)\.ts$/,
  },
];

function offenders({ forbidden, home }: Rule, files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => !home.test(path) && forbidden.test(withoutComments(text)))
    .map(({ path }) => path);
}

describe("code that is allowed in one place only", () => {
  test.each(rules)("$title", (rule) => {
    expect(offenders(rule, product)).toEqual([]);
  });

  test("the rules see what they forbid, and look through comments", () => {
    const seen = (text: string) =>
      rules.filter(({ forbidden }) => forbidden.test(withoutComments(text))).length;
    expect(seen("const now = Date.now();")).toBe(1);
    expect(seen("await fetch(url);")).toBe(1);
    expect(seen('import { Pool } from "undici";')).toBe(1);
    expect(seen('under <Link href="/keys">Keys</Link> first')).toBe(1);
    expect(seen('<Link href="/keys">\n  {circle}\n</Link>')).toBe(0);
    expect(seen('import type { Socket } from "node:net";')).toBe(0);
    expect(seen('import { useMutation, useQuery } from "@tanstack/react-query";')).toBe(1);
    expect(
      seen('import { useMutation } from "./use-mutation.ts"; import { x } from "@tanstack/react-query";'),
    ).toBe(0);
    expect(seen("return {\n  get catalogue() {\n    return now();\n  },\n};")).toBe(1);
    expect(seen("const all = { ...ctx.services, more };")).toBe(1);
    expect(seen("const all = { ...inference };")).toBe(1);
    for (const redirect of [
      "window.location.assign(next);",
      "location.replace(path)",
      "window.location = next;",
      "window.location.href = next;",
      "router.push(path);",
      "redirect(next);",
      "throw ctx.redirect(attempt.next);",
      "permanentRedirect(next);",
      "res.writeHead(302, { location });",
    ])
      expect(seen(redirect), redirect).toBe(1);
    for (const stored of ["redirect(ownPath(next));", "res.writeHead(304, headers);", "location === next"])
      expect(seen(stored), stored).toBe(0);
    expect(seen("kind: AlertKind.parse(row.kind),")).toBe(1);
    expect(seen("kind: AlertKind.nullable().parse(before.kind),")).toBe(1);
    expect(seen("readColumns(row, { kind: [AlertKind, null] }); JSON.parse(row.text);")).toBe(0);
    expect(seen("// process.env is read elsewhere")).toBe(0);
    expect(seen("/* console.log(1) */")).toBe(0);
  });
});
