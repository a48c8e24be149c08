import { expect, test } from "vitest";
import { appRouter } from "#server/api/root.ts";
import type { Meta } from "#server/api/trpc.ts";
import { type SourceFile, sourceFiles, withoutComments } from "./source-files.ts";

interface Gate {
  readonly title: string;
  readonly forbidden: RegExp;
  /** Where it stands all the same, and why. */
  readonly homes: Readonly<Record<string, string>>;
}

const gates: readonly Gate[] = [
  {
    title: "requests are authorised where they come in, not by domain functions",
    forbidden: /\bauthorize\(/,
    homes: {
      "api/trpc.ts": "every procedure",
      "api/routers/generations.ts": "a procedure that takes a second permission",
      "api/search.ts": "each kind of thing that is found takes a permission of its own",
      "http/api-handler.ts": "inference, the events of responses, and files",
      "http/playground-handler.ts": "inference for a person with a session",
      "http/package-file-handler.ts": "the archive of an evidence package for a person with a session",
      "configuration/session.ts":
        "each kind of resource takes a permission of its own, which the file decides",
      "keys/keys.ts": "a key for a service account takes a second permission, which the input decides",
      "catalog/own-entries.ts":
        "an entry of the installation takes a second permission, which the input decides",
      "credentials/credentials.ts": "a shared credential takes a second permission, which the input decides",
    },
  },
  {
    title: "nobody claims to be authorised",
    forbidden: /\bas (unknown as )?(Authorized|Operator)\b/,
    homes: { "access/authorize.ts": "the gate", "accounts/operator.ts": "the gate of the operator" },
  },
  {
    title: "the version of the configuration is raised with an audit row",
    forbidden: /\braiseConfigVersion\(/,
    homes: {
      "db/config-version.ts": "its definition",
      "audit/change.ts": "the one function",
      "catalog/exchange-rates.ts": "a job: nobody changed it",
      "destinations/delivery-worker.ts": "a job: nobody changed it",
    },
  },
  {
    title: "audit rows are written by changeConfiguration and changeRecords",
    forbidden: /\brecord(All)?\((tx|client)\b/,
    homes: {
      "audit/record.ts": "its definition",
      "audit/change.ts": "the one function",
      "audit/first-signing.ts": "at a start, by the program",
      "secrets/sealing-keys.ts": "at a start, by the program",
      "secrets/unreadable.ts": "at a start, by the program",
      "accounts/bootstrap.ts": "at the first start, by the program",
      "accounts/audit-person.ts": "one row in each organisation of a person",
      "accounts/join.ts": "part of a sign-in or an acceptance, which may join several organisations",
      "accounts/organisation-audit.ts": "the second row, in the log of the other organisation",
      "accounts/manage-organisations.ts": "a new organisation's row stands before that of its credit",
      "accounts/revoke-made.ts": "a row for each key that ends with the one that made it",
      "keys/issue.ts": "the first key in place of another, at a start",
      "billing/grant.ts": "part of a transaction of several rows",
      "billing/correct.ts": "part of a transaction of several rows",
    },
  },
  {
    title: "the snapshot is refreshed by the middleware",
    forbidden: /\brefreshSnapshot\(/,
    homes: {
      "api/trpc.ts": "after every change of the configuration",
      "http/playground-handler.ts": "after the key of the playground was made",
    },
  },
];

const server = sourceFiles("src/server").filter(({ path }) => !/\.test\.ts$/.test(path));
const homeOf = ({ path }: SourceFile) => path.slice("src/server/".length);
const usersOf = ({ forbidden }: Gate) =>
  server.filter(({ text }) => forbidden.test(withoutComments(text))).map(homeOf);

test.each(gates)("$title", (gate) => {
  expect(usersOf(gate).sort()).toEqual(Object.keys(gate.homes).sort());
});

const changes =
  /\bchange(Configuration|Records)\(\s*[\w.]+,\s*[\w()]+,\s*"([a-z_.]+)"|action: "([a-z_.]+)" \};\s*(?:return|await|const \w+ = await) changeOrganisation\(change(Configuration|Records)|recordConfigurationChange\(tx, [\w()]+, \{\s*action: "([a-z_.]+)"/g;

/** The actions that change the configuration, as the functions are called that write them. */
const configurationActions = (text: string): string[] =>
  [...text.matchAll(changes)].flatMap(([, kind, action, ofOrganisation, organisationKind, recorded]) => {
    if (recorded) return recorded;
    const named = action ?? ofOrganisation ?? "";
    return (kind ?? organisationKind) === "Configuration" ? named : [];
  });

const changing = new Set(server.flatMap(({ text }) => configurationActions(withoutComments(text))));
const proceduresOf = (of: { _def: { procedures: object } }) =>
  Object.entries(of._def.procedures as Record<string, { _def: { type: string; meta?: Meta } }>);
const declared = proceduresOf(appRouter).flatMap(([name, { _def }]) => {
  const audit = _def.meta?.audit;
  return _def.type === "mutation" && audit && "action" in audit ? [{ name, ...audit }] : [];
});

test.each(declared)(
  "$name declares whether it changes the configuration as the function does that writes $action",
  ({ action, configuration }) => {
    expect(configuration).toBe(changing.has(action));
  },
);

test("both halves are seen", () => {
  expect(declared.length).toBeGreaterThan(30);
  expect(changing.size).toBeGreaterThan(15);
  expect([...changing].filter((action) => !declared.some((one) => one.action === action))).toEqual([
    "auth.code_reused",
  ]);
  expect(configurationActions('changeConfiguration(database, caller, "key.make", async (tx) => {')).toEqual([
    "key.make",
  ]);
  expect(configurationActions('changeRecords(database, caller, "key.make", async (tx) => {')).toEqual([]);
});

/** The names that procedures import from the areas, and so may pass their caller to. */
const calledByProcedures = new Set(
  sourceFiles("src/server/api/routers").flatMap(({ text }) =>
    [...text.matchAll(/import \{([^}]*)\} from "#server\/\w+\/index\.ts"/g)].flatMap(([, names = ""]) =>
      names.split(",").map((name) => name.trim()),
    ),
  ),
);

/** Exported functions by name, with their parameters as written. */
const exportedFunctions = server.flatMap(({ text }) =>
  [
    ...withoutComments(text).matchAll(/export (?:async )?function (\w+)(?:<[^(]*>)?\(([\s\S]*?)\n?\):? ?/g),
  ].map(([, name = "", parameters = ""]) => ({ name, parameters })),
);
const takesAnyCaller = ({ parameters }: { parameters: string }) =>
  /: (Caller|OrganisationCaller)\b/.test(parameters);

/** Functions for everybody who is signed in or has a key, and why. */
const forEverybody: Readonly<Record<string, string>> = {
  describeKey: "a key may always ask what it may do itself",
  firstSteps: "what the console shows first to everybody who signed in",
  identityOf: "who the caller is",
  organisationOf: "the organisation the caller acts for",
  workspacesOf: "names of workspaces for the console's menus",
};

test("functions that procedures call take a caller who was authorised for what they do", () => {
  const called = exportedFunctions.filter(({ name }) => calledByProcedures.has(name));
  expect(called.length).toBeGreaterThan(60);
  expect(takesAnyCaller({ parameters: "database: Database, caller: Caller, id: string" })).toBe(true);
  expect(takesAnyCaller({ parameters: 'caller: Authorized<"keys:read">' })).toBe(false);
  expect(
    called
      .filter(takesAnyCaller)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(Object.keys(forEverybody));
});
