import { describe, expect, test } from "vitest";
import { PresetIndex } from "./preset-index.ts";
import { usableVersion } from "./preset-version.ts";
import { withPreset } from "./resolve.ts";

describe("how requests name a preset", () => {
  const orgId = "org";
  const indexed = (name: string, workspaceId: string | null) => ({
    orgId,
    workspaceId,
    name,
    current: 2,
    versions: new Map(
      [1, 2].map((version) => [
        version,
        usableVersion({ name, version, config: { models: [`m/${version}`] }, systemPrompt: null }),
      ]),
    ),
  });
  const index = new PresetIndex([indexed("support", null), indexed("team", "workspace")]);
  const resolve = (request: unknown, workspaceId: string | null = null) =>
    withPreset(index, { orgId, workspaceId }, "chat", request);

  test.each([
    { request: { preset: "support" }, merged: { model: "m/2", preset: "support@2" } },
    { request: { preset: "support@1" }, merged: { model: "m/1", preset: "support@1" } },
    { request: { model: "@preset/support" }, merged: { model: "m/2", preset: "support@2" } },
    { request: { model: "@preset/support@1" }, merged: { model: "m/1", preset: "support@1" } },
    { request: { model: "a/b@preset/support" }, merged: { model: "a/b", preset: "support@2" } },
    { request: { model: "a/b", preset: "support" }, merged: { model: "a/b", preset: "support@2" } },
    {
      request: { model: "@preset/support", preset: "support" },
      merged: { model: "m/2", preset: "support@2" },
    },
  ])("$request becomes $merged", ({ request, merged }) => {
    expect(resolve(request)).toEqual(merged);
  });

  test.each([
    [{ model: "a/b" }],
    [{ preset: null }],
    [{ preset: 3 }],
    [{ model: 3 }],
    [[]],
    ["text"],
    [null],
    [4],
  ])("%j names none, and is the same object afterwards", (request) => {
    expect(resolve(request)).toBe(request);
  });

  test.each([
    {
      request: { preset: "none" },
      param: "preset",
      message: "there is no preset `none`; 2 presets are available",
    },
    { request: { model: "@preset/none" }, param: "model", message: "there is no preset `none`" },
    {
      request: { preset: "support@9" },
      param: "preset",
      message: "has no version 9; its current version is 2",
    },
    { request: { preset: "Not a name" }, param: "preset", message: "must name a preset, such as support" },
    {
      request: { model: "@preset/" },
      param: "model",
      message: "must name a preset, such as @preset/support",
    },
    { request: { model: "@preset/support:nitro" }, param: "model", message: "must name a preset" },
    {
      request: { model: "@preset/support", preset: "team" },
      param: "preset",
      message: "names another preset",
    },
  ])("$request is refused with the field $param", ({ request, param, message }) => {
    expect(() => resolve(request)).toThrow(
      expect.objectContaining({ param, message: expect.stringContaining(message) }),
    );
  });

  test("keys of a workspace use its presets and those of no workspace; only these are counted", () => {
    expect(resolve({ preset: "team" }, "workspace")).toMatchObject({ preset: "team@2" });
    expect(resolve({ preset: "team" })).toMatchObject({ preset: "team@2" });
    expect(() => resolve({ preset: "team" }, "another")).toThrow(
      "there is no preset `team`; 1 preset is available",
    );
  });
});
