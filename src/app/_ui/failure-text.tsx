import type { Failure } from "../_lib/failure.ts";

/** What went wrong, in words. Who signs in again does so beside what is typed here, and loses none of it. */
export function FailureText({ failure: { code, message } }: { failure: Pick<Failure, "code" | "message"> }) {
  if (code !== "UNAUTHORIZED") return message;
  return (
    <>
      Your session has ended.{" "}
      <a href="/sign-in" target="_blank" style={{ color: "inherit" }} rel="noopener">
        Sign in in a new tab
      </a>
      , then try again here.
    </>
  );
}
