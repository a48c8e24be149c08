import { z } from "zod";
import { data } from "#contract/common.ts";
import { PriceHistory, PriceImport, PriceListQuery } from "#contract/price-book.ts";
import { importPrices, priceHistory } from "#server/catalog/index.ts";
import { operated, permitted, rest, router } from "../trpc.ts";

const tag = "Prices";

export const pricesRouter = router({
  history: permitted("activity:read", "none")
    .meta(
      rest("GET", "/prices", {
        summary: "List the prices of an endpoint",
        description:
          "Past, current and future ones, newest first, in the provider's currency and in euros at the latest exchange " +
          "rate, per million tokens, request or thousand searches; with the changes from the previous price " +
          "and the source. Each generation records the `version` it was billed at. Without `limit` up to " +
          "1,000.",
        tag,
        errors: [404],
        example: { endpoint: "sandbox-fr:sandbox/chat" },
      }),
    )
    .input(PriceListQuery)
    .output(PriceHistory)
    .query(({ ctx: { services, caller }, input }) => {
      const { database, catalogues } = services;
      return priceHistory(database, catalogues, caller.orgId, input);
    }),

  import: operated("billing:write")
    .meta(
      rest("POST", "/prices", {
        summary: "Import prices into the price book",
        description:
          "All of them or, if one is wrong, none; the answer then names each mistake. A price applies from its " +
          "`valid_from`, instead of the catalogue's, to requests that start after it. Only for the " +
          "organisation that runs the installation.",
        tag,
        example: {
          schema: "portolan-prices/1",
          prices: [
            {
              endpoint: "sandbox-fr:sandbox/chat",
              valid_from: "2099-01-01T00:00:00Z",
              price: { currency: "EUR", input: "0.10", output: "0.30" },
            },
          ],
        },
        audit: { action: "price_book.import", configuration: true },
      }),
    )
    .input(PriceImport)
    .output(
      data(
        z
          .object({ imported: z.number().int().describe("Number of prices imported.") })
          .describe("Result of the import."),
      ),
    )
    .mutation(async ({ ctx, input }) => {
      const { services } = ctx;
      const imported = await importPrices(services.database, ctx.caller, services.catalogues.listed(), input);
      return { data: { imported } };
    }),
});
