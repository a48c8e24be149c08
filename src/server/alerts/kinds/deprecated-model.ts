import type { AlertSettings } from "#contract/alert-kind.ts";
import type { Endpoint } from "#server/catalog/index.ts";
import { type Evaluator, finderOf } from "../kind.ts";
import { usedEndpoints } from "./used-endpoints.ts";

export const deprecatedModel: Evaluator<
  AlertSettings<"deprecated_model">,
  readonly Pick<Endpoint, "id" | "status">[]
> = {
  read: usedEndpoints,
  evaluate: (_, endpoints) =>
    endpoints
      .filter(({ status }) => status === "deprecated")
      .map(({ id }) => ({
        subject: id,
        title: `Endpoint ${id} is deprecated`,
        detail: "It was used in the last 30 days. Choose another model before the provider removes it.",
      })),
};

export const findDeprecatedModels = finderOf("deprecated_model", deprecatedModel);
