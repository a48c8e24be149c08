/** The sign-in page that leads back to where one is now. Called in the browser. */
export function signInPath(): string {
  const { pathname, search } = window.location;
  return `/sign-in?next=${encodeURIComponent(pathname + search)}`;
}
