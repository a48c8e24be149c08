import { afterAll, vi } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { type Permission, permissionsOf, type Role } from "#server/access/permissions.ts";
import { createCaller } from "#server/api/root.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createOrganisation, keyPrefix } from "#test/factories.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

/** The server of the file that imports this; the next file of the process loads this module again. */
export const server = await startTestServer();
afterAll(() => {
  vi.resetModules();
});
export const { services } = server;
export const { database } = services;
const home = await newOrganisation(server);
const [research, sales] = [home.workspaceId, await workspace("Sales")];
const elsewhere = await createOrganisation(database);

async function workspace(name: string): Promise<string> {
  return (await database.prisma.workspace.create({ data: { org_id: home.orgId, name } })).id;
}

async function personOf(role: Role): Promise<{ userId: string; role: Role }> {
  const userId = uuidv7();
  await database.prisma.user.create({ data: { id: userId, name: role, email: `${userId}@test.example` } });
  await database.prisma.member.create({ data: { org_id: home.orgId, user_id: userId, role } });
  return { userId, role };
}

interface KeyOptions {
  readonly without?: Permission;
  readonly only?: readonly Permission[];
  readonly workspaceId?: string;
  readonly appHost?: string;
}

async function keyOf({ userId, role }: { userId: string; role: Role }, options: KeyOptions = {}) {
  const { without, only = [...permissionsOf(role)], ...bounds } = options;
  const key = mintKey(keyPrefix);
  await database.transaction((tx) =>
    storeKey(tx, home.caller, key, keyPrefix, {
      ...{ name: "Key", orgId: home.orgId, userId, ...bounds },
      permissions: only.filter((permission) => permission !== without),
    }),
  );
  return key;
}

const session = ({ userId, role }: { userId: string; role: Role }): Caller => ({
  ...{ kind: "person", orgId: home.orgId, userId, email: "", role },
  permissions: permissionsOf(role),
});

const [ada, bob, admin, viewer] = [
  await personOf("member"),
  await personOf("member"),
  await personOf("admin"),
  await personOf("viewer"),
];
const inference: readonly Permission[] = ["inference:use"];
const reading: readonly Permission[] = ["inference:use", "audit:read", "activity:read"];
const appHost = "app.example.eu";

/** Who asks: with a key over HTTP, or with a session. */
export const who: Record<string, string | Caller> = {
  "the key that made it": await keyOf(ada),
  "another key of the same person": await keyOf(ada),
  "the person who owns the key": session(ada),
  "an app's key of the same person": await keyOf(ada, { only: inference, appHost }),
  "a second key of the same app": await keyOf(ada, { only: inference, appHost }),
  "a key of the same person in a workspace": await keyOf(ada, { workspaceId: research }),
  "a key of the same person in another workspace": await keyOf(ada, { workspaceId: sales }),
  "another member's key": await keyOf(bob),
  "another member's key in the workspace": await keyOf(bob, { workspaceId: research }),
  "another member": session(bob),
  "a viewer": session(viewer),
  "an administrator": session(admin),
  "an administrator's key": await keyOf(admin),
  "an administrator's key without audit:read": await keyOf(await personOf("admin"), {
    without: "audit:read",
  }),
  "an administrator's key that only reads": await keyOf(admin, { only: reading }),
  "an administrator's key in the workspace": await keyOf(admin, { workspaceId: research }),
  "an administrator's key in another workspace": await keyOf(admin, { workspaceId: sales }),
  "an owner of another organisation": elsewhere.key,
};
await services.refreshSnapshot();

export type Answer = "everything" | "reading" | "nothing" | "refused";
const own = {
  "the person who owns the key": "everything",
  "another key of the same person": "everything",
} as const;
const administrators = {
  "an administrator": "everything",
  "an administrator's key": "everything",
  "an administrator's key that only reads": "reading",
} as const;

/** Who gets what of a response or conversation, by the key it was made with; all others get nothing. */
export const expected: Record<string, Partial<Record<keyof typeof who, Answer>>> = {
  "the key that made it": { "the key that made it": "everything", ...own, ...administrators },
  "an app's key of the same person": {
    "an app's key of the same person": "everything",
    "the key that made it": "everything",
    ...own,
    ...administrators,
  },
  "a key of the same person in a workspace": {
    "a key of the same person in a workspace": "everything",
    "the key that made it": "everything",
    "an administrator's key in the workspace": "everything",
    ...own,
    ...administrators,
  },
};

/** `done` or the error's code; if nothing may be revealed, with the complete text. */
export type Outcome = { readonly code: string; readonly text: string };

export async function over(
  caller: Caller | string,
  method: string,
  path: string,
  body?: object,
): Promise<Outcome> {
  const sent = { key: caller as string, ...(body && { body: JSON.stringify(body) }) };
  const response = await server.send(method, path, sent);
  const text = await response.text();
  const code = response.ok ? "done" : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { code, text: text.replace(/"requestId":"[^"]+"/, "") };
}

export async function through(caller: Caller, name: string, input: object): Promise<Outcome> {
  const signal = AbortSignal.timeout(10_000);
  let found: unknown = createCaller({ services, caller, requestId: "table", ipAddress: null, signal });
  for (const part of name.split(".")) found = (found as Record<string, unknown>)[part];
  try {
    return {
      code: "done",
      text: JSON.stringify(await (found as (input: object) => Promise<unknown>)(input)),
    };
  } catch (thrown) {
    const { code, message, param } = appErrorOf(thrown);
    return { code, text: JSON.stringify({ message, param }) };
  }
}

export const byKey = (caller: Caller | string, ...rest: [string, string, object?]) =>
  typeof caller === "string" ? over(caller, ...rest) : null;
