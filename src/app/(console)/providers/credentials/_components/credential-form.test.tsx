import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { ProviderCredential } from "#contract/byok.ts";
import { CatalogueModel, CatalogueProvider } from "#contract/catalogue-view.ts";
import { ApiKey } from "#contract/key.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal } from "#test/console/server.ts";
import { CredentialForm } from "./credential-form.tsx";

const providerOf = (slug: string, name: string, auth: string): CatalogueProvider => ({
  ...sampleOf(CatalogueProvider),
  slug,
  name,
  auth,
  unusable: null,
  byok_supported: true,
});
const providers = [
  providerOf("mistral", "Mistral", "bearer"),
  providerOf("bedrock", "Amazon Bedrock", "sigv4"),
];
const saved: ProviderCredential = {
  ...sampleOf(ProviderCredential, { gaps: "always" }),
  provider: "mistral",
  name: "Team account",
  last_four: "9x7z",
  sort_order: 3,
  allowed_models: null,
  allowed_api_key_hashes: null,
  shared: false,
  is_fallback: false,
  disabled: false,
};
const models = ["mistral-small", "mistral-large", "claude"].map((id) => ({
  ...sampleOf(CatalogueModel),
  id,
  providers: id === "claude" ? ["anthropic"] : ["mistral"],
}));
const key: ApiKey = { ...sampleOf(ApiKey), hash: "a".repeat(12), name: "Crawler" };
const secret = "sk-0123456789abcdef";
const verdict = { success: true, status: 200, message: "The provider accepts the key." };

interface Setting {
  readonly saved?: ProviderCredential;
  readonly chosen?: string;
  readonly operator?: boolean;
  readonly of?: readonly CatalogueProvider[];
  readonly byok?: Answers["byok"];
}

function open({ of = providers, byok = {}, operator = false, ...form }: Setting = {}) {
  const onDone = vi.fn();
  const view = renderConsole(
    <CredentialForm providers={of} operator={operator} onDone={onDone} {...form} />,
    {
      answers: {
        catalogue: { models: () => ({ data: models }) },
        keys: { list: () => ({ data: [key], total_count: 1 }) },
        byok: {
          create: () => ({ data: saved }),
          update: () => ({ data: saved }),
          check: () => ({ data: verdict }),
          checkUnsaved: () => ({ data: verdict }),
          remove: () => ({ data: { success: true } }),
          ...byok,
        },
      },
    },
  );
  return { ...view, onDone };
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const secretField = () => screen.getByLabelText<HTMLInputElement>(/^API key/);
const nameField = () => screen.getByLabelText<HTMLInputElement>(/^Name/);

describe("a new credential", () => {
  test("is sent as it was typed, for every model and key; then the provider is asked once", async () => {
    const { user, server, onDone } = open({ chosen: "mistral" });
    await fill(user, nameField(), " Team account ");
    await fill(user, secretField(), ` ${secret} `);
    await user.dblClick(button("Add"));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(server.inputsOf("byok.create")).toEqual([
      {
        provider: "mistral",
        name: "Team account",
        key: secret,
        shared: false,
        is_fallback: false,
        sort_order: 0,
        allowed_models: null,
        allowed_api_key_hashes: null,
      },
    ]);
    await waitFor(() => expect(server.inputsOf("byok.check")).toEqual([{ id: saved.id }]));
    await screen.findByText("Team account is saved.");
  });

  test("asks for its provider first, and then for what that one needs", async () => {
    const { user } = open();
    expect(screen.queryByLabelText(/^API key/)).toBeNull();
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Mistral" }));
    expect(secretField().required).toBe(true);
    expect(secretField().type).toBe("password");
    expect(secretField().autocomplete).toBe("off");
  });

  test("of several parts is sent joined; the optional parts may stay empty", async () => {
    const { user, server } = open({ chosen: "bedrock" });
    const fields = () =>
      [...document.querySelectorAll<HTMLInputElement>("input[type=password]")].map(
        ({ required }) => required,
      );
    expect(fields()).toEqual([true, false, false]);
    await fill(user, nameField(), "AWS");
    await fill(user, screen.getByLabelText(/^Access key ID/), "AKIA1");
    await fill(user, screen.getByLabelText(/^Secret access key/), "s3cret");
    await user.click(button("Add"));
    await waitFor(() => expect(server.inputsOf("byok.create")).toHaveLength(1));
    expect(server.inputsOf("byok.create")[0]).toMatchObject({ provider: "bedrock", key: "AKIA1:s3cret" });
  });

  test("of another provider than first chosen loses what was typed for the first", async () => {
    const { user } = open({ chosen: "mistral" });
    await fill(user, secretField(), secret);
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Amazon Bedrock" }));
    expect(screen.getByLabelText<HTMLInputElement>(/^Access key ID/).value).toBe("");
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Mistral" }));
    expect(secretField().value).toBe("");
  });

  test("can be limited to models of its provider and to keys", async () => {
    const { user, server } = open({ chosen: "mistral" });
    await fill(user, nameField(), "Team account");
    await fill(user, secretField(), secret);
    await user.click(screen.getByRole("combobox", { name: "Limit to models" }));
    await screen.findByRole("option", { name: "mistral-small" });
    expect(screen.queryByRole("option", { name: "claude" })).toBeNull();
    await user.click(screen.getByRole("option", { name: "mistral-small" }));
    await user.click(screen.getByRole("combobox", { name: "Limit to keys" }));
    await user.click(await screen.findByRole("option", { name: "Crawler" }));
    await user.selectOptions(screen.getByLabelText("Priority"), "After the shared credential");
    await fill(user, screen.getByLabelText(/^Order/), "7");
    await user.click(button("Add"));
    await waitFor(() => expect(server.inputsOf("byok.create")).toHaveLength(1));
    expect(server.inputsOf("byok.create")[0]).toMatchObject({
      allowed_models: ["mistral-small"],
      allowed_api_key_hashes: [key.hash],
      is_fallback: true,
      sort_order: 7,
    });
  });

  test("that the server refuses shows why, keeps what was typed and stays open", async () => {
    const { user, onDone, server } = open({
      chosen: "mistral",
      byok: {
        create: () => {
          throw new Refusal("BAD_REQUEST", "key: must have 8 characters at least");
        },
      },
    });
    await fill(user, nameField(), "Team account");
    await fill(user, secretField(), "short");
    await user.click(button("Add"));
    expect((await screen.findByRole("alert")).textContent).toContain("must have 8 characters at least");
    expect(secretField().value).toBe("short");
    expect(onDone).not.toHaveBeenCalled();
    expect(server.inputsOf("byok.check")).toEqual([]);
  });

  test("for a provider without an address says who has to set it", () => {
    const [mistral] = providers;
    open({
      chosen: "mistral",
      of: [{ ...(mistral ?? sampleOf(CatalogueProvider)), unusable: "no_base_url" }],
    });
    expect(screen.getByRole("alert").textContent).toContain("The operator must set base_url for Mistral");
  });
});

describe("who it is available to", () => {
  test("is the operator's choice alone", () => {
    open({ chosen: "mistral" });
    expect(screen.queryByRole("radiogroup", { name: "Available to" })).toBeNull();
  });

  test("all organisations have no priority and no limits to models or keys", async () => {
    const { user, server } = open({ saved: { ...saved, allowed_models: ["mistral-small"] }, operator: true });
    expect(screen.getByLabelText("Priority")).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "All organisations" }));
    for (const label of ["Priority", "Limit to models", "Limit to keys"])
      expect(screen.queryByLabelText(label), label).toBeNull();
    await user.click(button("Save"));
    await waitFor(() => expect(server.inputsOf("byok.update")).toHaveLength(1));
    expect(server.inputsOf("byok.update")[0]).toMatchObject({ shared: true, allowed_models: null });
  });
});

describe("a stored credential", () => {
  test("never shows its secret, only where it ends; empty fields keep it", async () => {
    const { user, server, container } = open({ saved });
    expect(secretField().value).toBe("");
    expect(secretField().required).toBe(false);
    expect(container.textContent).toContain("Leave empty to keep the current one (ending in 9x7z)");
    await fill(user, nameField(), "Other name");
    await user.click(button("Save"));
    await waitFor(() =>
      expect(server.inputsOf("byok.update")).toEqual([{ id: saved.id, name: "Other name" }]),
    );
    expect(server.inputsOf("byok.check")).toEqual([]);
  });

  test("gets another secret when one is typed, which is then checked", async () => {
    const { user, server, onDone } = open({ saved });
    await fill(user, secretField(), secret);
    await user.click(button("Save"));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(server.inputsOf("byok.update")).toEqual([{ id: saved.id, key: secret }]);
    await waitFor(() => expect(server.inputsOf("byok.check")).toEqual([{ id: saved.id }]));
  });

  test("stays with its provider", () => {
    open({ saved });
    expect(screen.queryByRole("combobox", { name: "Provider" })).toBeNull();
  });

  test("is removed once its name is typed, and nothing else is sent", async () => {
    const { user, server, onDone } = open({ saved });
    await user.click(button("Remove"));
    const dialog = await screen.findByRole("dialog", { name: "Remove Team account" });
    expect(dialog.textContent).toContain("stays valid at the provider");
    await user.type(within(dialog).getByLabelText(/to confirm/), "Team account{Enter}");
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(server.inputsOf("byok.remove")).toEqual([{ id: saved.id }]);
    expect(server.inputsOf("byok.update")).toEqual([]);
    await screen.findByText("Team account is removed.");
  });

  test("whose removal is refused stays, and the dialog says why", async () => {
    const { user, onDone } = open({
      saved,
      byok: {
        remove: () => {
          throw new Refusal("FORBIDDEN", "Only the operator may remove it");
        },
      },
    });
    await user.click(button("Remove"));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText(/to confirm/), "Team account{Enter}");
    expect((await within(dialog).findByRole("alert")).textContent).toContain("Only the operator");
    expect(onDone).not.toHaveBeenCalled();
  });
});

describe("a check", () => {
  test("needs a secret, and does not save it", async () => {
    const { user, server, onDone } = open({ chosen: "mistral" });
    expect(button("Check").disabled).toBe(true);
    await fill(user, secretField(), secret);
    await user.dblClick(button("Check"));
    expect((await screen.findByRole("status")).textContent).toBe(
      "AcceptedThe provider accepts the key. (HTTP 200)",
    );
    expect(server.inputsOf("byok.checkUnsaved")).toEqual([{ provider: "mistral", key: secret }]);
    expect(server.inputsOf("byok.create")).toEqual([]);
    expect(onDone).not.toHaveBeenCalled();
  });

  test("of a stored credential is one of what is stored, unless another secret is typed", async () => {
    const { user, server } = open({ saved });
    await user.click(button("Check"));
    await screen.findByRole("status");
    expect(server.inputsOf("byok.check")).toEqual([{ id: saved.id }]);
    await fill(user, secretField(), secret);
    await user.click(button("Check"));
    await waitFor(() => expect(server.inputsOf("byok.checkUnsaved")).toHaveLength(1));
    expect(server.inputsOf("byok.check")).toHaveLength(1);
  });

  test.each([
    [{ success: false, status: 401, message: "The key is invalid." }, "Rejected", "(HTTP 401)"],
    [{ success: false, status: 403, message: "No access." }, "Rejected", "(HTTP 403)"],
    [{ success: false, status: 500, message: "The provider failed." }, "Unknown", "(HTTP 500)"],
    [{ success: false, status: null, message: "No answer." }, "Unknown", "No answer."],
  ])("that found %j is shown as %s", async (data, label, end) => {
    const { user } = open({ saved, byok: { check: () => ({ data }) } });
    await user.click(button("Check"));
    const text = (await screen.findByRole("status")).textContent ?? "";
    expect(text.startsWith(label + data.message)).toBe(true);
    expect(text.endsWith(end)).toBe(true);
  });

  test("of a secret that was changed since is no longer shown", async () => {
    const { user } = open({ chosen: "mistral" });
    await fill(user, secretField(), secret);
    await user.click(button("Check"));
    await screen.findByRole("status");
    await fill(user, nameField(), "Team account");
    expect(screen.queryByRole("status")).not.toBeNull();
    await fill(user, secretField(), `${secret}0`);
    expect(screen.queryByRole("status")).toBeNull();
  });

  test("that never ends does not keep anybody from saving", async () => {
    const { user, onDone } = open({ saved, byok: { check: never } });
    await user.click(button("Check"));
    await fill(user, secretField(), secret);
    await user.click(button("Save"));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  });
});

test("the form is not sent as a page by a browser without its script", () => {
  open({ saved });
  const form = screen.getByRole("form", { name: "Credential" });
  expect(form.getAttribute("method")).toBe("post");
  expect(fireEvent.submit(form)).toBe(false);
});
