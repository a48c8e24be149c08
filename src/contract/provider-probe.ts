import { z } from "zod";
import { Secret } from "./byok.ts";
import { notAnAddress } from "./catalogue-values.ts";
import { modelTypes } from "./inference-operations.ts";

/** The servers that a probe can detect, each by the name of its dialect in the catalogue. */
export const probedServers = ["vllm", "ollama", "llama-cpp", "openai-compatible"] as const;

export const ProviderProbeRequest = z.strictObject({
  base_url: z
    .string()
    .trim()
    .max(500, "may have 500 characters at most")
    .regex(/^https?:\/\/[^\s/]+\S*$/, "must be an address such as http://gpu-1.internal:8000/v1")
    .refine(URL.canParse, notAnAddress)
    .describe("Address of the server, such as `http://gpu-1.internal:8000/v1`."),
  key: Secret.optional().describe("Credential of the server, if it needs one. It is not stored."),
});
export type ProviderProbeRequest = z.infer<typeof ProviderProbeRequest>;

const ProbedModel = z
  .object({
    id: z.string().describe("ID of the model at the server."),
    model: z.string().describe("ID in the catalogue: that of the same model, else a new one."),
    known: z.boolean().describe("Whether the catalogue has this model already."),
    type: z.enum(modelTypes).describe("Type of the model; for a new one guessed from its name."),
    context_length: z
      .number()
      .int()
      .nullable()
      .describe("Context window in tokens; null if the server does not state it."),
  })
  .meta({ id: "ProbedModel" });
export type ProbedModel = z.infer<typeof ProbedModel>;

export const ProviderProbe = z
  .object({
    success: z.boolean().describe("Whether a supported API was found that lists models."),
    message: z.string().describe("Result in words, and what to do if the probe failed."),
    base_url: z.string().describe("Base URL to use, such as the address with `/v1`."),
    server: z
      .enum(probedServers)
      .nullable()
      .describe("Server that was detected; null if no supported API was found."),
    auth: z
      .enum(["none", "bearer-optional", "bearer"])
      .nullable()
      .describe("Whether it needs a credential; null if unknown."),
    setting: z.string().nullable().describe("Setting that has to allow the address; null if it is allowed."),
    models: z.array(ProbedModel).describe("Models that the server lists, at most 500."),
  })
  .meta({ id: "ProviderProbe" });
export type ProviderProbe = z.infer<typeof ProviderProbe>;
