"use client";

import { parseAsString, useQueryState } from "nuqs";
import { part } from "#app/_ui/part.tsx";
import type { Credentials } from "./use-credentials.ts";

const CredentialSheet = part(() =>
  import("./credential-sheet.tsx").then(({ CredentialSheet }) => CredentialSheet),
);

/** `?add=choose` asks for the provider too, any other value names it. `?open=` names a credential. */
const choose = "choose";

export function useCredentialUrl() {
  const [add, setAdd] = useQueryState("add", parseAsString);
  const [open, setOpen] = useQueryState("open", parseAsString);
  return {
    add,
    open,
    openNew: () => void setAdd(choose),
    openSaved: (id: string) => void setOpen(id),
    close: () => {
      void setAdd(null);
      void setOpen(null);
    },
  };
}

/** The form of the credential that the URL names, new or stored. */
export function OpenCredential({ all, providers, operator, mayEdit, isCatalogueLoaded }: Credentials) {
  const { add, open, close } = useCredentialUrl();
  if (!mayEdit || !isCatalogueLoaded) return null;
  const saved = all.find(({ id }) => id === open);
  if (saved) {
    return <CredentialSheet providers={providers} saved={saved} operator={operator} onDone={close} />;
  }
  if (add === null) return null;
  const accepting = providers.filter(
    ({ auth, byok_supported }) => auth !== "none" && (byok_supported || operator),
  );
  return (
    <CredentialSheet
      providers={accepting}
      chosen={add === choose ? undefined : add}
      operator={operator}
      onDone={close}
    />
  );
}
