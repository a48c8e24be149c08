import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { generationIdOf, responseIdOf } from "#server/inference/operations/responses/response-object.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import {
  byKey,
  database,
  expected,
  type Outcome,
  over,
  server,
  services,
  through,
  who,
} from "./stored-access.ts";

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
