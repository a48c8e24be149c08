import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { describe, expect, test } from "vitest";
import { CatalogueProvider } from "#contract/catalogue-view.ts";
import { ProviderPreferences } from "#contract/preferences.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { cleaned } from "./draft.ts";
import { PreferenceFields } from "./preference-fields.tsx";

const fact = <T,>(value: T, expired = false) => ({
  ...sampleOf(CatalogueProvider, { gaps: "never" }).eu_owned,
  value,
  expired,
});
const provider = (slug: string, more: Partial<CatalogueProvider> = {}): CatalogueProvider => ({
  ...sampleOf(CatalogueProvider, { gaps: "always" }),
  slug,
  name: slug.toUpperCase(),
  eu_owned: fact(null),
  retention_days: fact(null),
  training: fact(null),
  countries: [],
  headquarters: null,
  unusable: null,
  ...more,
});

interface EditedProps {
  readonly initial: ProviderPreferences;
  readonly onValue: (value: ProviderPreferences) => void;
}

/** The fields with the preferences of a rule, as its form holds them. */
function Edited({ initial, onValue }: EditedProps) {
  const [value, setValue] = useState(initial);
  const change = (next: ProviderPreferences) => {
    setValue(next);
    onValue(next);
  };
  return <PreferenceFields value={value} onChange={change} />;
}

/** `saved` is what would be sent. */
function fields(initial: ProviderPreferences = {}, providers: readonly CatalogueProvider[] = []) {
  let value = initial;
  const onValue = (next: ProviderPreferences) => {
    value = next;
  };
  const made = renderConsole(<Edited initial={initial} onValue={onValue} />, {
    answers: {
      catalogue: { providers: () => ({ data: [...providers] }) },
      routingRules: {
        euResidency: () => ({
          data: {
            as_of: "2026-01-01",
            eu_countries: [{ code: "FR", name: "France" }],
            eea_countries: [],
            eu_adequate_countries: [],
          },
        }),
      },
    },
  });
  return { ...made, saved: () => cleaned(value) };
}
const field = (label: string | RegExp) => screen.getByLabelText(label);
const group = (name: string) => within(screen.getByRole("group", { name }));

describe("a switch", () => {
  test.each([
    ["EU-owned providers only", { eu_owned: true }],
    ["No training on prompts", { data_collection: "deny" }],
    ["Zero data retention", { zdr: true }],
    ["Require support for all parameters of a request", { require_parameters: true }],
  ])("%s asks for it when on, and for nothing when off again", async (label, preferences) => {
    const { user, saved } = fields();
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: label });
    expect(toggle.checked).toBe(false);
    await user.click(toggle);
    expect(saved()).toEqual(preferences);
    expect(ProviderPreferences.safeParse(saved()).success).toBe(true);
    await user.click(toggle);
    expect(saved()).toEqual({});
  });

  test("for fallbacks is on until it is switched off", async () => {
    const { user, saved } = fields();
    const toggle = screen.getByRole<HTMLInputElement>("switch", { name: "Allow fallbacks" });
    expect(toggle.checked).toBe(true);
    await user.click(toggle);
    expect(saved()).toEqual({ allow_fallbacks: false });
    await user.click(toggle);
    expect(saved()).toEqual({});
  });
});

describe("where inference runs", () => {
  test("is a group of countries, a country, or anywhere", async () => {
    const { user, saved } = fields();
    const place = field("Inference runs in");
    await user.selectOptions(place, "eu");
    expect(saved()).toEqual({ data_residency: "eu" });
    await user.selectOptions(place, await screen.findByRole("option", { name: "France" }));
    expect(saved()).toEqual({ data_residency: "fr" });
    await user.selectOptions(place, "");
    expect(saved()).toEqual({});
  });
});

describe("a number", () => {
  test("of days may be zero, and empty means no limit", async () => {
    const { user, saved } = fields();
    await fill(user, field(/Maximum retention/), "30");
    expect(saved()).toEqual({ max_retention_days: 30 });
    await fill(user, field(/Maximum retention/), "0");
    expect(saved()).toEqual({ max_retention_days: 0 });
    await fill(user, field(/Maximum retention/), "");
    expect(saved()).toEqual({});
  });

  test.each([
    ["1M prompt tokens", "prompt"],
    ["1M completion tokens", "completion"],
    ["Request", "request"],
    ["Image", "image"],
    ["Audio", "audio"],
  ])("is the maximum price of %s, which leaves the other prices as they are", async (label, name) => {
    const other = name === "prompt" ? "request" : "prompt";
    const { user, saved } = fields({ max_price: { [other]: 7 } });
    const price = group("Maximum price in USD per").getByLabelText(label);
    await fill(user, price, "0.25");
    expect(saved()).toEqual({ max_price: { [other]: 7, [name]: 0.25 } });
    await fill(user, price, "");
    expect(ProviderPreferences.parse(saved()).max_price).toEqual({ [other]: 7, [name]: null });
  });

  test("that was the only price leaves no prices behind", async () => {
    const { user, saved } = fields({ max_price: { prompt: 7 } });
    await fill(user, group("Maximum price in USD per").getByLabelText("1M prompt tokens"), "");
    expect(saved()).toEqual({});
  });

  test.each([
    ["Preferred minimum throughput (tokens per second)", "preferred_min_throughput"],
    ["Preferred maximum time to first token (seconds)", "preferred_max_latency"],
  ])("is the bound of a percentile in %s; the median alone is a plain number", async (legend, name) => {
    const { user, saved } = fields();
    await fill(user, group(legend).getByLabelText("p50"), "20");
    expect(saved()).toEqual({ [name]: 20 });
    await fill(user, group(legend).getByLabelText("p90"), "1.5");
    expect(saved()).toEqual({ [name]: { p50: 20, p90: 1.5 } });
    await fill(user, group(legend).getByLabelText("p50"), "");
    expect(saved()).toEqual({ [name]: { p90: 1.5 } });
    await fill(user, group(legend).getByLabelText("p90"), "");
    expect(saved()).toEqual({});
  });
});

describe("quantizations", () => {
  test("are saved in the order of the list, whatever the order of the clicks", async () => {
    const { user, saved } = fields();
    for (const name of ["fp16", "int8", "fp8"]) await user.click(screen.getByRole("checkbox", { name }));
    expect(saved()).toEqual({ quantizations: ["int8", "fp8", "fp16"] });
    for (const name of ["fp16", "int8", "fp8"]) await user.click(screen.getByRole("checkbox", { name }));
    expect(saved()).toEqual({});
  });
});

describe("a list of providers", () => {
  const lists = [
    ["Allowed providers", "Allow a provider", "only"],
    ["Excluded providers", "Exclude a provider", "ignore"],
    ["Provider order", "Add a provider to the order", "order"],
  ] as const;

  test.each(lists)(
    "%s: one is added, is not offered again, and can be removed",
    async (legend, add, name) => {
      const { user, saved } = fields({}, [provider("acme"), provider("zeta")]);
      await screen.findAllByRole("option", { name: /^ZETA/ });
      const select = () => screen.getByRole<HTMLSelectElement>("combobox", { name: add });
      await user.selectOptions(select(), "zeta");
      await user.selectOptions(select(), "acme");
      expect(saved()).toEqual({ [name]: ["zeta", "acme"] });
      expect([...select().options].map(({ value }) => value)).toEqual([""]);
      await user.click(group(legend).getByRole("button", { name: "Remove zeta" }));
      await user.click(group(legend).getByRole("button", { name: "Remove acme" }));
      expect(saved()).toEqual({});
    },
  );

  test.each(lists)(
    "%s shows a name that the catalogue does not know until it is removed",
    async (legend, _add, name) => {
      const { user, saved } = fields({ [name]: ["gone/eu"] });
      expect(group(legend).getByText("gone/eu")).toBeTruthy();
      await user.click(group(legend).getByRole("button", { name: "Remove gone/eu" }));
      expect(saved()).toEqual({});
    },
  );

  test("tells of each what matters for the choice; an expired fact is unknown", async () => {
    fields({}, [
      provider("acme", {
        eu_owned: fact(true),
        countries: ["FR", "DE"],
        retention_days: fact(30),
        training: fact(false),
      }),
      provider("zeta", {
        eu_owned: fact(true, true),
        headquarters: "US",
        retention_days: fact(0, true),
        training: fact(true),
        unusable: "no_credential",
      }),
      provider("nemo"),
    ]);
    await screen.findAllByRole("option", { name: /^ACME/ });
    const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Allow a provider" });
    expect([...select.options].slice(1).map(({ text }) => text)).toEqual([
      "ACME · EU-owned · FR DE · 30-day retention · no training",
      "ZETA · US · retention unknown · trains on prompts · not available yet",
      "NEMO · region unknown · retention unknown · training unknown",
    ]);
  });

  const lift = async (name: string) => {
    const handle = group("Provider order").getByRole("button", { name: `Move ${name}` });
    handle.focus();
    fireEvent.keyDown(handle, { code: "Space" });
    await waitFor(() => expect(handle.getAttribute("aria-pressed")).toBe("true"));
    // dnd-kit listens from the next turn of the event loop on.
    await new Promise((resolve) => setTimeout(resolve));
    return handle;
  };

  test("whose order counts is numbered, and an entry can be lifted and put back by keyboard", async () => {
    fields({ order: ["acme", "zeta"] });
    const items = group("Provider order").getAllByRole("listitem");
    expect(items.map((item) => item.textContent)).toEqual(["1acme", "2zeta"]);
    const handle = await lift("zeta");
    fireEvent.keyDown(document.body, { code: "Escape" });
    await waitFor(() => expect(handle.getAttribute("aria-pressed")).toBeNull());
  });

  test("whose order counts do not keep the keyboard when they are closed during a move", async () => {
    const { unmount } = fields({ order: ["acme", "zeta"] });
    await lift("zeta");
    unmount();
    expect(fireEvent.keyDown(document.body, { code: "Space" })).toBe(true);
  });
});

describe("sorting", () => {
  const together = /^Rank all models of a request together/;
  const partition = () => screen.queryByRole<HTMLInputElement>("switch", { name: together });

  test("by a measure is a plain word until all models are ranked together", async () => {
    const { user, saved } = fields();
    expect(partition()).toBeNull();
    await user.selectOptions(field("Sort other providers by"), "price");
    expect(saved()).toEqual({ sort: "price" });
    await user.click(partition() ?? document.body);
    expect(saved()).toEqual({ sort: { by: "price", partition: "none" } });
    await user.selectOptions(field("Sort other providers by"), "latency");
    expect(saved()).toEqual({ sort: { by: "latency", partition: "none" } });
    await user.click(partition() ?? document.body);
    expect(saved()).toEqual({ sort: "latency" });
  });

  test("not at all takes the question about the models away with it", async () => {
    const { user, saved } = fields({ sort: { by: "throughput", partition: "none" } });
    expect(partition()?.checked).toBe(true);
    await user.selectOptions(field("Sort other providers by"), "");
    expect(saved()).toEqual({});
    await waitFor(() => expect(partition()).toBeNull());
  });

  test("as the API writes it for one model at a time is shown as such", () => {
    fields({ sort: { by: "price", partition: "model" } });
    expect(screen.getByLabelText<HTMLSelectElement>("Sort other providers by").value).toBe("price");
    expect(partition()?.checked).toBe(false);
  });
});
