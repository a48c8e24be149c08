import { Alert } from "@mantine/core";
import { formatDay } from "#app/_lib/format.ts";
import type { CatalogueModel } from "#contract/catalogue-view.ts";

type Announced = Pick<CatalogueModel, "deprecation_date" | "expiration_date" | "successor">;

/** When a model ends and what replaces it; nothing if no date is announced. */
export function RetirementNotice({ model }: { model: Announced }) {
  const { deprecation_date: deprecated, expiration_date: expires, successor } = model;
  if (deprecated === null && expires === null) return null;
  const sentences = [
    deprecated && `Deprecated from ${formatDay(deprecated)} on.`,
    expires && `It may be removed on ${formatDay(expires)}.`,
    successor && `Use ${successor} instead.`,
  ];
  return (
    <Alert color="orange" title="This model is deprecated">
      {sentences.filter(Boolean).join(" ")}
    </Alert>
  );
}
