import { cleanup, screen, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { DecisionReplay } from "#contract/decision-replay.ts";
import { GenerationDetail } from "#contract/generation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { renderConsole } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";
import { ReplayPanel } from "./replay-panel.tsx";

const generation = GenerationDetail.parse(sampleOf(GenerationDetail));

describe("the decision that is made again", () => {
  const sample = sampleOf(DecisionReplay);
  const results = sample.recorded.results.slice(0, 1);
  const replayed = (
    recorded: Partial<DecisionReplay["recorded"]>,
    today: Partial<DecisionReplay["today"]>,
  ) => ({
    ...sample,
    recorded: { ...sample.recorded, results, ...recorded },
    today: { ...sample.today, results: [], is_served: true, endpoint: "acme:m", message: null, ...today },
  });
  const asked = async (answer: DecisionReplay | Refusal) => {
    const replayDecision = () => {
      if (answer instanceof Refusal) throw answer;
      return answer;
    };
    const { user } = renderConsole(<ReplayPanel generation={generation} />, {
      answers: { generations: { replayDecision } },
    });
    await user.click(screen.getByRole("button", { name: "Replay decision" }));
    return within(screen.getByRole("region", { name: "Replay" }));
  };

  test("is the same one, with every reason of that time", async () => {
    const panel = await asked(
      replayed({ outcome: "identical", message: "It is the same" }, { is_same_endpoint: true }),
    );
    await panel.findByText("The decision is reproduced");
    panel.getByText("acme:m may still serve it.");
    const excluded = panel.getByRole("list", { name: `Excluded then: ${results[0]?.model}` });
    for (const { endpoint } of results[0]?.excluded ?? []) expect(excluded.textContent).toContain(endpoint);
    expect(document.body.textContent).not.toMatch(/undefined|\bnull\b/);
  });

  test.each([
    ["different", "The decision is not reproduced"],
    ["not_replayable", "The decision cannot be reproduced"],
  ] as const)("can be %s", async (outcome, title) => {
    const panel = await asked(
      replayed({ outcome, results: [], replayed_hash: null }, { is_same_endpoint: null }),
    );
    await panel.findByText(title);
    panel.getByText("acme:m would be tried first.");
  });

  test("says who would serve the request today instead, or why nobody would", async () => {
    const other = await asked(replayed({}, { is_same_endpoint: false }));
    await other.findByText(/^acme:m would be tried first instead\./);
    cleanup();
    const nobody = await asked(replayed({}, { is_served: false, endpoint: null, message: "No provider." }));
    await nobody.findByText("It would be refused today");
    nobody.getByText("No provider.");
  });

  test("that fails can be tried again", async () => {
    const panel = await asked(new Refusal("NOT_FOUND", "No such request."));
    await panel.findByText("No such request.");
    panel.getByRole("button", { name: "Try again" });
  });
});
