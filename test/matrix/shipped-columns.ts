// Which columns of the matrix say what happens at a shipped provider.
import { dialectOf } from "#server/catalog/dialects/index.ts";
import { shipped, type Target, targets } from "./targets.ts";

/** Dialects of shipped providers without a mock, and the dialect that is most like theirs. */
const nearest: Readonly<Record<string, string>> = {
  scaleway: "vllm",
  ionos: "vllm",
  together: "vllm",
  "llama-cpp": "vllm",
  "open-model-host": "vllm",
};

/** Which columns apply to a shipped provider. */
export interface Columns {
  readonly slug: string;
  readonly dialect: string;
  readonly titles: readonly string[];
  /** By its own mock, by that of a provider with the same dialect, or by a mock that is only like it. */
  readonly by: "itself" | "the same dialect" | "the nearest dialect" | "none";
}

/** Every shipped provider with its columns. */
export const shippedColumns: readonly Columns[] = shipped.map((entry) => {
  const { slug } = entry;
  const { name: dialect } = dialectOf(entry);
  const titlesOf = (is: (target: Target) => boolean) => targets.filter(is).map(({ title }) => title);
  const own = titlesOf((target) => target.slug === slug);
  if (own.length > 0) return { slug, dialect, titles: own, by: "itself" };
  // Kinds without a dialect of their own have rules of their own.
  if (dialect === "openai-compatible") return { slug, dialect: entry.kind, titles: [], by: "none" };
  const same = titlesOf((target) => target.dialect === dialect);
  if (same.length > 0) return { slug, dialect, titles: same, by: "the same dialect" };
  const like = titlesOf((target) => target.dialect === nearest[dialect]);
  return { slug, dialect, titles: like, by: like.length > 0 ? "the nearest dialect" : "none" };
});
