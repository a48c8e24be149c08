import { z } from "zod";
import { Timestamp } from "./common.ts";

const Count = z.number().int().min(0);

/** Null for what was deleted, or is not for the caller's eyes. */
const Named = z.object({ id: z.string(), name: z.string().nullable() });

/** Where the requests of a period went: from keys over rules and countries to providers. */
export const RequestFlows = z.object({
  from: Timestamp,
  /** Only requests from this time on are counted, because there are very many; null: all are. */
  counted_from: Timestamp.nullable(),
  flows: z.array(
    z.object({
      key: Named,
      /** The rules that applied, the widest first; null if they are not recorded. */
      rules: z.array(Named).nullable(),
      /** Null if no provider served or was tried last. */
      country: z.string().nullable(),
      provider: z.string().nullable(),
      completed: Count,
      failed: Count,
      /** Ended by the client, or interrupted. */
      stopped: Count,
    }),
  ),
  /** Providers that rules or requests excluded, most often first. */
  excluded: z.array(
    z.object({
      provider: z.string(),
      country: z.string().nullable(),
      /** Code of the reason, such as `data_region`. */
      reason: z.string(),
      /** The rule that asked for it; null if no rule did. */
      rule: Named.nullable(),
      /** Who asked for it if no rule did, such as `request` or `installation`; null for a rule. */
      scope: z.string().nullable(),
      /** For how many requests. */
      requests: Count,
    }),
  ),
});
export type RequestFlows = z.infer<typeof RequestFlows>;
