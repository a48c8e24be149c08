import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelSupportDocument } from "../../scripts/model-support-docs.ts";
import { repository } from "./source-files.ts";

test.each(Object.entries(modelSupportDocument()))(
  "%s is what npm run generate writes from the shipped catalogue",
  (path, generated) => {
    expect(readFileSync(join(repository, path), "utf8")).toBe(generated);
  },
);
