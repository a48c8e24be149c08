import { Anchor } from "@mantine/core";
import { verifyPath } from "#contract/verify-path.ts";

/** Opens the page that verifies proofs in the browser, which also works offline. It is no page of the console. */
export const VerifyLink = ({ children }: { readonly children: string }) => (
  <Anchor size="sm" href={verifyPath} target="_blank" rel="noopener">
    {children}
  </Anchor>
);
