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
        summary: "Every price of an endpoint",
        description:
          "Past, present and to come, the newest first, in the provider's currency and in euros at the newest exchange " +
          "rate, for a million tokens, one request or a thousand searches; with what changed against the price before " +
          "it and where it is known from. Each generation keeps the `version` it was billed at. Without `limit` up to " +
          "1,000.",
        tag,
        errors: [404],
        example: { endpoint: "sandbox-fr:sandbox/chat" },
      }),
    )
    .input(PriceListQuery)
    .output(PriceHistory)
    .query(({ ctx: { services }, input }) =>
      priceHistory(services.database, services.listedCatalogue, services.catalogue().exchangeRate, input),
    ),

  import: operated("billing:write")
    .meta(
      rest("POST", "/prices", {
        summary: "Import prices into the price book",
        description:
          "All of them or, when one is wrong, none; the answer then names each mistake. A price counts from its " +
          "`valid_from` on, in place of the catalogue's, for requests that begin after it. Only for the " +
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
      const imported = await importPrices(services.database, ctx.caller, services.listedCatalogue, input);
      return { data: { imported } };
    }),
});
