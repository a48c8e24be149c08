import { describe, expect, test } from "vitest";
import { ErrorEnvelope } from "#contract/errors.ts";
import { startTestServer } from "./server.ts";

const { post } = await startTestServer();

const asked = {
  "/chat/completions": { messages: [{ role: "user", content: "Hello" }] },
  "/completions": { prompt: "Hello" },
  "/responses": { input: "Hello" },
};
const paths = Object.keys(asked) as (keyof typeof asked)[];

describe.each(paths)("%s", (path) => {
  const ask = (own: object) => post(path, { model: "sandbox/chat", ...asked[path], ...own });

  test.each([
    { plugins: [{ id: "web" }] },
    { web_search_options: {} },
    { transforms: ["unknown"] },
    { route: "sort" },
  ])("refuses %j, which would change the answer, with the name of the field", async (own) => {
    const response = await ask(own);
    const { error } = ErrorEnvelope.parse(await response.json());
    expect([response.status, error.param?.split(".")[0]]).toEqual([400, Object.keys(own)[0]]);
  });

  test.runIf(path !== "/chat/completions")(
    "refuses the transform middle-out, which only chat has",
    async () => {
      const response = await ask({ transforms: ["middle-out"] });
      expect([response.status, ErrorEnvelope.parse(await response.json()).error.param]).toEqual([
        400,
        "transforms",
      ]);
    },
  );

  test.each([
    { plugins: [], transforms: [] },
    { plugins: null, web_search_options: null, transforms: null, route: null },
    { route: "fallback", models: ["sandbox/chat"] },
  ])("accepts %j, which asks for nothing else", async (own) => {
    expect((await ask(own)).status).toBe(200);
  });
});
