import { useEffect, useState } from "react";
import { CopyButton } from "#app/_ui/copy-button.tsx";
import type { Draft } from "./draft.ts";
import { fragmentOf } from "./shared-draft.ts";

/** The link contains the draft in its fragment, which browsers do not send to any server. */
export function CopyLink({ draft }: { draft: Draft }) {
  const [page, setPage] = useState("");
  useEffect(() => setPage(`${window.location.origin}${window.location.pathname}`), []);
  return (
    <CopyButton
      value={`${page}${fragmentOf(draft)}`}
      label={`Copy a link to this draft${draft.images.length > 0 ? ", without its images" : ""}`}
    />
  );
}
