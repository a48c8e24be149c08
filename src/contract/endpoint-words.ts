import { z } from "zod";

const Price = z.object({
  currency: z.enum(["USD", "EUR"]).describe("Currency of the price."),
  input: z.string().describe("Price of a million input tokens, as decimal text."),
  output: z.string().describe("Price of a million output tokens, as decimal text."),
});

/** What people want to know of an endpoint before they choose it. */
export const EndpointWords = z.object({
  place: z.string().describe("Where it runs models, in words."),
  retention: z.string().describe("How long it stores prompts, in words."),
  price: Price.nullable().describe("Its price; null without one."),
});
export type EndpointWords = z.infer<typeof EndpointWords>;
