import { isPacked } from "#server/inference/reasoning/packed.ts";

/**
 * The signature of thinking that the provider did not sign. Clients drop thinking without a signature; it comes back
 * with the conversation, and is never sent to a provider that checks signatures.
 */
export const ownSignature = "portolan-unsigned";

/** Whether Anthropic signed this thinking, so that it can be given back to it. */
export const isSigned = (signature: unknown): signature is string =>
  typeof signature === "string" && signature !== "" && signature !== ownSignature && !isPacked(signature);

/** Whether a block is thinking that Anthropic cannot verify, and refuses. */
export const isForeignThinking = ({ type, signature, data }: Readonly<Record<string, unknown>>): boolean =>
  (type === "thinking" && !isSigned(signature)) || (type === "redacted_thinking" && isPacked(data));
