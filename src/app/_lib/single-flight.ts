/** Runs one call per key at a time: a second call during the first returns the same promise. */
export function singleFlight<Result>() {
  let last: { readonly key: string; readonly run: Promise<Result> } | null = null;
  return {
    run(key: string, call: () => Promise<Result>): Promise<Result> {
      if (last?.key === key) return last.run;
      const run = call().finally(() => {
        if (last?.run === run) last = null;
      });
      last = { key, run };
      return run;
    },
    clear: () => {
      last = null;
    },
  };
}
