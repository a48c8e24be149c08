import { z } from "zod";
import { recordOf } from "./bounded.ts";
import { list } from "./list.ts";

const Stop = z.string().max(4_096);

/** How an answer is drawn, as OpenAI's operations and the providers behind them spell it (interface.md 9.2). */
export const sampling = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_k: z.number().int().min(0).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  top_a: z.number().min(0).max(1).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  repetition_penalty: z.number().min(0).max(2).nullish(),
  seed: z.number().int().nullish(),
  stop: z.union([Stop, list(Stop).max(4)]).nullish(),
  logit_bias: recordOf(z.number().min(-100).max(100), { max: 1_024, keyCharsMax: 32 }).nullish(),
  top_logprobs: z.number().int().min(0).max(20).nullish(),
};
