import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { ownPath } from "#contract/own-path.ts";

/** Loads a page of ours anew: nothing of a person or organisation before may stay in memory. */
export const goTo = (path: string): void => window.location.assign(ownPath(path));

/** The same, and the page one is on leaves the history. */
export const replaceWith = (path: string): void => window.location.replace(ownPath(path));

/** Goes to a page of ours without loading everything anew. */
export function useNavigate(): (path: string) => void {
  const router = useRouter();
  return useCallback((path) => router.push(ownPath(path)), [router]);
}

/** Leaves for an address elsewhere that the server checked. Throws for what is no http(s) address. */
export function goToExternal(address: string): void {
  const { protocol } = new URL(address);
  if (protocol !== "https:" && protocol !== "http:") throw new TypeError(`Not a web address: ${protocol}`);
  window.location.assign(address);
}
