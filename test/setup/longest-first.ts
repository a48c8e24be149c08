import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take more than 20 seconds, the longest first. One that starts last would keep the others waiting. */
const longFiles = [
  "database-pressure.db.test.ts",
  "chaos/background.test.ts",
  "alert-kinds-killed.db.test.ts",
  "chaos/many-destinations.test.ts",
  "chaos/postgres.test.ts",
  "grants.db.test.ts",
  "database-faults.db.test.ts",
  "chaos/killed-starts.test.ts",
  "chaos/bodies.test.ts",
  "chaos/kill.test.ts",
  "tenants.db.test.ts",
  "failed-commits.db.test.ts",
  "pasted-keys.db.test.ts",
  "chaos/image.test.ts",
  "bodies.db.test.ts",
  "client-loops.db.test.ts",
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const at = longFiles.findIndex((name) => moduleId.endsWith(`/${name}`));
  return at < 0 ? longFiles.length : at;
};

/** Vitest's own order, with long files before all others. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
