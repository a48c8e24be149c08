import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import {
  button,
  nameField,
  openCredentialForm,
  saved,
  secret,
  secretField,
} from "#test/console/credential-form.tsx";
import { fill } from "#test/console/render.tsx";
import { never } from "#test/console/server.ts";

describe("a check", () => {
  test("needs a secret, and does not save it", async () => {
    const { user, server, onDone } = openCredentialForm({ chosen: "mistral" });
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
    const { user, server } = openCredentialForm({ saved });
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
    const { user } = openCredentialForm({ saved, byok: { check: () => ({ data }) } });
    await user.click(button("Check"));
    const text = (await screen.findByRole("status")).textContent ?? "";
    expect(text.startsWith(label + data.message)).toBe(true);
    expect(text.endsWith(end)).toBe(true);
  });

  test("of a secret that was changed since is no longer shown", async () => {
    const { user } = openCredentialForm({ chosen: "mistral" });
    await fill(user, secretField(), secret);
    await user.click(button("Check"));
    await screen.findByRole("status");
    await fill(user, nameField(), "Team account");
    expect(screen.queryByRole("status")).not.toBeNull();
    await fill(user, secretField(), `${secret}0`);
    expect(screen.queryByRole("status")).toBeNull();
  });

  test("that never ends does not keep anybody from saving", async () => {
    const { user, onDone } = openCredentialForm({ saved, byok: { check: never } });
    await user.click(button("Check"));
    await fill(user, secretField(), secret);
    await user.click(button("Save"));
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  });
});
