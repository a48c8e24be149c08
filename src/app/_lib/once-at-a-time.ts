/** Lets nothing happen twice: asked for what is under way already, it gives that instead of doing it again. */
export function onceAtATime<Result>() {
  let last: { readonly key: string; readonly run: Promise<Result> } | null = null;
  return {
    run(key: string, job: () => Promise<Result>): Promise<Result> {
      if (last?.key === key) return last.run;
      const run = job().finally(() => {
        if (last?.run === run) last = null;
      });
      last = { key, run };
      return run;
    },
    forget: () => {
      last = null;
    },
  };
}
