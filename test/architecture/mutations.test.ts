import { expect, test } from "vitest";
import { z } from "zod";
import { appRouter } from "#server/api/root.ts";
import { anyone, type Meta, permitted, router } from "#server/api/trpc.ts";
import { sourceFiles } from "./source-files.ts";

interface Mutation {
  readonly name: string;
  readonly meta: Meta | undefined;
}

const mutationsOf = (of: { _def: { procedures: object } }): Mutation[] =>
  Object.entries(of._def.procedures as Record<string, { _def: { type: string; meta?: Meta } }>)
    .filter(([, { _def }]) => _def.type === "mutation")
    .map(([name, { _def }]) => ({ name, meta: _def.meta }));

/** Every audit action that some function outside the routers writes. */
const written = new Set(
  sourceFiles("src/server")
    .filter(({ path }) => !path.startsWith("src/server/api/"))
    .flatMap(({ text }) => [...text.matchAll(/"([a-z_]+\.[a-z_]+)"/g)].map(([, action]) => action)),
);

/** What a mutation lacks; null when it requires a permission and accounts for its audit row. */
function lack({ meta }: Mutation): string | null {
  if (!meta?.permission && !meta?.personal && meta?.openapi?.protect !== false) return "no permission";
  if (!meta.audit) return "no audit action and no reason for none";
  if ("none" in meta.audit) return meta.audit.none.length > 10 ? null : "no reason why nothing is audited";
  return written.has(meta.audit.action) ? null : `nothing writes the audit action ${meta.audit.action}`;
}

test.each(mutationsOf(appRouter))(
  "$name requires a permission, or concerns only the caller, and writes its audit row or gives a reason why not",
  (mutation) => {
    expect(lack(mutation)).toBeNull();
  },
);

test("a mutation that forgets either is found", () => {
  const forgetful = router({
    open: anyone.input(z.object({})).mutation(() => null),
    silent: permitted("keys:write", "workspace").mutation(() => null),
    lying: permitted("keys:write", "workspace")
      .meta({ audit: { action: "nothing.happens", configuration: false } })
      .mutation(() => null),
  });
  expect(mutationsOf(forgetful).map(lack)).toEqual([
    "no permission",
    "no audit action and no reason for none",
    "nothing writes the audit action nothing.happens",
  ]);
});

const proceduresOf = (of: { _def: { procedures: object } }) =>
  Object.entries(of._def.procedures as Record<string, { _def: { meta?: Meta } }>);

test("every procedure with a caller declares the scope of its rows, and no other does", () => {
  const without = proceduresOf(appRouter).filter(([, { _def }]) => _def.meta?.scope === undefined);
  expect(without.map(([name]) => name).sort()).toEqual([
    "alertChannels.confirm",
    "anthropicModels.list",
    "anthropicModels.retrieve",
    "authorization.exchange",
    "authorization.start",
    "invitations.accept",
    "invitations.view",
    "models.count",
    "models.embeddings",
    "models.endpoints",
    "models.get",
    "models.getAsOpenRouter",
    "models.list",
    "models.retrieve",
    "models.zdr",
    "profile.endSession",
    "profile.get",
    "profile.signOutEverywhere",
    "profile.update",
    "providers.list",
    "session.organisations",
    "session.switchOrganisation",
    "session.ways",
  ]);
});
