import { z } from "zod";

const Count = z.number().int().min(0);
/** An exact decimal as text, never a float. */
const Eur = z.string();

const Sums = z.object({
  requests: Count,
  errors: Count,
  tokens_in: Count,
  tokens_out: Count,
  cost_eur: Eur,
});

/** What the console's first screen shows of one organisation. The day is a UTC day. */
export const Overview = z.object({
  day: z.iso.date(),
  totals: Sums.extend({ error_rate: z.number().min(0).max(1) }),
  hours: z.array(Sums.extend({ hour: z.iso.datetime() })).length(24),
  latest: z.array(
    z.object({
      id: z.uuid(),
      started_at: z.iso.datetime(),
      model: z.string(),
      provider: z.string().nullable(),
      status: z.string(),
      error_code: z.string().nullable(),
      tokens_in: Count,
      tokens_out: Count,
      cost_eur: Eur,
      duration_ms: Count,
    }),
  ),
  credit: z.object({ balance_eur: Eur }),
  checklist: z.object({ api_key: z.boolean(), first_request: z.boolean() }),
  /** A model that answers without any provider account; null when the sandbox is off. */
  example_model: z.string().nullable(),
});
export type Overview = z.infer<typeof Overview>;

/** Who is signed in, and for whom. */
export const CurrentSession = z.object({
  email: z.string(),
  role: z.string(),
  organisation: z.object({ id: z.uuid(), name: z.string() }),
});
export type CurrentSession = z.infer<typeof CurrentSession>;
