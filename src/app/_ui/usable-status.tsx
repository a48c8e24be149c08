import type { CatalogueProvider } from "#contract/catalogue-view.ts";
import { Status } from "./status.tsx";

const reasons = {
  no_credential: "no credential",
  no_base_url: "no address",
  no_endpoint: "no models",
} as const;

/** Whether requests can be sent there at all. */
export const UsableStatus = ({ unusable }: Pick<CatalogueProvider, "unusable">) =>
  unusable ? <Status tone="neutral">{reasons[unusable]}</Status> : <Status tone="good">can be used</Status>;
