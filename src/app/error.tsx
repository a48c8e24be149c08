"use client";

import { Notice, NoticeButton } from "./_ui/notice.tsx";

/** A screen that broke while it was drawn. The document's own request id leads to the log. */
export default function ScreenError({ reset }: { error: Error; reset: () => void }) {
  const requestId = typeof document === "undefined" ? null : document.documentElement.dataset.requestId;
  return (
    <Notice
      title="Something went wrong"
      text="An unexpected error occurred. Include the request ID when you report it."
      requestId={requestId ?? null}
    >
      <NoticeButton onClick={reset}>Try again</NoticeButton>
    </Notice>
  );
}
