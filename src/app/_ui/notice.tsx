import type { ReactNode } from "react";
import { CompassIcon } from "./icons.tsx";
import classes from "./notice.module.css";

interface NoticeProps {
  readonly title: string;
  readonly text: string;
  readonly requestId: string | null;
  readonly children?: ReactNode;
}

/** A page in place of a screen that cannot be shown. Every route loads it, so it is made of plain elements. */
export function Notice({ title, text, requestId, children }: NoticeProps) {
  return (
    <main className={classes.page}>
      <CompassIcon width={40} height={40} />
      <h1 className={classes.title}>{title}</h1>
      <p className={classes.text}>{text}</p>
      {requestId && (
        <p className={classes.text}>
          Request <code>{requestId}</code>
        </p>
      )}
      <div className={classes.actions}>
        {children}
        <a href="/overview">Go to the overview</a>
      </div>
    </main>
  );
}

/** The way out of a page that broke. */
export function NoticeButton({ onClick, children }: { onClick: () => void; children: ReactNode }) {
  return (
    <button type="button" className={classes.button} onClick={onClick}>
      {children}
    </button>
  );
}
