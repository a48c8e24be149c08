// Part of npm run generate: writes docs/settings.md and .env.example from the settings schema, docs/model-support.md
// from the catalogue, docs/openrouter-sdk.md from the installed SDK, and docs/compatibility.md from requests with every field to every mock provider.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { compatibilityDocument } from "#test/matrix/compatibility.ts";
import { runMatrix } from "#test/matrix/run.ts";
import { sdkDocument } from "#test/openrouter-sdk-methods.ts";
import { modelSupportDocument } from "./model-support-docs.ts";
import { settingDocuments } from "./settings-docs.ts";

const documents = {
  ...settingDocuments(),
  ...modelSupportDocument(),
  ...sdkDocument(),
  ...compatibilityDocument(await runMatrix()),
};
for (const [path, text] of Object.entries(documents)) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
}
