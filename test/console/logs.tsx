import { screen, within } from "@testing-library/react";
import { LogsScreen } from "#app/(console)/logs/_components/logs-screen.tsx";
import { GenerationDetail, type GenerationLine } from "#contract/generation.ts";
import { Provider } from "#contract/provider.ts";
import { sampleOf } from "./arbitrary.ts";
import { renderConsole } from "./render.tsx";
import type { Answers } from "./server.ts";

export const idOf = (at: number) => `018f0000-0000-7000-8000-${String(at).padStart(12, "0")}`;
export const line = (at: number, more: Partial<GenerationLine> = {}): GenerationLine => ({
  id: idOf(at),
  started_at: "2026-11-20T11:59:00.000Z",
  operation: "chat",
  model: `m/${at}`,
  provider: "alpha",
  api_key_id: idOf(90),
  status: "completed",
  error_code: null,
  http_status: 200,
  streamed: true,
  attempts: 1,
  tokens_in: 1_200,
  tokens_out: 34,
  cost_eur: "0.000123450000",
  latency_ms: 250,
  duration_ms: 1_500,
  region: "DE",
  app_title: null,
  user_reference: null,
  session_id: null,
  tags: {},
  ...more,
});
const detail = { ...sampleOf(GenerationDetail, { gaps: "always" }), decision: { models: [] } };

export type Generations = NonNullable<Answers["generations"]>;
export const showLogs = (generations: Generations = {}, search = "") =>
  renderConsole(<LogsScreen />, {
    search,
    pathname: "/logs",
    answers: {
      keys: { names: () => ({ data: [{ id: idOf(90), name: "Crawler" }] }) },
      providers: {
        list: () => ({ data: [{ ...sampleOf(Provider), slug: "alpha", name: "Alpha AI" }] }),
      },
      generations: {
        list: () => ({ data: [line(1), line(2), line(3)], next: null, sorted_from: null }),
        volume: () => ({ step_ms: 3_600_000, counted_from: null, buckets: [] }),
        get: ({ id }) => ({ ...detail, id, model: `model of ${id.slice(-1)}` }),
        ...generations,
      },
    },
  });
export type ShownLogs = ReturnType<typeof showLogs>;
export const asked = ({ server }: ShownLogs) => server.inputsOf("generations.list");
export const rowOf = async (model: string) => {
  const opener = await screen.findByRole("button", { name: new RegExp(`^${model}`) });
  return opener.closest("tr") ?? opener;
};
export const cellsOf = async (model: string) =>
  within(await rowOf(model))
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);
/** The start of the default period. */
export const dayAgo = "2026-11-19T12:00:00.000Z";
