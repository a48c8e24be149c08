/** Documents beside the folder `docs` that it links to. */
export const documentsOfRoot = ["CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] as const;

/**
 * The path of the console's page that shows a file of the project: `docs/guides/tags.md` is shown at `/docs/guides/tags`,
 * `docs/README.md` at `/docs`. Null for a file that no page shows.
 */
export function documentPathOf(file: string): string | null {
  if (documentsOfRoot.some((name) => name === file)) return `/docs/${file.slice(0, -3).toLowerCase()}`;
  const [, path] = /^(docs\/.*|docs)\.md$/.exec(file.replace(/\/README\.md$/, ".md")) ?? [];
  return path ? `/${path}` : null;
}
