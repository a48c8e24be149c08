import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { CatalogueProvider } from "#contract/catalogue-view.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import {
  button,
  key,
  nameField,
  openCredentialForm,
  providers,
  saved,
  secret,
  secretField,
} from "#test/console/credential-form.tsx";
import { fill } from "#test/console/render.tsx";
import { Refusal } from "#test/console/server.ts";

describe("a new credential", () => {
  test("is sent as it was typed, for every model and key; then the provider is asked once", async () => {
    const { user, server, onDone } = openCredentialForm({ chosen: "mistral" });
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
    const { user } = openCredentialForm();
    expect(screen.queryByLabelText(/^API key/)).toBeNull();
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Mistral" }));
    expect(secretField().required).toBe(true);
    expect(secretField().type).toBe("password");
    expect(secretField().autocomplete).toBe("off");
  });

  test("of several parts is sent joined; the optional parts may stay empty", async () => {
    const { user, server } = openCredentialForm({ chosen: "bedrock" });
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
    const { user } = openCredentialForm({ chosen: "mistral" });
    await fill(user, secretField(), secret);
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Amazon Bedrock" }));
    expect(screen.getByLabelText<HTMLInputElement>(/^Access key ID/).value).toBe("");
    await user.click(screen.getByRole("combobox", { name: "Provider" }));
    await user.click(await screen.findByRole("option", { name: "Mistral" }));
    expect(secretField().value).toBe("");
  });

  test("can be limited to models of its provider and to keys", async () => {
    const { user, server } = openCredentialForm({ chosen: "mistral" });
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
    const { user, onDone, server } = openCredentialForm({
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

  test("for a provider without an address names who has to set it", () => {
    const [mistral] = providers;
    openCredentialForm({
      chosen: "mistral",
      of: [{ ...(mistral ?? sampleOf(CatalogueProvider)), unusable: "no_base_url" }],
    });
    expect(screen.getByRole("alert").textContent).toContain("The operator must set base_url for Mistral");
  });
});

describe("who it is available to", () => {
  test("is the operator's choice alone", () => {
    openCredentialForm({ chosen: "mistral" });
    expect(screen.queryByRole("radiogroup", { name: "Available to" })).toBeNull();
  });

  test("all organisations have no priority and no limits to models or keys", async () => {
    const { user, server } = openCredentialForm({
      saved: { ...saved, allowed_models: ["mistral-small"] },
      operator: true,
    });
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
    const { user, server, container } = openCredentialForm({ saved });
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
    const { user, server, onDone } = openCredentialForm({ saved });
    await fill(user, secretField(), secret);
    await user.click(button("Save"));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(server.inputsOf("byok.update")).toEqual([{ id: saved.id, key: secret }]);
    await waitFor(() => expect(server.inputsOf("byok.check")).toEqual([{ id: saved.id }]));
  });

  test("stays with its provider", () => {
    openCredentialForm({ saved });
    expect(screen.queryByRole("combobox", { name: "Provider" })).toBeNull();
  });

  test("is removed once its name is typed, and nothing else is sent", async () => {
    const { user, server, onDone } = openCredentialForm({ saved });
    await user.click(button("Remove"));
    const dialog = await screen.findByRole("dialog", { name: "Remove Team account" });
    expect(dialog.textContent).toContain("stays valid at the provider");
    await user.type(within(dialog).getByLabelText(/to confirm/), "Team account{Enter}");
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
    expect(server.inputsOf("byok.remove")).toEqual([{ id: saved.id }]);
    expect(server.inputsOf("byok.update")).toEqual([]);
    await screen.findByText("Team account is removed.");
  });

  test("whose removal is refused stays, and the dialog shows the reason", async () => {
    const { user, onDone } = openCredentialForm({
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

test("the form is not sent as a page by a browser without its script", () => {
  openCredentialForm({ saved });
  const form = screen.getByRole("form", { name: "Credential" });
  expect(form.getAttribute("method")).toBe("post");
  expect(fireEvent.submit(form)).toBe(false);
});
