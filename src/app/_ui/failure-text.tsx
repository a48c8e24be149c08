import { Anchor } from "@mantine/core";
import type { Failure } from "../_lib/failure.ts";

/** What went wrong, in words. Who signs in again does so beside what is typed here, and loses none of it. */
export function FailureText({ failure: { code, message } }: { failure: Pick<Failure, "code" | "message"> }) {
  if (code !== "UNAUTHORIZED") return message;
  return (
    <>
      Your session has ended.{" "}
      <Anchor href="/sign-in" target="_blank" inherit underline="always">
        Sign in in a new tab
      </Anchor>
      , then try again here.
    </>
  );
}
