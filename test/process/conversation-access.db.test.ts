import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { conversationIdOf, conversationRowId } from "#server/inference/conversations/conversation-id.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { byKey, database, expected, type Outcome, over, server, through, who } from "./stored-access.ts";

const message = { type: "message", role: "user", content: "The word is zanzibar." };

async function made(by: string): Promise<string> {
  const body = { items: [message], metadata: { word: "zanzibar" } };
  const response = await server.post("/conversations", body, { key: who[by] as string });
  return ((await response.json()) as { id: string }).id;
}

interface Operation {
  readonly changes?: true;
  /** Null where a session has no way to ask. */
  readonly ask: (caller: Caller | string, id: string, itemId: string) => Promise<Outcome> | null;
}

interface Asking {
  readonly method: string;
  readonly path: (id: string, itemId: string) => string;
  readonly procedure: string;
  readonly body?: object;
}

const either =
  ({ method, path, procedure, body }: Asking): Operation["ask"] =>
  (caller, id, item_id) =>
    typeof caller === "string"
      ? over(caller, method, path(id, item_id), body)
      : through(caller, `conversations.${procedure}`, {
          conversation_id: id,
          ...(path("", item_id).includes(item_id) && { item_id }),
          ...body,
        });

const one = (id: string) => `/conversations/${id}`;
const items = (id: string) => `${one(id)}/items`;
const item = (id: string, itemId: string) => `${items(id)}/${itemId}`;
const asked = { model: "sandbox/chat", max_output_tokens: 4, input: "More" };

const operations: Record<string, Operation> = {
  get: { ask: either({ method: "GET", path: one, procedure: "get" }) },
  "list items": { ask: either({ method: "GET", path: items, procedure: "listItems" }) },
  "get an item": { ask: either({ method: "GET", path: item, procedure: "getItem" }) },
  count: {
    ask: (caller, id) => byKey(caller, "POST", "/responses/input_tokens", { input: "x", conversation: id }),
  },
  continue: {
    changes: true,
    ask: (caller, id) => byKey(caller, "POST", "/responses", { ...asked, conversation: id }),
  },
  update: {
    changes: true,
    ask: either({ method: "POST", path: one, procedure: "update", body: { metadata: { word: "zanzibar" } } }),
  },
  "add items": {
    changes: true,
    ask: either({ method: "POST", path: items, procedure: "addItems", body: { items: [message] } }),
  },
  "delete an item": { changes: true, ask: either({ method: "DELETE", path: item, procedure: "removeItem" }) },
  delete: { changes: true, ask: either({ method: "DELETE", path: one, procedure: "remove" }) },
};
const deletes = (name: string): boolean => name.startsWith("delete");

const rowsOf = (id: string) =>
  database.prisma.conversation_item.findMany({
    where: { conversation_id: conversationRowId(id) ?? "" },
    orderBy: { position: "asc" },
  });

const never = conversationIdOf(uuidv7());

describe.each(Object.keys(expected))("a conversation made with %s", (maker) => {
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
      const id = await (deletes(name) && gets === "everything" ? made(maker) : shared());
      const before = await rowsOf(id);
      const itemId = before[0]?.item_id ?? "";
      const outcome = await ask(caller, id, itemId);
      if (outcome === null) return;
      const after = await rowsOf(id);
      if (gets === "everything" || (gets === "reading" && !changes)) {
        expect(outcome.code).toBe("done");
        if (deletes(name)) expect(after).toHaveLength(before.length - 1);
        return;
      }
      // A viewer lacks the permission, which is checked before anything is looked up.
      const isRefused = gets === "reading" || by === "a viewer";
      expect([outcome.code, after]).toEqual([isRefused ? "FORBIDDEN" : "NOT_FOUND", before]);
      expect(outcome.text).not.toContain("zanzibar");
      if (isRefused) return;
      // Nobody learns that it is there.
      const nowhere = await ask(caller, never, itemId);
      expect(outcome.text).toBe(nowhere?.text);
    });
  });
});
