import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { never } from "#test/console/server.ts";
import { useEnabledSwitch } from "./use-enabled-switch.ts";

interface Row {
  readonly id: string;
  readonly enabled: boolean;
}
const queryKey = ["ships"];

interface ListProps {
  readonly load: () => Promise<{ data: Row[] }>;
  readonly save: (change: Row) => Promise<unknown>;
}

function List({ load, save }: ListProps) {
  const list = useQuery({ queryKey, queryFn: load });
  const toggle = useEnabledSwitch(queryKey, save);
  return list.data?.data.map(({ id, enabled }) => (
    <Switch
      key={id}
      label={id}
      checked={enabled}
      onChange={(event) => toggle({ id, name: id }, event.currentTarget.checked)}
    />
  ));
}

/** Three rows on a server that answers each change when the test does; `reloads` says whether it lists them twice. */
function show({ reloads = true } = {}) {
  const stored = new Map([
    ["Argo", false],
    ["Beagle", true],
    ["Calypso", false],
  ]);
  let loaded = false;
  const saved: Row[] = [];
  const answers: ((refusal?: Error) => void)[] = [];
  const load = async () => {
    if (loaded && !reloads) return await never();
    loaded = true;
    return { data: [...stored].map(([id, enabled]) => ({ id, enabled })) };
  };
  const save = (change: Row) => {
    saved.push(change);
    return new Promise<void>((resolve, reject) => {
      answers.push((refusal) => {
        if (refusal) return reject(refusal);
        stored.set(change.id, change.enabled);
        resolve();
      });
    });
  };
  const made = renderConsole(<List load={load} save={save} />);
  const isOn = async (name: string) =>
    (await screen.findByRole<HTMLInputElement>("switch", { name })).checked;
  const click = async (name: string) => made.user.click(await screen.findByRole("switch", { name }));
  const answer = async (refusal?: Error) => {
    await waitFor(() => expect(answers).not.toEqual([]));
    answers.shift()?.(refusal);
  };
  return { ...made, saved, isOn, click, answer };
}

test("a row is shown as switched before the server answers, and no other row is", async () => {
  const { saved, isOn, click, answer } = show();
  await click("Argo");
  expect(await isOn("Argo")).toBe(true);
  expect([await isOn("Beagle"), await isOn("Calypso")]).toEqual([true, false]);
  expect(saved).toEqual([{ id: "Argo", enabled: true }]);
  await answer();
  await screen.findByText("Argo is enabled.");
  expect(await isOn("Argo")).toBe(true);
});

test("a refusal puts the row back at once and shows why", async () => {
  const { isOn, click, answer } = show({ reloads: false });
  await click("Beagle");
  expect(await isOn("Beagle")).toBe(false);
  await answer(new Error("refused"));
  await screen.findByText("Action failed");
  expect(await isOn("Beagle")).toBe(true);
  expect(screen.queryByText(/Beagle is/)).toBeNull();
});

test("the toast takes it back", async () => {
  const { user, saved, isOn, click, answer } = show();
  await click("Beagle");
  await answer();
  await screen.findByText("Beagle is disabled.");
  await user.click(screen.getByRole("button", { name: "Undo" }));
  await answer();
  await waitFor(async () => expect(await isOn("Beagle")).toBe(true));
  expect(saved).toEqual([
    { id: "Beagle", enabled: false },
    { id: "Beagle", enabled: true },
  ]);
});
