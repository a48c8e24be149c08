import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingDocs } from "#server/platform/setting-types.ts";
import { renamedSettings, Settings, settingSections } from "#server/platform/settings.ts";
import { settingDocuments } from "../../scripts/settings-docs.ts";
import { repository } from "./source-files.ts";

const schemas = settingSections.flatMap(({ settings }) => Object.entries(settings));

test.each(Object.entries(settingDocuments()))(
  "%s is what npm run generate writes from the settings",
  (path, generated) => {
    expect(readFileSync(join(repository, path), "utf8")).toBe(generated);
  },
);

test("every setting is in one section of the documentation and has a description of its own", () => {
  expect(schemas.map(([name]) => name)).toEqual(Object.keys(Settings.shape));
  const descriptions = schemas.map(([, schema]) => settingDocs.get(schema)?.description);
  expect(new Set(descriptions).size).toBe(schemas.length);
  for (const description of descriptions) expect(description).toMatch(/^[A-Z`].*\.$/);
});

test("an example is a value the setting accepts", () => {
  for (const [name, schema] of schemas) {
    const example = settingDocs.get(schema)?.example;
    if (example !== undefined) expect(schema.safeParse(example), name).toMatchObject({ success: true });
  }
});

test("an old name is no setting any more, and its new name is one", () => {
  for (const [oldName, newName] of Object.entries(renamedSettings)) {
    expect(Settings.shape).not.toHaveProperty(oldName);
    expect(Settings.shape).toHaveProperty(newName);
  }
});
