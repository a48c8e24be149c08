"use client";

/** The last resort, when not even the layout could be drawn: plain HTML, no kit. */
export default function GlobalError({ reset }: { error: Error; reset: () => void }) {
  return (
    <html lang="en">
      <body style={{ fontFamily: "system-ui, sans-serif", padding: "3rem" }}>
        <h1>Something went wrong</h1>
        <p>Reload the page. If it happens again, check the server's log.</p>
        <button type="button" onClick={reset}>
          Try again
        </button>
      </body>
    </html>
  );
}
