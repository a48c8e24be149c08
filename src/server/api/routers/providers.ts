import { z } from "zod";
import { Provider } from "#contract/provider.ts";
import { publicProviders } from "#server/catalog/index.ts";
import { catalogueFor } from "../catalogue-for.ts";
import { anyone, rest, router } from "../trpc.ts";

export const providersRouter = router({
  list: anyone
    .meta(
      rest("GET", "/providers", {
        summary: "List providers",
        description: "Every provider of this installation, with its location and data policy. Needs no key.",
        tag: "Providers",
        public: true,
        cacheSeconds: 300,
      }),
    )
    .input(z.object({}))
    .output(z.object({ data: z.array(Provider).describe("All providers, sorted by name.") }))
    .query(({ ctx }) => ({
      data: publicProviders(catalogueFor(ctx.services, ctx.caller)),
    })),
});
