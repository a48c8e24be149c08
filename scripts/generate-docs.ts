// Part of npm run generate: writes what is derived from the settings schema, docs/settings.md and .env.example.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { settingDocuments } from "./settings-docs.ts";

for (const [path, text] of Object.entries(settingDocuments())) {
  writeFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), text);
}
