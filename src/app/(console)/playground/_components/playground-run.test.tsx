import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import {
  button,
  chatAnswer,
  choose,
  chooseOperation,
  chunk,
  message,
  pane,
  ready,
  resetPlayground,
  running,
  served,
  showPlayground,
  status,
} from "#test/console/playground.tsx";
import { fill } from "#test/console/render.tsx";
import { emptyDraft } from "./draft.ts";
import { fragmentOf } from "./shared-draft.ts";

resetPlayground();

describe("an answer", () => {
  test("grows while it is streamed, and ends with who served it, its cost and its duration", async () => {
    const { call } = await running();
    const events = call.stream({ headers: served });
    events.send(chunk("Ahoy "));
    const growing = await screen.findByText("Ahoy");
    expect(growing.closest("[aria-live]")?.getAttribute("aria-busy")).toBe("true");
    expect(screen.queryByRole("group", { name: "How it was served" })).toBeNull();
    events.send(chunk("there"));
    events.send({
      choices: [],
      usage: { cost: 0.0000123, cost_eur: 0.0000107, prompt_tokens: 12, completion_tokens: 34 },
    });
    events.end();
    const facts = await screen.findByRole("group", { name: "How it was served" });
    expect(screen.getByText("Ahoy there").closest("[aria-live]")?.getAttribute("aria-busy")).toBe("false");
    expect(facts.textContent).toContain("alpha · price");
    expect(facts.textContent).toContain("€0.000011 · $0.000012");
    expect(facts.textContent).toContain("12 in · 34 out");
    expect(facts.textContent).toMatch(/first token \d.* · \d.* total/);
  });

  test.each([
    ["0", null],
    ["1", "1 fallback"],
    ["2", "2 fallbacks"],
  ])("after %s fallbacks shows %s", async (count, text) => {
    const { call } = await running();
    call.json(chatAnswer("Ahoy"), { headers: { ...served, "x-fallback-count": count } });
    const facts = await screen.findByRole("group", { name: "How it was served" });
    expect(facts.textContent?.match(/\d fallbacks?/)?.[0] ?? null).toBe(text);
  });

  test.each([
    ["sandbox-fr", 1],
    ["alpha", 0],
  ])("of %s is marked as random words if it is from the sandbox", async (provider, notices) => {
    const { call } = await running();
    call.json(chatAnswer("Ahoy"), { headers: { ...served, "x-provider-slug": provider } });
    await screen.findByText("Ahoy");
    expect(screen.queryAllByText(/^Random words from the sandbox/)).toHaveLength(notices);
  });

  test("shows the reasoning and the tool calls of the model", async () => {
    const { call } = await running();
    const called = { function: { name: "look", arguments: '{"at":1}' } };
    call.json({ choices: [{ message: { content: null, reasoning: "Hm", tool_calls: [called] } }] });
    await screen.findByRole("region", { name: "call of look" });
    expect(screen.getByRole("region", { name: "call of look" }).textContent).toBe('look({"at":1})');
    expect(within(pane()).getByText("Hm")).toBeDefined();
  });

  test("of a reranking is its documents, best first, with three digits", async () => {
    const { user, nextCall } = await showPlayground();
    await chooseOperation(user, "Rerank");
    await choose(user, "a/one");
    await fill(user, screen.getByLabelText("Query"), "harbour");
    await fill(user, screen.getByLabelText("Documents, one per line"), "x\ny");
    await user.click(button("Run"));
    (await nextCall()).json({
      results: [
        { index: 1, relevance_score: 0.98765, document: { text: "y" } },
        { index: 0, relevance_score: 0.1, document: { text: "x" } },
      ],
    });
    const table = await screen.findByRole("table", { name: "Documents, best first" });
    expect(
      within(table)
        .getAllByRole("row")
        .map((row) => row.textContent),
    ).toEqual(["0.988y", "0.100x"]);
  });
});

describe("a failed request", () => {
  test("shows the server's message and the request ID, and can be run again", async () => {
    const { user, call, nextCall } = await running();
    call.json(
      { error: { code: "FORBIDDEN", message: "No provider meets your rules" }, requestId: "req_1" },
      { status: 403 },
    );
    const { textContent } = await within(pane()).findByRole("alert");
    expect(textContent).toContain("No provider meets your rules");
    expect(textContent).toContain("req_1");
    await user.click(button("Run"));
    (await nextCall(1)).json(chatAnswer("Ahoy"));
    await screen.findByText("Ahoy");
    expect(within(pane()).queryByRole("alert")).toBeNull();
  });

  test("is not part of the conversation that goes on", async () => {
    const { user, call, nextCall } = await running();
    call.disconnect();
    await within(pane()).findByText("The connection was lost.");
    await fill(user, message(), "Again");
    await user.click(button("Run"));
    expect((await nextCall(1)).body).toMatchObject({ messages: [{ role: "user", content: "Again" }] });
  });

  test("of somebody whose session ended offers to sign in beside the draft", async () => {
    const { call } = await running();
    call.json({ error: { code: "UNAUTHORIZED", message: "No session" } }, { status: 401 });
    const alert = await within(pane()).findByRole("alert");
    const link = within(alert).getByRole("link", { name: "Sign in in a new tab" });
    expect(link.getAttribute("target")).toBe("_blank");
    expect(message().value).toBe("Hi");
  });
});

describe("stopping", () => {
  /** Stop is ignored for half a second, so that a double click on Run does not stop the run. */
  const afterDoubleClick = () => new Promise((resolve) => setTimeout(resolve, 520));

  test("ends the request and keeps what had arrived", async () => {
    const { user, call } = await running();
    const events = call.stream({ headers: served });
    events.send(chunk("Ahoy"));
    await screen.findByText("Ahoy");
    await afterDoubleClick();
    await user.click(button("Stop"));
    expect(call.signal.aborted).toBe(true);
    expect((await within(pane()).findByRole("alert")).textContent).toBe("Stopped.");
    expect(screen.getByText("Ahoy")).toBeDefined();
    await screen.findByRole("button", { name: "Run" });
  });

  test("is not what the second half of a double click on Run does", async () => {
    const { user, calls } = await ready();
    await waitFor(() => expect(button("Run").disabled).toBe(false));
    await user.click(button("Run"));
    await user.click(await screen.findByRole("button", { name: "Stop" }));
    expect(calls.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  test("happens by itself when the page is left", async () => {
    const { call, unmount } = await running();
    unmount();
    expect(call.signal.aborted).toBe(true);
  });
});

describe("the keyboard", () => {
  test.each([
    ["{Control>}{Enter}{/Control}", 1],
    ["{Meta>}{Enter}{/Meta}", 1],
    ["{Enter}", 0],
  ])("%s in the message sends %d requests", async (keys, count) => {
    const { user, calls } = await ready();
    await waitFor(() => expect(button("Run").disabled).toBe(false));
    await user.click(message());
    await user.keyboard(keys);
    expect(calls).toHaveLength(count);
  });

  test("sends nothing while a request runs", async () => {
    const { user, calls } = await running();
    await user.click(message());
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(calls).toHaveLength(1);
  });

  test("sends nothing without a model and a message", async () => {
    const { user, calls } = await showPlayground();
    await user.click(message());
    await user.keyboard("{Control>}{Enter}{/Control}");
    expect(calls).toEqual([]);
  });
});

describe("a conversation", () => {
  test("goes on with what was asked and answered, until it is started over", async () => {
    const { user, call, nextCall } = await running();
    call.json(chatAnswer("Ahoy"));
    await screen.findByText("Ahoy");
    await fill(user, message(), "And then?");
    await user.click(button("Run"));
    const second = await nextCall(1);
    expect(second.body).toMatchObject({
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "Ahoy" },
        { role: "user", content: "And then?" },
      ],
    });
    second.json(chatAnswer("Land"));
    await screen.findByText("Land");
    expect(within(pane()).getByText("Ahoy")).toBeDefined();
    await user.click(await screen.findByRole("button", { name: "Start over" }));
    expect(within(pane()).queryByText("Ahoy")).toBeNull();
    await user.click(button("Run"));
    expect((await nextCall(2)).body).toMatchObject({ messages: [{ role: "user", content: "And then?" }] });
  });

  test("is not sent with an operation that has none", async () => {
    const { user, nextCall } = await ready();
    await chooseOperation(user, "Completion");
    await user.click(button("Run"));
    (await nextCall()).json({ choices: [{ text: "Ahoy" }] });
    await screen.findByText("Ahoy");
    await user.click(await screen.findByRole("button", { name: "Run" }));
    expect((await nextCall(1)).body).toMatchObject({ prompt: "Hi" });
    expect(within(pane()).queryByText("Ahoy")).toBeNull();
  });

  test("that a link brings is shown, sent, and can be removed", async () => {
    const history = [{ role: "assistant", content: "Earlier answer" }];
    window.location.hash = fragmentOf({ ...emptyDraft, models: ["a/one"], input: "Hi", history });
    const { user, nextCall } = await showPlayground();
    await screen.findByText("Earlier messages (1)");
    await user.click(button("Run"));
    const call = await nextCall();
    expect(call.body).toMatchObject({ messages: [...history, { role: "user", content: "Hi" }] });
    call.json(chatAnswer("Ahoy"));
    await user.click(button("Remove"));
    expect(screen.queryByText("Earlier answer")).toBeNull();
  });
});

describe("two models", () => {
  async function compared() {
    const shown = await ready();
    await shown.user.click(button("Compare with a second model"));
    await screen.findByRole("region", { name: "Second model" });
    await choose(shown.user, "a/many", "Second model");
    return shown;
  }

  test("answer side by side, each its own", async () => {
    const { user, nextCall } = await compared();
    await user.click(button("Run"));
    const [first, second] = [await nextCall(0), await nextCall(1)];
    expect([first.body, second.body]).toMatchObject([{ model: "a/one" }, { model: "a/many" }]);
    second.json(chatAnswer("From many"));
    await within(pane("Second model")).findByText("From many");
    expect(button("Stop")).toBeDefined();
    first.json({ error: { message: "Out of order" } }, { status: 502 });
    await within(pane("Model")).findByText("Out of order");
    expect(within(pane("Second model")).queryByRole("alert")).toBeNull();
    await screen.findByRole("button", { name: "Run" });
  });

  test("both have to be chosen, and the second can be given up", async () => {
    const { user } = await ready();
    await user.click(button("Compare with a second model"));
    expect(status()).toBe("Choose a model");
    await user.click(button("Back to one model"));
    expect(screen.queryByRole("region", { name: "Second model" })).toBeNull();
    expect(status()).toBe("Press Ctrl or ⌘ + Enter to run");
  });
});
