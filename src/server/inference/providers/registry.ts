import type { ProviderKind } from "./kind.ts";
import * as kinds from "./kinds.ts";

/** Every kind of provider, by its name in catalogues. A catalogue with an unknown name is refused at start. */
export const providerKinds: ReadonlyMap<string, ProviderKind> = new Map(
  Object.values(kinds).map((kind) => [kind.kind, kind]),
);
