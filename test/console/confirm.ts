import { screen, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";

/** Types the name into the dialog with this title and confirms by Enter; the dialog. */
export async function confirmByName(user: UserEvent, title: string, name: string): Promise<HTMLElement> {
  const dialog = await screen.findByRole("dialog", { name: title });
  await user.type(within(dialog).getByLabelText(`Type ${name} to confirm`), `${name}{Enter}`);
  return dialog;
}
