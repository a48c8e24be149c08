import type { Locator, Page } from "@playwright/test";
import { expect, look, test } from "../support/console.ts";

/** A form, how it is opened, and which field is wrong when it is sent as it is. */
interface EmptyForm {
  readonly path: string;
  readonly open?: (page: Page) => Promise<void>;
  readonly send: string;
  readonly field: string;
}

const press = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name, exact: true }).first().click();
};

const forms: Record<string, EmptyForm> = {
  invitation: {
    path: "/settings/members",
    open: press("Invite"),
    send: "Send invitation",
    field: "E-mail",
  },
  workspace: {
    path: "/settings/workspaces",
    open: press("Create workspace"),
    send: "Create",
    field: "Name",
  },
  "service account": {
    path: "/settings/service-accounts",
    open: press("Create service account"),
    send: "Create",
    field: "Name",
  },
  key: { path: "/keys", open: press("Create key"), send: "Create", field: "Name" },
  rule: { path: "/routing-rules?edit=new", send: "Create", field: "Name" },
  budget: { path: "/budgets?edit=new", send: "Create", field: "Name" },
};

/** The texts that a field refers to for screen readers. */
const described = (field: Locator) =>
  field.evaluate((element) =>
    (element.getAttribute("aria-describedby") ?? "")
      .split(" ")
      .map((id) => document.getElementById(id)?.textContent ?? "")
      .join(" "),
  );

/** Whether the part of the page that shows messages is loaded. */
const hasMessages = (page: Page) =>
  page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement("input"));
    const isPrevented = !probe.dispatchEvent(new Event("invalid", { cancelable: true }));
    probe.remove();
    return isPrevented;
  });

for (const [name, { path, open, send, field }] of Object.entries(forms)) {
  test(`an empty ${name} is refused next to the field, without a bubble of the browser`, async ({
    consolePage: page,
  }) => {
    await page.goto(path);
    await open?.(page);
    const dialog = page.getByRole("dialog");
    const typed = dialog.getByRole("textbox", { name: field, exact: true });
    await typed.waitFor();
    await expect.poll(() => hasMessages(page)).toBe(true);
    await page.evaluate(() => {
      // After the listener of the page.
      const note = (event: Event) => {
        if (!event.defaultPrevented) document.documentElement.dataset.bubbles = "true";
      };
      document.addEventListener("invalid", note, true);
    });
    await dialog.getByRole("button", { name: send, exact: true }).click();
    await expect(typed).toHaveAttribute("aria-invalid", "true");
    await expect(typed).toBeFocused();
    expect(await described(typed)).not.toBe("");
    await expect(page.locator("html")).not.toHaveAttribute("data-bubbles");
  });
}

test("a wrong value is explained until it is right, in every look", async ({ consolePage: page }) => {
  await page.goto("/settings/members");
  await press("Invite")(page);
  const email = page.getByRole("textbox", { name: "E-mail" });
  await email.fill("ada");
  await page.getByRole("button", { name: "Send invitation" }).click();
  await expect(page.getByText("Enter an e-mail address such as ada@example.eu.")).toBeVisible();
  await look(page, "invalid field");
  await email.fill("ada@example.eu");
  await expect(email).not.toHaveAttribute("aria-invalid", "true");
});
