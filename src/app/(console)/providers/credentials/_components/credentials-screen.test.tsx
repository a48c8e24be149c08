import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { ProviderCredential } from "#contract/byok.ts";
import { CatalogueProvider } from "#contract/catalogue-view.ts";
import { Role } from "#contract/permission.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { permissionsOf } from "#test/console/permissions.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal, requestId } from "#test/console/server.ts";
import { CredentialsScreen } from "./credentials-screen.tsx";

const providerOf = (
  slug: string,
  name: string,
  more: Partial<CatalogueProvider> = {},
): CatalogueProvider => ({
  ...sampleOf(CatalogueProvider),
  slug,
  name,
  auth: "bearer",
  unusable: null,
  byok_supported: true,
  credentials: { own: true, installation: false },
  ...more,
});
const providers = [
  providerOf("mistral", "Mistral"),
  providerOf("scaleway", "Scaleway", { credentials: { own: false, installation: true } }),
  providerOf("nebius", "Nebius", { byok_supported: false, credentials: { own: false, installation: true } }),
  providerOf("local", "Local", { auth: "none" }),
];
const credentialOf = (
  id: number,
  name: string,
  more: Partial<ProviderCredential> = {},
): ProviderCredential => ({
  ...sampleOf(ProviderCredential, { gaps: "always" }),
  id: `018f0000-0000-7000-8000-00000000000${id}`,
  provider: "mistral",
  name,
  last_four: "9x7z",
  sort_order: 0,
  allowed_models: null,
  allowed_api_key_hashes: null,
  shared: false,
  is_fallback: false,
  disabled: false,
  ...more,
});
const [first, second] = [credentialOf(1, "Team account"), credentialOf(2, "Spare account")];
const verdict = { success: true, status: 200, message: "The provider accepts the key." };

interface Visit {
  readonly list?: readonly ProviderCredential[];
  readonly byok?: Answers["byok"];
  readonly role?: Role;
  readonly search?: string;
  readonly operator?: boolean;
}

const visit = ({ list = [first, second], byok, role = "owner", search, operator = false }: Visit = {}) =>
  renderConsole(<CredentialsScreen />, {
    role,
    pathname: "/providers/credentials",
    ...(search !== undefined && { search }),
    session: { operator },
    answers: {
      catalogue: { providers: () => ({ data: providers }), models: () => ({ data: [] }) },
      keys: { list: () => ({ data: [], total_count: 0 }) },
      byok: {
        list: () => ({ data: [...list], total_count: list.length }),
        update: () => ({ data: first }),
        check: () => ({ data: verdict }),
        ...byok,
      },
    },
  });
const rowOf = async (name: string) => {
  const cell = await screen.findByText(name);
  return cell.closest("tr") ?? cell;
};

describe("the list", () => {
  test("names the provider and the end of the secret of each credential, and nothing more of it", async () => {
    visit();
    const row = await rowOf("Team account");
    await waitFor(() => expect(row.textContent).toContain("Mistral …9x7z"));
  });

  test("shows in which order the credentials of a provider are used", async () => {
    visit({
      list: [first, second, credentialOf(3, "Last", { is_fallback: true, allowed_models: ["a", "b"] })],
    });
    expect((await rowOf("Team account")).textContent).toContain("Before the shared credential, 1 of 2");
    expect((await rowOf("Spare account")).textContent).toContain("Before the shared credential, 2 of 2");
    expect((await rowOf("Last")).textContent).toContain("After the shared credentialonly 2 models");
  });

  test("says of a credential that cannot be read that it has to be saved again", async () => {
    visit({ list: [credentialOf(4, "Spoiled", { problem: "save it again" })] });
    expect((await screen.findByTitle("save it again")).textContent).toContain("Cannot be read");
  });

  test("shows what the last check found", async () => {
    const at = new Date(Date.now() - 3 * 60_000).toISOString();
    const checked = (id: number, name: string, success: boolean, status: number | null) =>
      credentialOf(id, name, { last_check: { success, status, message: `About ${name}`, at } });
    visit({
      list: [
        checked(1, "Good", true, 200),
        checked(2, "Bad", false, 401),
        checked(3, "Odd", false, null),
        credentialOf(4, "New"),
      ],
    });
    expect((await rowOf("Good")).textContent).toContain("Accepted3 min ago");
    expect((await rowOf("Bad")).textContent).toContain("Rejected");
    expect((await rowOf("Odd")).textContent).toContain("Unknown");
    expect((await rowOf("New")).textContent).toContain("Not checked");
    expect(screen.getByTitle("About Bad").textContent).toBe("Rejected");
  });

  test("is empty at first and explains who is billed", async () => {
    visit({ list: [] });
    expect((await screen.findByText("No credentials yet")).parentElement?.textContent).toContain(
      "the provider bills you under your own contract",
    );
  });

  test("that cannot be loaded names the request", async () => {
    visit({
      byok: {
        list: () => {
          throw new Refusal("INTERNAL_ERROR", "Out of order");
        },
      },
    });
    expect((await screen.findByRole("alert")).textContent).toContain(requestId);
  });

  test("is narrowed to a provider by the URL, once there are several", async () => {
    const other = credentialOf(3, "Other", { provider: "scaleway" });
    visit({ list: [first, other], search: "?provider=scaleway" });
    await rowOf("Other");
    expect(screen.queryByText("Team account")).toBeNull();
    const filter = screen.getByRole<HTMLSelectElement>("combobox", { name: "Provider" });
    expect([...filter.options].map(({ text }) => text)).toEqual(["Any provider", "Mistral", "Scaleway"]);
  });

  test("of one provider has no filter", async () => {
    visit();
    await rowOf("Team account");
    expect(screen.queryByRole("search")).toBeNull();
  });

  test("ends with the providers that are reached without a credential of one's own", async () => {
    visit();
    await screen.findByText("Otherwise requests use a shared credential, available for Scaleway and Nebius.");
  });
});

describe("changing from the list", () => {
  const toggle = () => screen.findByRole<HTMLInputElement>("switch", { name: "Use Team account" });

  test("switches a credential off, and back on by the toast", async () => {
    const { user, server } = visit({ byok: { update: () => ({ data: first }) } });
    await user.click(await toggle());
    await user.click(await screen.findByRole("button", { name: "Undo" }));
    await waitFor(() => expect(server.inputsOf("byok.update")).toHaveLength(2));
    expect(server.inputsOf("byok.update")).toEqual([
      { id: first.id, disabled: true },
      { id: first.id, disabled: false },
    ]);
  });

  test("is put back when the server refuses", async () => {
    const { user } = visit({
      byok: {
        update: () => {
          throw new Refusal("FORBIDDEN", "Not yours");
        },
      },
    });
    await user.click(await toggle());
    await screen.findByText("Not yours");
    expect((await toggle()).checked).toBe(true);
  });

  test("checks one credential, and shows what was found without opening it", async () => {
    let list = [first];
    const { user, server, query } = visit({
      byok: {
        list: () => ({ data: list, total_count: 1 }),
        check: () => {
          list = [
            {
              ...first,
              last_check: { ...verdict, success: false, status: 401, at: new Date().toISOString() },
            },
          ];
          return { data: verdict };
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Check Team account" }));
    await screen.findByText("Rejected");
    expect(server.inputsOf("byok.check")).toEqual([{ id: first.id }]);
    expect(query().get("open")).toBeNull();
  });

  test("a check in progress is not started again", async () => {
    const { user, server } = visit({ byok: { check: never } });
    const button = await screen.findByRole<HTMLButtonElement>("button", { name: "Check Team account" });
    await user.dblClick(button);
    expect(button.disabled).toBe(true);
    expect(server.inputsOf("byok.check")).toHaveLength(1);
    expect(screen.getByRole<HTMLButtonElement>("button", { name: "Check Spare account" }).disabled).toBe(
      false,
    );
  });

  test("a check that could not be made is reported", async () => {
    const { user } = visit({
      byok: {
        check: () => {
          throw new Refusal("SERVICE_UNAVAILABLE", "The provider cannot be reached");
        },
      },
    });
    await user.click(await screen.findByRole("button", { name: "Check Team account" }));
    await screen.findByText("The provider cannot be reached");
  });
});

describe("the sheet", () => {
  test("opens by a click on a row, and by its address", async () => {
    const { user, query } = visit();
    await user.click(await screen.findByRole("button", { name: /^Team account/ }));
    await waitFor(() => expect(query().get("open")).toBe(first.id));
    const sheet = await screen.findByRole("dialog", { name: "Team account" });
    expect(within(sheet).getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Team account");
  });

  test("of a new credential offers providers that accept one", async () => {
    const { user } = visit({ search: "?add=choose" });
    const sheet = await screen.findByRole("dialog", { name: "Add a provider credential" });
    await user.click(within(sheet).getByRole("combobox", { name: "Provider" }));
    const names = (await screen.findAllByRole("option")).map(({ textContent }) => textContent);
    expect(names).toContain("Mistral");
    expect(names).not.toContain("Nebius");
    expect(names).not.toContain("Local");
  });

  test("offers the operator every provider that wants a credential", async () => {
    const { user } = visit({ search: "?add=choose", operator: true });
    const sheet = await screen.findByRole("dialog");
    await user.click(within(sheet).getByRole("combobox", { name: "Provider" }));
    await screen.findByRole("option", { name: "Nebius" });
    expect(screen.queryByRole("option", { name: "Local" })).toBeNull();
  });

  test("of a provider that the address names asks for its secret at once, and stays once something is typed", async () => {
    const { user, query } = visit({ search: "?add=scaleway" });
    const sheet = await screen.findByRole("dialog", { name: "Add a provider credential" });
    await fill(user, within(sheet).getByLabelText(/^API key/), "sk-0123456789");
    await user.keyboard("{Escape}");
    expect(query().get("add")).toBe("scaleway");
    expect(within(sheet).getByLabelText<HTMLInputElement>(/^API key/).value).toBe("sk-0123456789");
  });

  test("that is closed leaves nothing in the address", async () => {
    const { user, query } = visit({ search: `?open=${first.id}` });
    await screen.findByRole("dialog", { name: "Team account" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(query().get("open")).toBeNull());
    expect(screen.queryByRole("dialog")).toBeNull();
  });
});

test.each(Role.options)("a person who is %s sees and changes what the server allows", async (role) => {
  visit({
    role,
    search: `?open=${first.id}`,
    list: [first, credentialOf(2, "Spare account", { disabled: true })],
  });
  const mayWrite = permissionsOf(role).has("byok:write");
  await screen.findByText("Spare account");
  const has = (name: string | RegExp, kind: "button" | "switch" = "button") =>
    screen.queryAllByRole(kind, { name, hidden: true }).length > 0;
  await waitFor(() => expect(has("Add credential")).toBe(mayWrite));
  expect(has("Check Team account")).toBe(mayWrite);
  expect(has("Use Team account", "switch")).toBe(mayWrite);
  if (mayWrite) await screen.findByRole("dialog", { name: "Team account" });
  else {
    expect(screen.queryByRole("dialog")).toBeNull();
    expect((await rowOf("Team account")).textContent?.endsWith("On")).toBe(true);
    expect((await rowOf("Spare account")).textContent?.endsWith("Off")).toBe(true);
  }
});
