import type { SeenRequest } from "#server/sandbox/index.ts";
import type { TestServer } from "./server.ts";

/** What the server's own sandbox saw of a generation: the truth about what was asked and produced upstream. */
export async function seenUpstream(server: TestServer, generationId: string | null): Promise<SeenRequest[]> {
  const address = server.services.catalogues.of(null).providers.get("sandbox-fr")?.baseUrl ?? "";
  const response = await fetch(`${new URL(address).origin}/__sandbox/requests`);
  const { data } = (await response.json()) as { data: SeenRequest[] };
  return data.filter(({ generation }) => generation === generationId);
}
