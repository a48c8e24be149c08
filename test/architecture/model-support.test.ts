import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { sdkDocument } from "#test/openrouter-sdk-methods.ts";
import { modelSupportDocument } from "../../scripts/model-support-docs.ts";
import { repository } from "./source-files.ts";

test.each(Object.entries({ ...modelSupportDocument(), ...sdkDocument() }))(
  "%s is what npm run generate writes",
  (path, generated) => {
    expect(readFileSync(join(repository, path), "utf8")).toBe(generated);
  },
);
