import { describe, expect, test } from "vitest";
import { faultyModels } from "./overlay.ts";
import { newOrganisation } from "./people.ts";
import { startTestServer } from "./server.ts";

const { endpoints, models } = faultyModels({ text: { fr: "ok" }, own: { fr: "ok" }, sees: { de: "ok" } });
const listed: Record<string, readonly string[]> = { "test/text": ["text"], "test/sees": ["text", "image"] };
const server = await startTestServer({
  overlay: {
    endpoints,
    models: models.map((one) => ({ ...one, ...(listed[one.id] && { input_modalities: listed[one.id] }) })),
  },
});
const { key } = await newOrganisation(server);

const picture = "data:image/png;base64,AAAA";
const chatOf = (...parts: object[]) => ({
  messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, ...parts] }],
});
const inputOf = (...parts: object[]) => ({
  input: [{ role: "user", content: [{ type: "input_text", text: "What is this?" }, ...parts] }],
});
const image = { type: "image_url", image_url: { url: picture } };
const inputImage = { type: "input_image", image_url: picture };
const pdf = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" } };
const inputPdf = { type: "input_file", filename: "a.pdf", file_data: "data:application/pdf;base64,AAAA" };

interface Refused {
  readonly error: { code: string; message: string; metadata: Record<string, unknown> };
}
const ask = async (path: string, body: object) => {
  const response = await server.post(path, body, { key });
  const { status, headers } = response;
  return { status, headers, text: await response.text() };
};

const tables = [
  ["/chat/completions", chatOf(image), chatOf(), chatOf(image, pdf)],
  ["/responses", inputOf(inputImage), inputOf(), inputOf(inputImage, inputPdf)],
] as const;

describe.each(tables)("%s", (path, withImage, textOnly, withBoth) => {
  test.each([false, true])(
    "refuses an image to a model that accepts text only (stream: %o)",
    async (stream) => {
      const { status, headers, text } = await ask(path, { model: "test/text", stream, ...withImage });
      expect([status, headers.get("x-should-retry")]).toEqual([404, "false"]);
      const { error } = JSON.parse(text) as Refused;
      expect(error).toMatchObject({
        code: "NOT_FOUND",
        message: "No endpoints found that support image input",
        metadata: {
          availability: { code: "constraint_filtered", retryable: false, excluded_by: ["input_modalities"] },
          excluded: [
            {
              endpoint: "sandbox-fr:test/text",
              excluded_by: "input_modalities",
              refusals: [
                {
                  field: "input_modalities",
                  wanted: ["image"],
                  actual: ["text"],
                  set_by: { scope: "request" },
                },
              ],
            },
          ],
        },
      });
    },
  );

  test("names all that is lacking, and what to list in the catalogue file if nothing is listed", async () => {
    const both = JSON.parse((await ask(path, { model: "test/text", ...withBoth })).text) as Refused;
    expect(both.error.message).toBe("No endpoints found that support image and file input");
    const own = JSON.parse((await ask(path, { model: "test/own", ...withImage })).text) as Refused;
    expect(own.error.message).toMatch(
      /^No endpoints found that support image input\. .* input_modalities .*/,
    );
  });

  test("serves text by the same models, and an image by a model that accepts it, also as a fallback", async () => {
    for (const model of ["test/text", "test/own", "test/sees"])
      expect((await ask(path, { model, ...textOnly })).status).toBe(200);
    expect((await ask(path, { model: "test/sees", ...withImage })).status).toBe(200);
    const { status, text } = await ask(path, { models: ["test/text", "test/sees"], ...withImage });
    expect([status, JSON.parse(text)]).toMatchObject([200, { model: "test/sees" }]);
  });
});

test("the Messages API refuses images and documents in its own form of errors, and serves a model that accepts them", async () => {
  const block = (type: string, media_type: string) => ({
    type,
    source: { type: "base64", media_type, data: "AAAA" },
  });
  const ofModel = (model: string, ...content: object[]) =>
    ask("/messages", { model, max_tokens: 16, messages: [{ role: "user", content }] });
  const blocks = [block("image", "image/png"), block("document", "application/pdf")];
  const { status, text } = await ofModel("test/text", ...blocks);
  expect([status, JSON.parse(text)]).toMatchObject([
    404,
    { type: "error", error: { message: "No endpoints found that support image and file input" } },
  ]);
  expect((await ofModel("test/sees", block("image", "image/png"))).status).toBe(200);
  expect((await ofModel("test/text", { type: "text", text: "Hello" })).status).toBe(200);
});

test("the refusal is in the log of refused requests, and a dry run predicts it", async () => {
  await server.services.refusedRequests.flush();
  const log = await server.send("GET", "/refused-requests", { key });
  const { data } = (await log.json()) as { data: { param: string; http_status: number }[] };
  expect(data).toContainEqual(expect.objectContaining({ param: "input modalities", http_status: 404 }));
  const dry = async (body: object) => {
    const response = await server.post("/routing-rules/dry-run", body, { key });
    return (await response.json()) as { data: { results: { reason: { message: string } | null }[] } };
  };
  const asked = { models: ["test/text", "test/sees"] };
  expect(
    (await dry({ ...asked, input_modalities: ["image"] })).data.results.map(({ reason }) => reason),
  ).toEqual([{ code: "constraint_filtered", message: "No endpoints found that support image input" }, null]);
  expect((await dry(asked)).data.results.map(({ reason }) => reason)).toEqual([null, null]);
  expect((await dry({ ...asked, output_modalities: ["audio"] })).data.results[1]?.reason?.message).toMatch(
    /^No endpoints found that support audio output/,
  );
});
