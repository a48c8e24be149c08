type OnBack = (event: PopStateEvent) => void;

let guard: OnBack | null = null;

// Whoever listens first decides, and the router listens from hydration on: this module comes with the root layout.
if (typeof window !== "undefined") window.addEventListener("popstate", (event) => guard?.(event));

/** Hears of every step through the history before the router does. Returns what ends that. */
export function guardBack(onBack: OnBack): () => void {
  guard = onBack;
  return () => {
    guard = null;
  };
}
