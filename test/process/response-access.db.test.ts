import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { type Permission, permissionsOf, type Role } from "#server/access/permissions.ts";
import { createCaller } from "#server/api/root.ts";
import { appErrorOf } from "#server/api/trpc.ts";
import { generationIdOf, responseIdOf } from "#server/inference/operations/responses/response-object.ts";
import { mintKey, storeKey } from "#server/keys/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { createOrganisation, keyPrefix } from "#test/factories.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services } = server;
const { database } = services;
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
const who: Record<string, string | Caller> = {
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

type Answer = "everything" | "reading" | "nothing" | "refused";
const own = {
  "the person who owns the key": "everything",
  "another key of the same person": "everything",
} as const;
const administrators = {
  "an administrator": "everything",
  "an administrator's key": "everything",
  "an administrator's key that only reads": "reading",
} as const;

/** Who gets what of a response, by the key it was asked with; all others get nothing. */
const expected: Record<string, Partial<Record<keyof typeof who, Answer>>> = {
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

async function made(by: string): Promise<string> {
  const key = who[by] as string;
  const input = [{ type: "message", role: "user", content: "The word is zanzibar." }];
  const body = { model: "sandbox/chat", input, max_output_tokens: 4, background: true, stream: true };
  const text = await (await server.post("/responses", body, { key })).text();
  const id = /"id":"(resp_\w+)"/.exec(text)?.[1];
  if (!id) throw new Error(text);
  await services.billing.drain();
  return id;
}

/** `done` or the error's code; if nothing may be revealed, with the complete text. */
type Outcome = { readonly code: string; readonly text: string };

async function over(caller: Caller | string, method: string, path: string, body?: object): Promise<Outcome> {
  const sent = { key: caller as string, ...(body && { body: JSON.stringify(body) }) };
  const response = await server.send(method, path, sent);
  const text = await response.text();
  const code = response.ok ? "done" : (JSON.parse(text) as { error: { code: string } }).error.code;
  return { code, text: text.replace(/"requestId":"[^"]+"/, "") };
}

async function through(caller: Caller, name: string, input: object): Promise<Outcome> {
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

/** Replaying answers every caller that may read activity, with or without the content. */
async function replayed(caller: Caller | string, id: string): Promise<Outcome> {
  const known =
    typeof caller === "string" ? services.authenticate({ authorization: `Bearer ${caller}` }) : caller;
  const outcome = await through(known as Caller, "generations.replay", { id: generationIdOf(id) ?? "" });
  if (outcome.code !== "done") return outcome;
  return outcome.text.includes('"content_kept":true') ? outcome : { code: "NOT_FOUND", text: "" };
}

interface Operation {
  readonly changes?: true;
  /** Null where a session has no way to ask. */
  readonly ask: (caller: Caller | string, id: string, itemId: string) => Promise<Outcome> | null;
}
const byKey = (caller: Caller | string, ...rest: [string, string, object?]) =>
  typeof caller === "string" ? over(caller, ...rest) : null;
const either =
  (method: string, path: (id: string) => string, procedure: string): Operation["ask"] =>
  (caller, id) =>
    typeof caller === "string"
      ? over(caller, method, path(id), method === "POST" ? {} : undefined)
      : through(caller, procedure, { response_id: id });
const asked = { model: "sandbox/chat", max_output_tokens: 4 };

const operations: Record<string, Operation> = {
  get: { ask: either("GET", (id) => `/responses/${id}`, "responses.get") },
  "list input items": {
    ask: either("GET", (id) => `/responses/${id}/input_items`, "responses.inputItems"),
  },
  follow: { ask: (caller, id) => byKey(caller, "GET", `/responses/${id}?stream=true`) },
  continue: {
    ask: (caller, id) =>
      byKey(caller, "POST", "/responses", { ...asked, input: "More", previous_response_id: id }),
  },
  "refer to an item": {
    ask: (caller, _, itemId) =>
      byKey(caller, "POST", "/responses", { ...asked, input: [{ type: "item_reference", id: itemId }] }),
  },
  replay: { ask: replayed },
  cancel: {
    changes: true,
    ask: either("POST", (id) => `/responses/${id}/cancel`, "responses.cancel"),
  },
  delete: { changes: true, ask: either("DELETE", (id) => `/responses/${id}`, "responses.remove") },
};

const itemOf = async (id: string): Promise<string> => {
  const row = await database.prisma.stored_response.findUniqueOrThrow({
    where: { id: generationIdOf(id) ?? "" },
  });
  return row.item_ids[0] ?? "";
};

const never = responseIdOf(uuidv7());

/** The answer to a caller without the permission, before any look-up. */
const lacks: Partial<Record<string, readonly string[]>> = {
  "a viewer": Object.keys(operations),
  // Replaying needs activity:read besides, which an application's key never has.
  "an app's key of the same person": ["replay"],
  "a second key of the same app": ["replay"],
};

describe.each(Object.keys(expected))("a response asked for with %s", (maker) => {
  let stored: Promise<string> | undefined;
  /** One is enough for all who leave it there. */
  const shared = () => {
    stored ??= made(maker);
    return stored;
  };

  describe.each(Object.entries(operations))("to %s", (name, { changes, ask }) => {
    test.each(Object.keys(who))("%s", async (by) => {
      const caller = who[by] as Caller | string;
      const gets = expected[maker]?.[by] ?? "nothing";
      const id = await (name === "delete" && gets === "everything" ? made(maker) : shared());
      const outcome = await ask(caller, id, await itemOf(id));
      if (outcome === null) return;
      const still = await database.prisma.stored_response.count({ where: { id: generationIdOf(id) ?? "" } });
      if (lacks[by]?.includes(name)) {
        expect([outcome.code, still]).toEqual(["FORBIDDEN", 1]);
        return;
      }
      if (gets === "everything" || (gets === "reading" && !changes)) {
        expect([outcome.code, still]).toEqual(["done", name === "delete" ? 0 : 1]);
        return;
      }
      expect(outcome.text).not.toContain("zanzibar");
      expect([outcome.code, still]).toEqual([gets === "reading" ? "FORBIDDEN" : "NOT_FOUND", 1]);
      if (gets === "reading" || name === "replay") return;
      // Nobody learns that it is there.
      const nowhere = await ask(caller, never, `msg_${"0".repeat(48)}`);
      expect(outcome.text).toBe(nowhere?.text);
    });
  });
});
