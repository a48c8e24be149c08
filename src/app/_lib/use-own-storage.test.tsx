import { useQuery } from "@tanstack/react-query";
import { screen } from "@testing-library/react";
import { beforeEach, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { useTRPC } from "./trpc.ts";
import { useOwnStorage } from "./use-own-storage.ts";

beforeEach(() => localStorage.clear());
const none: readonly string[] = [];

function Names() {
  const [names, setNames] = useOwnStorage("names", none);
  const session = useQuery(useTRPC().session.get.queryOptions());
  if (!session.data) return null;
  return (
    <button type="button" onClick={() => setNames([...names, "Crawler"])}>
      {names.length === 0 ? "nothing" : names.join(", ")}
    </button>
  );
}

const [ada, grace] = ["018f0000-0000-7000-8000-0000000000a1", "018f0000-0000-7000-8000-0000000000a2"];
const [ours, theirs] = [
  { id: "018f0000-0000-7000-8000-0000000000b1", name: "Ours" },
  { id: "018f0000-0000-7000-8000-0000000000b2", name: "Theirs" },
];

test("what one person stored for one organisation is not shown to others in the same browser", async () => {
  const shownTo = async (user_id: string, organisation: typeof ours, text: string) => {
    const shown = renderConsole(<Names />, { session: { user_id, organisation } });
    const button = await screen.findByRole("button", { name: text });
    return { ...shown, button };
  };
  const first = await shownTo(ada, ours, "nothing");
  await first.user.click(first.button);
  await screen.findByRole("button", { name: "Crawler" });
  first.unmount();
  for (const [user, organisation] of [
    [grace, ours],
    [ada, theirs],
  ] as const)
    (await shownTo(user, organisation, "nothing")).unmount();
  await shownTo(ada, ours, "Crawler");
});
