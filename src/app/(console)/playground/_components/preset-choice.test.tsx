import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Preset } from "#contract/preset.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import {
  button,
  choose,
  dryRun,
  message,
  resetPlayground,
  showPlayground,
} from "#test/console/playground.tsx";
import { fill } from "#test/console/render.tsx";
import { listOf } from "#test/console/server.ts";

resetPlayground();

test("a preset is chosen like a model, and the request sends nothing that it sets", async () => {
  const preset: Preset = { ...sampleOf(Preset), name: "support" };
  const { user, nextCall } = await showPlayground({
    answers: { routingRules: { dryRun }, presets: { list: () => listOf(preset) } },
  });
  await user.click(screen.getByRole("combobox", { name: "Model" }));
  const option = await screen.findByRole("option", { name: "@preset/support" });
  await user.keyboard("{Escape}");
  await choose(user, option.textContent ?? "");
  await fill(user, message(), "Hello");
  await user.click(button("Run"));
  const { body } = await nextCall();
  expect(body).toEqual({
    model: "@preset/support",
    messages: [{ role: "user", content: "Hello" }],
    stream: true,
  });
});
