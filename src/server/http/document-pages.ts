import { readdirSync } from "node:fs";
import { join } from "node:path";
import { documentPathOf, documentsOfRoot } from "#contract/document-path.ts";

/** Files of documents in the folder of a project, relative to it. */
const documentFiles = (project: string): string[] => [
  ...documentsOfRoot,
  ...readdirSync(join(project, "docs"), { recursive: true, encoding: "utf8" }).map((name) =>
    `docs/${name}`.replaceAll("\\", "/"),
  ),
];

/** The paths of the pages that show documents. Next has one page for all of them, which would also take other paths. */
export const documentPages = (project: string): string[] =>
  documentFiles(project).flatMap((file) => documentPathOf(file) ?? []);
