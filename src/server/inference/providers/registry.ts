import type { ProviderKind } from "./kind.ts";
import * as kinds from "./kinds.ts";

/** Every kind of provider, by the name catalogues know it by. A catalogue that names another is refused at start. */
export const providerKinds: ReadonlyMap<string, ProviderKind> = new Map(
  Object.values(kinds).map((kind) => [kind.kind, kind]),
);
