import { screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, vi } from "vitest";
import { emptyDraft } from "#app/(console)/playground/_components/draft.ts";
import { PlaygroundScreen } from "#app/(console)/playground/_components/playground-screen.tsx";
import { fragmentOf } from "#app/(console)/playground/_components/shared-draft.ts";
import type { Role } from "#contract/permission.ts";
import { type InferenceCall, stubInference } from "./inference.ts";
import { renderConsole } from "./render.tsx";
import type { Answers } from "./server.ts";

/** To be called at the top of each test file about the playground. */
export function resetPlayground(): void {
  afterEach(() => {
    vi.unstubAllGlobals();
    window.location.hash = "";
  });
}

const offer = (model: string, provider_count: number) => ({
  model,
  provider_count,
  providers: [],
  endpoints: [],
  excluded: [],
  parameter_changes: [],
  order: null,
  facts: [],
  reason: null,
});
export const dryRun = () => ({
  data: {
    rule_applied: null,
    effective_preferences: {},
    results: [offer("a/one", 1), offer("a/many", 3), offer("a/none", 0)],
    summary: { total_models: 3, models_with_providers: 2 },
    budgets: [],
  },
});

type Options = { role?: Role; search?: string; answers?: Answers };
export async function showPlayground({ answers = {}, ...options }: Options = {}) {
  const calls = stubInference();
  const made = renderConsole(<PlaygroundScreen />, {
    pathname: "/playground",
    answers: {
      routingRules: { dryRun },
      presets: { list: () => ({ data: [], total_count: 0 }) },
      ...answers,
    },
    ...options,
  });
  await screen.findByRole("region", { name: "Request" });
  await screen.findByRole("region", { name: "Model" });
  const nextCall = (at = 0) =>
    vi.waitFor((): InferenceCall => {
      const call = calls[at];
      if (!call) throw new Error("nothing was sent");
      return call;
    });
  return { ...made, calls, nextCall };
}
type Shown = Awaited<ReturnType<typeof showPlayground>>;

export const pane = (name = "Model") => screen.getByRole("region", { name });
export const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
export const message = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
export const status = () =>
  within(screen.getByRole("region", { name: "Request" })).getByRole("status").textContent;

export async function choose(user: Shown["user"], model: string, picker = "Model") {
  await user.click(screen.getByRole("combobox", { name: picker }));
  await user.click(await screen.findByRole("option", { name: new RegExp(`^${model}`) }));
}
export const chooseOperation = (user: Shown["user"], name: string) =>
  user.click(screen.getByRole("radio", { name }));

/** A chat that is ready to be sent. */
export async function ready(options: Options = {}) {
  window.location.hash = fragmentOf({ ...emptyDraft, models: ["a/one"], input: "Hi" });
  const shown = await showPlayground(options);
  await waitFor(() => expect(message().value).toBe("Hi"));
  return shown;
}
export async function running(options: Options = {}) {
  const shown = await ready(options);
  await waitFor(() => expect(button("Run").disabled).toBe(false));
  await shown.user.click(button("Run"));
  return { ...shown, call: await shown.nextCall() };
}
export const chatAnswer = (content: string) => ({ choices: [{ message: { content } }] });
export const chunk = (content: string) => ({ choices: [{ index: 0, delta: { content } }] });
export const served = {
  "x-generation-id": "gen-1",
  "x-provider-slug": "alpha",
  "x-routing-strategy": "price",
};
