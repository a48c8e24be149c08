import { headers } from "next/headers";
import { Notice } from "./_ui/notice.tsx";

export default async function NotFound() {
  const requestId = (await headers()).get("x-request-id");
  return <Notice title="Page not found" text="Check the address." requestId={requestId} />;
}
