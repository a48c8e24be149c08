import { headers } from "next/headers";
import { Notice } from "./_ui/notice.tsx";

export default async function NotFound() {
  const requestId = (await headers()).get("x-request-id");
  return <Notice title="There is nothing here" text="The address may be mistyped." requestId={requestId} />;
}
