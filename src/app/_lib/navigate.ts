import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { ownPath } from "#contract/own-path.ts";
import { isConnectionLost } from "./connection.ts";

/** Loads a page of the console completely: no data of a previous person or organisation may stay in memory. */
export const goTo = (path: string): void => window.location.assign(ownPath(path));

/** The same, and replaces the current page in the history. */
export const replaceWith = (path: string): void => window.location.replace(ownPath(path));

/** Goes to a page of the console without a full load. */
export function useNavigate(): (path: string) => void {
  const router = useRouter();
  return useCallback(
    (path) => {
      // The page would be replaced by the browser's own error page.
      if (!isConnectionLost()) router.push(ownPath(path));
    },
    [router],
  );
}

/** Goes to an external address that the server checked. Throws unless it is http(s). */
export function goToExternal(address: string): void {
  const { protocol } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError(`Not a web address: ${protocol}`);
  window.location.assign(address);
}
