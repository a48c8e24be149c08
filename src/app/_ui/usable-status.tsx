import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { exclusionLabel } from "#contract/exclusion-words.ts";
import { Status } from "./status.tsx";

/** Whether requests can be sent there at all. */
export const UsableStatus = ({ unusable }: Pick<CatalogueProvider, "unusable">) =>
  unusable ? (
    <Status tone="neutral">{unusable === "no_endpoint" ? "No models" : exclusionLabel(unusable)}</Status>
  ) : (
    <Status tone="good">Available</Status>
  );
