import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import { CreditGrant, Identity } from "#contract/identity.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, Refusal, requestId } from "#test/console/server.ts";
import { CreditsPanel } from "./credits-panel.tsx";

type IdentityAnswers = NonNullable<Answers["identity"]>;
const me =
  (credits: Identity["credits"]): NonNullable<IdentityAnswers["me"]> =>
  () => ({ ...sampleOf(Identity), credits });
const some = me({ balance: "-0.000001", total_credits: "1000.000000", total_usage: "1000.000001" });

const show = (identity: IdentityAnswers = {}, operator = true) =>
  renderConsole(<CreditsPanel />, {
    session: { operator },
    answers: { identity: { me: some, ...identity } },
  });

describe("the credit", () => {
  test("is rounded, below zero too, and has all digits in the title", async () => {
    show();
    const panel = await screen.findByRole("region", { name: "Credit" });
    await within(panel).findByText("Available");
    const facts = [...panel.querySelectorAll("dt")].map((term) => [
      term.textContent,
      term.nextElementSibling?.textContent,
    ]);
    expect(facts).toEqual([
      ["Available", "−€0.000001"],
      ["Granted", "€1,000.00"],
      ["Used", "€1,000.00"],
    ]);
    expect(within(panel).getByTitle("€1,000.000001").textContent).toBe("€1,000.00");
  });

  test("of a key that belongs to a workspace is not shown", async () => {
    const { server } = show({ me: me(null) });
    await waitFor(() => expect(server.inputsOf("identity.me")).toHaveLength(1));
    await screen.findByRole("button", { name: "Grant credit" });
    expect(screen.queryByText("Available")).toBeNull();
  });

  test("that cannot be loaded shows why, and can be asked again", async () => {
    let failing = true;
    const { user } = show({
      me: (input) => {
        if (failing) throw new Refusal("SERVICE_UNAVAILABLE", "Try again later");
        return some(input);
      },
    });
    const { textContent } = await screen.findByRole("alert");
    expect(textContent).toContain("Try again later");
    expect(textContent).toContain(requestId);
    failing = false;
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await screen.findAllByText("€1,000.00");
  });
});

describe("granting credit", () => {
  const open = async (answers: IdentityAnswers) => {
    const shown = show(answers);
    await shown.user.click(await screen.findByRole("button", { name: "Grant credit" }));
    const dialog = within(await screen.findByRole("dialog", { name: "Grant credit" }));
    const enter = async (amount: string, reason: string) => {
      await fill(shown.user, dialog.getByLabelText("Amount in euros"), amount);
      await fill(shown.user, dialog.getByLabelText("Reason"), reason);
    };
    return { ...shown, dialog, enter };
  };

  test("is for operators of the installation only", async () => {
    show({}, false);
    await screen.findByText("Available");
    expect(screen.queryByRole("button", { name: "Grant credit" })).toBeNull();
  });

  test("sends amount and reason once, then shows the new balance", async () => {
    const { user, server, dialog, enter } = await open({
      grantCredits: () => ({
        data: { ...sampleOf(CreditGrant), amount: "25.500000", balance: "1025.500000" },
      }),
    });
    await enter("25.5", " Invoice 7 ");
    await user.dblClick(dialog.getByRole("button", { name: "Grant" }));
    await screen.findByText("€25.50 granted. €1,025.50 available.");
    expect(server.inputsOf("identity.grantCredits")).toEqual([{ amount: 25.5, reason: "Invoice 7" }]);
    await waitFor(() => expect(server.inputsOf("identity.me")).toHaveLength(2));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });

  test("that was refused keeps what was entered, and shows why", async () => {
    const { user, dialog, enter } = await open({
      grantCredits: () => {
        throw new Refusal("FORBIDDEN", "Not an operator");
      },
    });
    await enter("25", "Invoice 7");
    await user.click(dialog.getByRole("button", { name: "Grant" }));
    expect((await dialog.findByRole("alert")).textContent).toContain("Not an operator");
    expect(dialog.getByLabelText<HTMLInputElement>("Amount in euros").value).toBe("25");
  });

  test("takes euros with six decimals at most", async () => {
    const { dialog, enter } = await open({});
    const amount = dialog.getByLabelText<HTMLInputElement>("Amount in euros");
    for (const [text, valid] of [
      ["0.000001", true],
      ["0.0000001", false],
      ["1,5", false],
      ["-5", false],
    ] as const) {
      await enter(text, "Invoice 7");
      expect(amount.checkValidity(), text).toBe(valid);
    }
  });
});
