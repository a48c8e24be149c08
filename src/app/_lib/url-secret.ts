"use client";

import { useEffect, useState } from "react";

/**
 * The secret behind the `#` of a link, which no browser sends to a server. It is taken out of the address at
 * once, and stored for this tab, so that signing in on the way does not lose it. `undefined` until it is read.
 */
export function useUrlSecret(name: string): string | null | undefined {
  const [secret, setSecret] = useState<string | null>();
  useEffect(() => {
    const given = window.location.hash.slice(1);
    if (given) {
      sessionStorage.setItem(name, given);
      window.history.replaceState(null, "", window.location.pathname);
    }
    setSecret(sessionStorage.getItem(name));
  }, [name]);
  return secret;
}

/** To be called once the secret is used up. */
export const clearUrlSecret = (name: string): void => sessionStorage.removeItem(name);
