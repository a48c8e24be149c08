import { describe, expect, test } from "vitest";
import type { Caller } from "#server/access/caller.ts";
import { completionIdOf, completionRowId } from "#server/inference/stored-completions/completion-id.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { database, expected, type Outcome, over, server, through, who } from "./stored-access.ts";

async function made(by: string): Promise<string> {
  const messages = [{ role: "user", content: "The word is zanzibar." }];
  const body = {
    model: "sandbox/chat",
    messages,
    max_tokens: 4,
    store: true,
    metadata: { word: "zanzibar" },
  };
  const response = await server.post("/chat/completions", body, { key: who[by] as string });
  return ((await response.json()) as { id: string }).id;
}

interface Operation {
  readonly changes?: true;
  readonly ask: (caller: Caller | string, id: string) => Promise<Outcome>;
}

const either =
  (method: string, procedure: string, path = "", body?: object): Operation["ask"] =>
  (caller, id) =>
    typeof caller === "string"
      ? over(caller, method, `/chat/completions/${id}${path}`, body)
      : through(caller, `chatCompletions.${procedure}`, { completion_id: id, ...body });

const operations: Record<string, Operation> = {
  get: { ask: either("GET", "get") },
  "list messages": { ask: either("GET", "messages", "/messages") },
  update: { changes: true, ask: either("POST", "update", "", { metadata: { word: "zanzibar" } }) },
  delete: { changes: true, ask: either("DELETE", "remove") },
};

const isThere = async (id: string): Promise<boolean> =>
  (await database.prisma.stored_completion.count({ where: { id: completionRowId(id) ?? "" } })) === 1;

const never = completionIdOf(uuidv7());

describe.each(Object.keys(expected))("a chat completion made with %s", (maker) => {
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
      const outcome = await ask(caller, id);
      if (gets === "everything" || (gets === "reading" && !changes)) {
        expect(outcome.code).toBe("done");
        expect(await isThere(id)).toBe(name !== "delete");
        return;
      }
      // A viewer lacks the permission, which is checked before anything is looked up.
      const isRefused = gets === "reading" || by === "a viewer";
      expect(outcome.code).toBe(isRefused ? "FORBIDDEN" : "NOT_FOUND");
      expect(outcome.text).not.toContain("zanzibar");
      // Nobody learns that it is there.
      if (!isRefused) expect(outcome.text).toBe((await ask(caller, never)).text);
    });
  });

  test.each(Object.keys(who))("is listed for %s if it may be read", async (by) => {
    const caller = who[by] as Caller | string;
    const id = await shared();
    const { text } = await (typeof caller === "string"
      ? over(caller, "GET", "/chat/completions?order=desc&limit=100&metadata[word]=zanzibar")
      : through(caller, "chatCompletions.list", {
          order: "desc",
          limit: "100",
          metadata: { word: "zanzibar" },
        }));
    const gets = expected[maker]?.[by] ?? "nothing";
    expect(text.includes(id)).toBe(gets !== "nothing");
  });
});
