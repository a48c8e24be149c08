import type { FilterRules } from "#contract/destination-filter.ts";
import { AppError } from "#server/platform/errors.ts";
import { linearPattern } from "#server/platform/linear-pattern.ts";

/** Throws BAD_REQUEST naming the first pattern that cannot run in linear time. */
export function checkPatterns(rules: FilterRules | null | undefined): void {
  rules?.groups.forEach((group, groupAt) => {
    group.rules.forEach(({ operator, value }, at) => {
      if (operator !== "regex" || linearPattern(String(value))) return;
      const param = `filter_rules.groups.${groupAt}.rules.${at}.value`;
      throw new AppError(
        "BAD_REQUEST",
        `${param}: must be a pattern that runs in linear time (no back references, no look-around)`,
        { param },
      );
    });
  });
}
