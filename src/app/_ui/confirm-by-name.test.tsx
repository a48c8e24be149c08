import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { never } from "#test/console/server.ts";
import { ConfirmByName } from "./confirm-by-name.tsx";

function ask(name = "Nordwind", more: Partial<Parameters<typeof ConfirmByName>[0]> = {}) {
  const onConfirm = vi.fn<() => Promise<unknown>>(async () => undefined);
  const [onDone, onClose, onOuter] = [vi.fn(), vi.fn(), vi.fn()];
  const complaints = vi.spyOn(console, "error");
  const made = renderConsole(
    <form onSubmit={onOuter}>
      <ConfirmByName
        verb="Delete"
        name={name}
        text="This cannot be undone."
        onConfirm={onConfirm}
        onDone={onDone}
        onClose={onClose}
        {...more}
      />
    </form>,
  );
  return { ...made, onConfirm, onDone, onClose, onOuter, complaints };
}
const button = () => screen.getByRole<HTMLButtonElement>("button", { name: "Delete" });
const field = () => screen.getByLabelText<HTMLInputElement>(/to confirm/);

describe("what cannot be undone", () => {
  test.each(["", "nordwind", "Nordwin", "Nordwind 2", "Delete"])("is not done for %j", async (typed) => {
    const { user, onConfirm } = ask();
    if (typed) await user.type(field(), typed);
    expect(button().disabled).toBe(true);
    await user.click(button());
    expect(onConfirm).not.toHaveBeenCalled();
  });

  test("is done once its name is typed, once, and is a valid part of a form, which it does not send", async () => {
    const { user, onConfirm, onOuter, complaints } = ask();
    await user.type(field(), " Nordwind ");
    await user.click(button());
    expect(onConfirm).toHaveBeenCalledOnce();
    expect(onOuter).not.toHaveBeenCalled();
    expect(complaints).not.toHaveBeenCalled();
  });

  test("can be confirmed by Enter, but not before the name is right", async () => {
    const { user, onConfirm } = ask();
    await user.type(field(), "Nord{Enter}");
    expect(onConfirm).not.toHaveBeenCalled();
    await user.type(field(), "wind{Enter}");
    expect(onConfirm).toHaveBeenCalledOnce();
  });

  test("is not done twice while it is in progress", async () => {
    const { user, onConfirm, onDone } = ask();
    onConfirm.mockImplementation(never);
    await user.type(field(), "Nordwind");
    await user.click(button());
    await user.click(button());
    await user.type(field(), "{Enter}");
    expect(onConfirm).toHaveBeenCalledOnce();
    expect(onDone).not.toHaveBeenCalled();
  });

  test("reports once when it is done", async () => {
    const { user, onDone } = ask();
    await user.type(field(), "Nordwind{Enter}");
    await waitFor(() => expect(onDone).toHaveBeenCalledOnce());
  });

  test("is not done while another field is incomplete", async () => {
    const { user, onConfirm } = ask("Nordwind", { complete: false });
    await user.type(field(), "Nordwind{Enter}");
    expect(button().disabled).toBe(true);
    expect(onConfirm).not.toHaveBeenCalled();
  });

  test("shows why it failed, and can be left", async () => {
    const { user, onConfirm, onDone, onClose } = ask();
    onConfirm.mockRejectedValue(new Error("x"));
    await user.type(field(), "Nordwind{Enter}");
    expect((await screen.findByRole("alert")).textContent).not.toBe("");
    expect(onDone).not.toHaveBeenCalled();
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(onClose).toHaveBeenCalledOnce();
  });
});
