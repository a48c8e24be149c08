import { z } from "zod";
import { recordOf } from "./bounded.ts";
import { list } from "./list.ts";

const Stop = z.string().max(4_096);

/** How an answer is drawn, as OpenAI's operations and the providers behind them spell it. */
export const sampling = {
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullish()
    .describe("Sampling temperature, 0 to 2; higher values make the output more random."),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe(
      "Nucleus sampling: only the most likely tokens whose probabilities add up to this value are considered, 0 to 1.",
    ),
  top_k: z
    .number()
    .int()
    .min(0)
    .nullish()
    .describe("Only this many of the most likely tokens are considered; 0 usually means no limit."),
  min_p: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe("Minimum probability of a token relative to that of the most likely one, 0 to 1."),
  top_a: z
    .number()
    .min(0)
    .max(1)
    .nullish()
    .describe("Only tokens that are likely enough relative to the most likely one are considered, 0 to 1."),
  frequency_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullish()
    .describe("Penalty for tokens by how often they already occur in the text, -2 to 2."),
  presence_penalty: z
    .number()
    .min(-2)
    .max(2)
    .nullish()
    .describe("Penalty for tokens that already occur in the text, -2 to 2."),
  repetition_penalty: z
    .number()
    .min(0)
    .max(2)
    .nullish()
    .describe("Factor by which repeated tokens become less likely, 0 to 2; 1 has no effect."),
  seed: z
    .number()
    .int()
    .nullish()
    .describe(
      "Seed for sampling; providers that support it try to give the same output for the same request.",
    ),
  stop: z
    .union([Stop, list(Stop).max(4)])
    .nullish()
    .describe("Up to 4 sequences at which generation stops."),
  logit_bias: recordOf(z.number().min(-100).max(100), { max: 1_024, keyCharsMax: 32 })
    .nullish()
    .describe(
      "Bias added to the likelihood of tokens before sampling: an object of token IDs and values from -100 to 100.",
    ),
  top_logprobs: z
    .number()
    .int()
    .min(0)
    .max(20)
    .nullish()
    .describe(
      "Number of most likely tokens to return with their log probabilities at each position, 0 to 20.",
    ),
};
