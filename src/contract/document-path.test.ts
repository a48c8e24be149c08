import { expect, test } from "vitest";
import { documentPathOf } from "./document-path.ts";

test.each([
  ["docs/README.md", "/docs"],
  ["docs/guides/tags.md", "/docs/guides/tags"],
  ["docs/adr/README.md", "/docs/adr"],
  ["docs/settings.md", "/docs/settings"],
  ["SECURITY.md", "/docs/security"],
  ["README.md", null],
  ["docs/images/logs.png", null],
  ["src/server/notes.md", null],
])("%s is shown at %s", (file, path) => expect(documentPathOf(file)).toBe(path));
