import { useSyncExternalStore } from "react";

let key = "";
const listeners = new Set<() => void>();
const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

function setKey(value: string): void {
  key = value;
  for (const listener of listeners) listener();
}

/** The API key for trying operations: one for the whole page, in memory only, so a reload forgets it. */
export const useTryKey = (): [string, (value: string) => void] => [
  useSyncExternalStore(
    listen,
    () => key,
    () => "",
  ),
  setKey,
];
