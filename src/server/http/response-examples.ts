import { readFileSync } from "node:fs";
import { join } from "node:path";
import { projectDirectory } from "#server/platform/project.ts";

/** Successful answers by the name of their operation. `npm run generate:examples` records them. */
export const responseExamplesFile = join(projectDirectory, "src/server/http/response-examples.json");

/** The recorded answers. Our own tests validate each against its schema, so they are not validated here. */
export const responseExamples = (): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(responseExamplesFile, "utf8"));
