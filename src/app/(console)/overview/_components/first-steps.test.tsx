import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { FirstSteps as Steps } from "#contract/overview.ts";
import { Role } from "#contract/permission.ts";
import { RoutingRule } from "#contract/routing-rule.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { completedSteps } from "#test/console/first-steps.ts";
import { renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal } from "#test/console/server.ts";
import { FirstSteps } from "./first-steps.tsx";

const none: Steps = {
  api_key: false,
  first_request: false,
  eu_only: false,
  provider: false,
  destination: false,
  example_model: "sandbox/echo",
};

type RuleAnswers = NonNullable<Answers["routingRules"]>;
const show = (steps: Partial<Steps> = {}, role: Role = "owner", routingRules: RuleAnswers = {}) =>
  renderConsole(<FirstSteps steps={{ ...none, ...steps }} />, { role, answers: { routingRules } });

/** The steps in their order, with what completes them and their titles before and after. */
const table = [
  ["provider", "Connect a provider", "A provider is connected"],
  ["api_key", "Create an API key", "API key created"],
  ["eu_only", "Keep requests in the EU (optional)", "Requests stay in the EU"],
  ["first_request", "Waiting for your first request…", "First request received"],
  ["destination", "Send traces to a destination (optional)", "Traces are sent to a destination"],
] as const;
const items = () => screen.getAllByRole("listitem");
const isDone = (item: HTMLElement) => within(item).queryByRole("img", { name: "Done" }) !== null;

describe("the steps", () => {
  test("stand in one order, none of them done at first", () => {
    show();
    expect(items().map((item) => item.querySelector("p")?.textContent)).toEqual(
      table.map(([, title]) => title),
    );
    expect(items().filter(isDone)).toEqual([]);
  });

  test.each(table)("what the server reports as %s completes that step alone", (field, _before, after) => {
    show({ [field]: true });
    const done = items().filter(isDone);
    expect(done).toHaveLength(1);
    expect(done[0]?.textContent).toContain(after);
  });

  test("lead to the screens where they are done", () => {
    show();
    expect(screen.getByRole("link", { name: "see the providers" }).getAttribute("href")).toBe("/providers");
    expect(screen.getByRole("link", { name: "add a destination" }).getAttribute("href")).toBe(
      "/destinations?add=choose",
    );
  });

  test("offer a request to copy, with a model that works without an account", () => {
    show();
    const request = screen.getByRole("region", { name: "request" }).textContent ?? "";
    expect(request).toContain("http://console.test/api/v1/completions");
    expect(request).toContain('"model": "sandbox/echo"');
    expect(request).toContain("$PORTOLAN_API_KEY");
    expect(screen.getByText(/The sandbox works without one/)).toBeTruthy();
  });

  test("promise no sandbox where there is none", () => {
    show({ example_model: null });
    expect(screen.queryByText(/sandbox/i)).toBeNull();
    expect(screen.getByRole("region", { name: "request" }).textContent).toContain('"provider/model"');
  });

  test("announce the first request to those who cannot see it turn green", () => {
    const { unmount } = show();
    expect(screen.getByRole("status").textContent).toBe("");
    unmount();
    show({ first_request: true });
    expect(screen.getByRole("status").textContent).toBe("First request received");
    expect(screen.queryByRole("region", { name: "request" })).toBeNull();
  });
});

describe("the panel", () => {
  const panel = () => screen.queryByRole("heading", { name: "First steps" });

  test("is not shown to an organisation that has completed everything", () => {
    show(completedSteps);
    expect(panel()).toBeNull();
  });

  test.each(table.map(([field]) => field))("is shown as long as %s is missing", (field) => {
    show({ ...completedSteps, [field]: false });
    expect(panel()).not.toBeNull();
  });

  test.each([
    [{}, false],
    [{ api_key: true }, false],
    [{ first_request: true }, false],
    [{ api_key: true, first_request: true }, true],
  ])("with %o can be hidden: %s", (steps, mayHide) => {
    show(steps);
    expect(screen.queryByRole("button", { name: "Hide" }) !== null).toBe(mayHide);
  });

  test("once hidden stays hidden in this browser", async () => {
    const required = { api_key: true, first_request: true };
    const { user, unmount } = show(required);
    await user.click(screen.getByRole("button", { name: "Hide" }));
    await waitFor(() => expect(panel()).toBeNull());
    unmount();
    show(required);
    expect(panel()).toBeNull();
  });
});

describe("keeping requests in the EU", () => {
  const button = () => screen.queryByRole("button", { name: "EU only" });

  test.each(Role.options)(
    "with one click is offered to a person who is %s as their role allows",
    async (role) => {
      const { server } = show({}, role);
      await waitFor(() => expect(server.inputsOf("session.get")).not.toEqual([]));
      const may = role === "owner" || role === "admin";
      await waitFor(() => expect(button() !== null).toBe(may));
      expect(screen.getByText(/one rule for the whole organisation/)).toBeTruthy();
    },
  );

  test("creates one rule for the organisation, once, which can be undone", async () => {
    const rule = { ...sampleOf(RoutingRule), name: "EU only", provider: null };
    const { user, server } = show({}, "owner", {
      create: () => ({ data: rule }),
      remove: () => ({ data: { success: true } }),
    });
    await user.dblClick(await screen.findByRole("button", { name: "EU only" }));
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    expect(server.inputsOf("routingRules.create")).toEqual([
      {
        name: "EU only",
        description: "Inference runs only in the EU.",
        scope: "org",
        provider: { data_residency: "eu" },
      },
    ]);
    await waitFor(() => expect(server.inputsOf("routingRules.remove")).toEqual([{ id: rule.id }]));
  });

  test("reports why the server refused, and can be tried again", async () => {
    const { user } = show({}, "owner", {
      create: () => {
        throw new Refusal("CONFLICT", "There is a rule with this name");
      },
    });
    await user.click(await screen.findByRole("button", { name: "EU only" }));
    expect(await screen.findByText("There is a rule with this name")).toBeTruthy();
    await waitFor(() => expect(button()?.hasAttribute("disabled")).toBe(false));
  });

  test("is not offered twice", async () => {
    const { server } = show({ eu_only: true });
    await waitFor(() => expect(server.inputsOf("session.get")).toHaveLength(1));
    expect(button()).toBeNull();
  });
});
