import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ChatRequest } from "#contract/chat.ts";
import { CompletionRequest } from "#contract/completions.ts";
import { inferenceOperations } from "#contract/inference-operations.ts";
import { Role } from "#contract/permission.ts";
import { RerankRequest } from "#contract/rerank.ts";
import { ResponseRequest } from "#contract/responses.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import {
  button,
  chatAnswer,
  choose,
  chooseOperation,
  dryRun,
  message,
  ready,
  resetPlayground,
  running,
  showPlayground,
  status,
} from "#test/console/playground.tsx";
import { fill } from "#test/console/render.tsx";
import { Refusal, requestId } from "#test/console/server.ts";
import { emptyDraft } from "./draft.ts";
import { fragmentOf } from "./shared-draft.ts";

resetPlayground();

describe("the operations", () => {
  test.each([
    ["Chat", "chat", ["System", "Message"], ["Temperature", "Max tokens"], true],
    ["Responses", "responses", ["System", "Message"], ["Temperature", "Max tokens"], true],
    ["Completion", "completions", ["Prompt"], ["Temperature", "Max tokens"], true],
    ["Rerank", "rerank", ["Query", "Documents, one per line"], [], false],
  ])("%s has its own fields", async (label, _operation, texts, numbers, streams) => {
    const { user } = await showPlayground();
    await chooseOperation(user, label);
    const request = within(screen.getByRole("region", { name: "Request" }));
    const labelled = ["System", "Message", "Prompt", "Query", "Documents, one per line"];
    for (const name of labelled)
      expect(request.queryByRole("textbox", { name }) !== null, name).toBe(texts.includes(name));
    for (const name of ["Temperature", "Max tokens"])
      expect(request.queryByLabelText(name) !== null, name).toBe(numbers.includes(name));
    expect(request.queryByRole("switch", { name: "Stream the answer" }) !== null).toBe(streams);
  });

  test.each([
    ["Chat", "chat", "Message", ChatRequest],
    ["Responses", "responses", "Message", ResponseRequest],
    ["Completion", "completions", "Prompt", CompletionRequest],
    ["Rerank", "rerank", "Query", RerankRequest],
  ] as const)("%s sends a body that the API takes, to its path", async (label, operation, field, schema) => {
    const { user, nextCall } = await showPlayground();
    await chooseOperation(user, label);
    await choose(user, "a/one");
    await fill(user, screen.getByRole("textbox", { name: field }), "harbour");
    if (operation === "rerank")
      await fill(user, screen.getByRole("textbox", { name: "Documents, one per line" }), "one\n\n two ");
    await user.click(button("Run"));
    const call = await nextCall();
    expect(call.path).toBe(`/api/playground${inferenceOperations[operation].path}`);
    expect(schema.parse(call.body)).toMatchObject({ model: "a/one" });
    expect(JSON.stringify(call.body)).toContain("harbour");
    if (operation === "rerank") expect(call.body).toMatchObject({ documents: ["one", "two"] });
  });

  test("changing to another removes the answers of the one before", async () => {
    const { user, call } = await running();
    call.json(chatAnswer("Ahoy"));
    await screen.findByText("Ahoy");
    await waitFor(() => expect(button("Run").disabled).toBe(false));
    await chooseOperation(user, "Completion");
    expect(screen.queryByText("Ahoy")).toBeNull();
    expect(screen.queryByRole("button", { name: "Start over" })).toBeNull();
  });
});

describe("what is missing", () => {
  test("is named one after the other, and nothing can be run until then", async () => {
    const { user } = await showPlayground();
    await waitFor(() => expect(status()).toBe("Choose a model"));
    expect(button("Run").disabled).toBe(true);
    expect(button("View code").disabled).toBe(true);
    await choose(user, "a/one");
    expect(status()).toBe("Enter a message");
    await fill(user, message(), "Hi");
    expect(status()).toBe("Press Ctrl or ⌘ + Enter to run");
    expect(button("Run").disabled).toBe(false);
    expect(button("View code").disabled).toBe(false);
  });

  test.each([
    ["Tools (JSON array)", "{}", "Tools: must be a JSON array"],
    ["Other parameters (JSON object)", "[]", "Other parameters: must be a JSON object"],
  ])("%s with %s is refused in words", async (field, text, problem) => {
    const { user } = await ready();
    await user.click(button("Advanced"));
    await fill(user, screen.getByRole("textbox", { name: field }), text);
    expect(status()).toBe(problem);
    expect(button("Run").disabled).toBe(true);
  });

  test.each(Role.options)("a person who is %s can run it only with the permission to", async (role) => {
    await ready({ role });
    const may = permissionsOf(role).has("inference:use");
    await waitFor(() => expect(button("Run").disabled).toBe(!may));
    expect(status()).toBe(may ? "Press Ctrl or ⌘ + Enter to run" : "Your role cannot send requests");
  });
});

describe("parameters", () => {
  test("are sent as they are entered", async () => {
    const { user, nextCall } = await ready();
    await fill(user, screen.getByLabelText("System"), "Be kind");
    await fill(user, screen.getByLabelText("Temperature"), "0.5");
    await fill(user, screen.getByLabelText("Max tokens"), "7");
    await user.click(screen.getByRole("switch", { name: "Stream the answer" }));
    await user.click(button("Advanced"));
    await fill(user, screen.getByLabelText("Tools (JSON array)"), '[{ "type": "function" }]');
    await fill(user, screen.getByLabelText("Other parameters (JSON object)"), '{ "top_p": 0.9 }');
    await user.click(button("Run"));
    expect((await nextCall()).body).toEqual({
      model: "a/one",
      messages: [
        { role: "system", content: "Be kind" },
        { role: "user", content: "Hi" },
      ],
      tools: [{ type: "function" }],
      temperature: 0.5,
      max_completion_tokens: 7,
      top_p: 0.9,
    });
  });

  test("that are emptied are not sent", async () => {
    const { user, nextCall } = await ready();
    await fill(user, screen.getByLabelText("Max tokens"), "");
    await user.click(button("Run"));
    expect((await nextCall()).body).toEqual({
      model: "a/one",
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
    });
  });

  test("as JSON are hidden at first, and shown when a link fills them in", async () => {
    window.location.hash = fragmentOf({ ...emptyDraft, fields: '{ "top_p": 1 }' });
    const { user } = await showPlayground();
    await waitFor(() => expect(button("Hide advanced").getAttribute("aria-expanded")).toBe("true"));
    await user.click(button("Hide advanced"));
    expect(button("Advanced").getAttribute("aria-expanded")).toBe("false");
  });
});

describe("the models to choose from", () => {
  test("are those that a provider may serve, with how many", async () => {
    const { user } = await showPlayground();
    await user.click(screen.getByRole("combobox", { name: "Model" }));
    const options = await screen.findAllByRole("option");
    expect(options.map(({ textContent }) => textContent)).toEqual(["a/one1 provider", "a/many3 providers"]);
  });

  test("include the one of a link, though no provider may serve it", async () => {
    window.location.hash = fragmentOf({ ...emptyDraft, models: ["x/gone"] });
    const { user } = await showPlayground();
    await user.click(screen.getByRole("combobox", { name: "Model" }));
    expect((await screen.findByRole("option", { name: /x\/gone/ })).textContent).toBe("x/gonenot available");
  });

  test("that cannot be loaded say why, and can be asked for again", async () => {
    let failing = true;
    const failingDryRun = () => {
      if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
      return dryRun();
    };
    const { user } = await showPlayground({ answers: { routingRules: { dryRun: failingDryRun } } });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Try again later");
    expect(alert.textContent).toContain(requestId);
    failing = false;
    await user.click(button("Try again"));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });
});

describe("the request as code", () => {
  test("is shown for each language with the draft's own words, and the key as a variable", async () => {
    const { user } = await ready();
    await user.click(button("View code"));
    const dialog = await screen.findByRole("dialog", { name: "Code" });
    const texts = [];
    for (const name of ["curl", "Node", "Python"]) {
      await user.click(within(dialog).getByRole("tab", { name }));
      texts.push(within(dialog).getByRole("region", { name: `${name} code` }).textContent ?? "");
    }
    for (const text of texts) {
      expect(text).toContain("http://console.test/api/v1");
      expect(text).toContain("a/one");
      expect(text).toContain("PORTOLAN_API_KEY");
    }
    expect(new Set(texts).size).toBe(3);
    await user.click(within(dialog).getByRole("button", { name: "Close" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

describe("a request of the log", () => {
  const id = "018f0000-0000-7000-8000-0000000000cc";
  const replayed = (operation: string, content_kept: boolean, body: Record<string, unknown>) => ({
    search: `?replay=${id}`,
    answers: { generations: { replay: () => ({ operation, body, content_kept, answer: null }) } },
  });

  test("is filled in with its stored content, to be sent again", async () => {
    const input = [{ type: "message", role: "user", content: "Stored question" }];
    const { user, server, nextCall } = await showPlayground(
      replayed("responses", true, { model: "a/one", input, temperature: 0.25 }),
    );
    await screen.findByText(/The stored request is filled in/);
    expect(server.inputsOf("generations.replay")).toEqual([{ id }]);
    await waitFor(() => expect(message().value).toBe("Stored question"));
    await user.click(button("Run"));
    const call = await nextCall();
    expect(call.path).toBe("/api/playground/responses");
    expect(call.body).toMatchObject({ model: "a/one", temperature: 0.25, store: false });
  });

  test("without content has its model and parameters, and lacks the message", async () => {
    await showPlayground(replayed("chat", false, { model: "a/one", max_tokens: 9 }));
    await screen.findByText(/The prompt of this request was not stored/);
    await waitFor(() => expect(status()).toBe("Enter a message"));
    expect(screen.getByLabelText<HTMLInputElement>("Max tokens").value).toBe("9");
    expect(screen.getByRole("link", { name: "View request" }).getAttribute("href")).toBe(`/logs?open=${id}`);
  });

  test("of an operation that cannot be tried here leaves the form as it is", async () => {
    await showPlayground(replayed("embeddings", false, { model: "a/e" }));
    await screen.findByText(/does not support embeddings/);
    await waitFor(() => expect(status()).toBe("Choose a model"));
  });

  test("that cannot be loaded says why", async () => {
    const replay = () => {
      throw new Refusal("NOT_FOUND", "No such generation");
    };
    await showPlayground({ search: `?replay=${id}`, answers: { generations: { replay } } });
    expect((await screen.findByRole("alert")).textContent).toContain("No such generation");
  });
});
