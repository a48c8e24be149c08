import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AppError } from "#server/platform/errors.ts";
import { limits } from "#server/platform/limits.ts";
import { Unavailable } from "#server/platform/unavailable.ts";
import { asInteractive, currentWaiting, inBackground, waitFor, waitInTime } from "./waiting.ts";

const { budgetMs, graceMs } = limits.database.interactive;
const totalMs = budgetMs + graceMs;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const never = () => new Promise<never>(() => {});
const after = (ms: number) => new Promise<string>((resolve) => setTimeout(() => resolve("done"), ms));
const tooLong = { message: "The database took too long", retryAfterMs: 2000, mayBeDone: false };

test("a wait is given up within its budget, with all waits for the same work", async () => {
  const asked = asInteractive("us", () => Promise.all([waitFor(never()), waitFor(never())]));
  const reported = expect(asked).rejects.toMatchObject(tooLong);
  await vi.advanceTimersByTimeAsync(totalMs);
  await reported;
});

test("successive waits share a budget; time between them does not count", async () => {
  const seen: string[] = [];
  const asked = asInteractive("us", async () => {
    seen.push(await waitFor(after(budgetMs - 500)));
    await after(60_000);
    seen.push(await waitFor(after(400)));
    await waitFor(after(400));
  });
  const reported = expect(asked).rejects.toMatchObject(tooLong);
  await vi.advanceTimersByTimeAsync(70_000);
  await reported;
  expect(seen).toEqual(["done", "done"]);
});

test("simultaneous waits count once", async () => {
  const asked = asInteractive("us", async () => {
    await Promise.all(Array.from({ length: 10 }, () => waitFor(after(budgetMs - 100))));
    return "done";
  });
  await vi.advanceTimersByTimeAsync(budgetMs);
  await expect(asked).resolves.toBe("done");
});

test("each wait of renewing work has its own budget", async () => {
  const work = async () => {
    for (let at = 0; at < 5; at++) await waitFor(after(budgetMs - 100));
    return "done";
  };
  const asked = asInteractive("us", () => asInteractive("us", work, { renews: true }));
  await vi.advanceTimersByTimeAsync(5 * budgetMs);
  await expect(asked).resolves.toBe("done");
});

test("once the budget is used up nothing waits any more", async () => {
  const asked = asInteractive("us", async () => {
    await waitFor(never()).catch(() => {});
    return waitFor(Promise.resolve("late"));
  });
  const reported = expect(asked).rejects.toBeInstanceOf(Unavailable);
  await vi.advanceTimersByTimeAsync(totalMs);
  await reported;
});

test("an answer that arrived while the process itself was blocked is accepted", async () => {
  const asked = asInteractive("us", () => waitFor(after(budgetMs + graceMs / 2)));
  await vi.advanceTimersByTimeAsync(totalMs);
  await expect(asked).resolves.toBe("done");
});

test("the client learns that a change may have taken effect if a deciding statement was running", async () => {
  const asked = asInteractive("us", async () => {
    currentWaiting()?.decide();
    await waitFor(never());
  });
  const reported = expect(asked).rejects.toMatchObject({ mayBeDone: true });
  await vi.advanceTimersByTimeAsync(totalMs);
  await reported;
});

test("a caught failure of the database is reported; a refusal of ours is not changed", async () => {
  const fault = new Unavailable("The database does not answer at the moment", { retryAfterMs: 5000 });
  const hiding = (hidden: Error) =>
    asInteractive("us", async () => {
      await waitFor(Promise.reject(fault)).catch(() => {});
      throw hidden;
    });
  await expect(hiding(new Error("Failed to get session"))).rejects.toBe(fault);
  const refusal = new AppError("NOT_FOUND", "No such key");
  await expect(hiding(refusal)).rejects.toBe(refusal);
});

test("background work, and work after the answer, belongs to no request", async () => {
  let later = currentWaiting;
  const outer = await asInteractive("us", async () => {
    expect(await inBackground(async () => currentWaiting())).toBeUndefined();
    const inner = await asInteractive("others", async () => currentWaiting());
    expect(inner).toBe(currentWaiting());
    later = () => currentWaiting();
    return currentWaiting();
  });
  expect(outer?.holder).toBe("us");
  expect(outer?.ended).toBe(true);
  expect(later()).toBeUndefined();
});

test("outside of requests a shared wait has its own budget", async () => {
  const reported = expect(waitInTime(never())).rejects.toMatchObject(tooLong);
  await vi.advanceTimersByTimeAsync(totalMs);
  await reported;
  await expect(waitInTime(Promise.resolve(1))).resolves.toBe(1);
});

test("a statement that starts when it is awaited belongs to the request it was written in", async () => {
  const seen: (string | undefined)[] = [];
  /** As Prisma's promises: nothing happens before `then` is called. */
  const lazy = (): Promise<string> => {
    const begin = () => {
      seen.push(currentWaiting()?.holder);
      return Promise.resolve("done");
    };
    return {
      // biome-ignore lint/suspicious/noThenProperty: that is what is tried here.
      then: (...args: Parameters<Promise<string>["then"]>) => begin().then(...args),
    } as Promise<string>;
  };
  expect(await asInteractive("us", lazy)).toBe("done");
  expect(await asInteractive("us", () => inBackground(lazy))).toBe("done");
  expect(await inBackground(() => asInteractive("others", lazy))).toBe("done");
  expect(seen).toEqual(["us", undefined, "others"]);
});
