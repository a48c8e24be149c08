// TypeScript 7 has no JavaScript API, so swc reads the files. Without swc, no file would be checked.
require.resolve("@swc/core/Visitor.js");

/**
 * Which folder may import which: itself, and what its row names. Everything else is an error.
 * A row names only folders of the rows above it.
 */
const base = ["contract", "generated", "platform", "db", "access", "audit", "jobs/queue", "accounts", "auth"];

/** Folder → what it may import. Keys are paths under src/server; contract, app and generated are under src. */
const parts = {
  contract: [],
  generated: [],
  platform: ["contract"],
  db: ["contract", "platform", "generated"],
  access: ["contract", "platform"],
  audit: ["contract", "generated", "platform", "db", "access"],
  "jobs/queue": ["contract", "generated", "platform", "db"],
  accounts: ["contract", "generated", "platform", "db", "access", "audit", "jobs/queue"],
  auth: ["contract", "generated", "platform", "db", "access", "audit", "jobs/queue", "accounts"],
  keys: base,
  subjects: base,
  catalog: base,
  destinations: base,
  secrets: base,
  transparency: base,
  credentials: [...base, "catalog"],
  policy: [...base, "catalog"],
  billing: [...base, "catalog", "subjects"],
  activity: [...base, "billing"],
  presets: [...base, "catalog", "policy"],
  budgets: [...base, "catalog", "billing"],
  tags: [...base, "billing"],
  inference: [
    ...base,
    "policy",
    "catalog",
    "credentials",
    "billing",
    "budgets",
    "tags",
    "destinations",
    "subjects",
  ],
  evidence: [...base, "catalog", "policy", "billing", "inference", "transparency", "subjects"],
  alerts: [...base, "catalog", "destinations"],
  configuration: [
    ...base,
    ...["catalog", "keys", "credentials", "policy", "presets", "destinations", "budgets", "tags", "alerts"],
  ],
  sandbox: ["contract", "platform"],
};
/** Other folders import only their index.ts. */
const areas = [
  "keys",
  "subjects",
  "catalog",
  "credentials",
  "destinations",
  "activity",
  "secrets",
  "policy",
  "presets",
  "evidence",
  "billing",
  "budgets",
  "tags",
  "inference",
  "alerts",
  "configuration",
  "transparency",
  "sandbox",
];
const served = areas.filter((area) => area !== "sandbox");
parts.api = [...base, ...served];
parts["jobs/worker"] = [...base, ...served];
parts.http = [...base, ...served, "api", "jobs/worker"];
parts.composition = [...base, ...areas, "api", "jobs/worker", "http"];
parts.main = [...parts.composition, "composition"];

const outsideServer = ["contract", "generated", "app"];
const anyOf = (names) => `(${names.map((name) => name.replace(".", "\\.")).join("|")})`;
const rootFiles = "^src/server/[^/]+\\.ts$";
const pathOf = (name) =>
  name === "main"
    ? rootFiles
    : `^src/${outsideServer.includes(name) ? "" : "server/"}${name.replace(".", "\\.")}(/|\\.ts$|$)`;
const test = "\\.test\\.tsx?$";

const layerRules = Object.entries(parts).map(([part, allowed]) => ({
  name: `${part.replaceAll("/", "-")}-imports-only-what-it-may`,
  severity: "error",
  comment: `src/server/${part} may import: itself${allowed.map((name) => `, ${name}`).join("")}.`,
  from: { path: pathOf(part), pathNot: test },
  to: { path: "^(src|prisma)/", pathNot: [pathOf(part), ...allowed.map(pathOf), "^prisma/seed/.*\\.json$"] },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: "every-file-of-the-server-has-a-part",
      severity: "error",
      comment: "A new folder under src/server needs a row in the table of this file.",
      from: { path: "^src/server/", pathNot: Object.keys(parts).map(pathOf) },
      to: {},
    },
    {
      name: "areas-are-entered-by-their-index",
      severity: "error",
      comment: "The interface of an area is its index.ts; its other files are internal.",
      from: { path: "^src/(?:server/)?([^/]+)" },
      to: {
        path: `^src/server/${anyOf(areas)}/`,
        pathNot: ["^src/server/$1/", `^src/server/${anyOf(areas)}/index\\.ts$`],
      },
    },
    {
      name: "inference-wires-know-no-request-of-ours",
      severity: "error",
      comment:
        "A wire only translates. From the pipeline it imports the types it implements and the table of failures.",
      from: { path: "^src/server/inference/wires/", pathNot: test },
      to: {
        path: "^src/server/inference/(pipeline|operations|responses)/",
        pathNot: "^src/server/inference/pipeline/(operation|request|failures)\\.ts$",
      },
    },
    {
      name: "inference-providers-know-no-operation",
      severity: "error",
      from: { path: "^src/server/inference/providers/", pathNot: test },
      to: {
        path: "^src/server/inference/(pipeline|operations|responses)/",
        pathNot: "^src/server/inference/pipeline/failures\\.ts$",
      },
    },
    {
      name: "inference-pipeline-serves-every-operation",
      severity: "error",
      comment: "It uses operations through their interface, and from the wires only what they share.",
      from: { path: "^src/server/inference/pipeline/", pathNot: test },
      to: { path: "^src/server/inference/(operations/|responses/|wires/(?!shared/))" },
    },
    {
      name: "inference-operations-stand-alone",
      severity: "error",
      comment: "Code that several operations need is in operations/shared, which imports none of them.",
      from: { path: "^src/server/inference/operations/([^/]+)/", pathNot: test },
      to: {
        path: "^src/server/inference/(operations|responses)/",
        pathNot: "^src/server/inference/operations/(shared|$1)/",
      },
    },
    {
      name: "stored-responses-know-one-operation",
      severity: "error",
      from: { path: "^src/server/inference/responses/", pathNot: test },
      to: {
        path: "^src/server/inference/operations/",
        pathNot: "^src/server/inference/operations/(responses|shared)/",
      },
    },
    {
      name: "app-runs-without-the-server",
      severity: "error",
      comment:
        "The console calls the server over HTTP; importing its code would create a second copy of its state.",
      from: { path: "^src/app/" },
      to: { path: "^src/(server|generated)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "app-knows-only-the-routers-type",
      severity: "error",
      from: { path: "^src/app/" },
      to: { path: "^src/(server|generated)/", pathNot: "^src/server/api/root\\.ts$" },
    },
    {
      name: "the-server-does-not-import-the-app",
      severity: "error",
      from: { path: "^src/(server|contract)/" },
      to: { path: "^src/app/" },
    },
    {
      name: "prisma-only-in-db-and-areas",
      severity: "error",
      comment:
        "SQL statements are in the area that owns the tables, not in platform, api, http or the console.",
      from: {
        path: "^src/(contract|app|server/(platform|api|http|policy|sandbox|composition|[^/]+\\.ts$))",
        pathNot: test,
      },
      to: { path: "^(src/generated/prisma/|node_modules/@prisma/)", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "contract-is-pure",
      severity: "error",
      comment: "The server and the browser load it.",
      from: { path: "^src/contract/", pathNot: test },
      to: { pathNot: ["^src/contract/", "^node_modules/(zod|zod-openapi)/"] },
    },
    {
      name: "no-tests-in-the-product",
      severity: "error",
      from: { path: "^src/", pathNot: test },
      to: { path: ["^(test|e2e|bench|scripts)/", test, "^node_modules/(vitest|fast-check|@playwright)/"] },
    },
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "no-orphans",
      severity: "error",
      comment: "Nothing imports it and it imports nothing: it is unused, or its importer is missing.",
      from: {
        orphan: true,
        pathNot: [
          "\\.d\\.ts$",
          "^src/server/sandbox/cli\\.ts$",
          "^src/app/.*(page|layout|error|global-error|not-found|loading)\\.tsx$",
        ],
      },
      to: {},
    },
    { name: "everything-resolves", severity: "error", from: {}, to: { couldNotResolve: true } },
    {
      name: "no-undeclared-packages",
      severity: "error",
      from: {},
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: ["node_modules", "^src/generated/"] },
    exclude: { path: ["\\.css$", "\\.next/"] },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
