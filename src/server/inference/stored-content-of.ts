import type { Database } from "#server/db/index.ts";
import type { Sealer } from "#server/platform/sealing.ts";
import { openContent } from "./responses/stored-content.ts";
import { openCompletion, openMessages } from "./stored-completions/sealed-completion.ts";

/** Prompt and answer of a request as they are stored. */
interface StoredText {
  readonly input: unknown[];
  readonly output: unknown[];
}

/**
 * What is stored of a request with `store: true`: of a response only its own items, not those it continues. Null if
 * nothing is stored. The caller must be allowed to read content of the whole organisation.
 */
export async function storedContentOf(
  { database: { prisma }, sealer }: { readonly database: Database; readonly sealer: Sealer },
  org_id: string,
  id: string,
): Promise<StoredText | null> {
  const response = await prisma.stored_response.findFirst({ where: { id, org_id } });
  if (response) {
    const { input, response: answer } = openContent(sealer, response);
    return { input: [...input], output: [...answer.output] };
  }
  const completion = await prisma.stored_completion.findFirst({ where: { id, org_id } });
  if (!completion) return null;
  const { choices } = openCompletion(sealer, completion);
  return { input: openMessages(sealer, completion), output: choices.map(({ message }) => message) };
}
