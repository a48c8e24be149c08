import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { Explanation } from "#contract/explanation.ts";
import { sampleOf } from "#test/console/arbitrary.ts";
import {
  button,
  chatAnswer,
  pane,
  ready,
  resetPlayground,
  running,
  served,
} from "#test/console/playground.tsx";
import { Refusal } from "#test/console/server.ts";

resetPlayground();

test("an answer belongs to a question with its images, which the next question repeats", async () => {
  const { user, nextCall, container } = await ready();
  const field = container.querySelector<HTMLInputElement>('input[type="file"]');
  if (!field) throw new Error("There is no field for images");
  await user.upload(field, new File(["x"], "port.png", { type: "image/png" }));
  expect(await screen.findByRole("img", { name: "Image 1" })).toBeDefined();
  await user.click(button("Run"));
  const call = await nextCall();
  const url = "data:image/png;base64,eA==";
  const question = {
    role: "user",
    content: [
      { type: "text", text: "Hi" },
      { type: "image_url", image_url: { url } },
    ],
  };
  expect(call.body).toMatchObject({ messages: [question] });
  call.json(chatAnswer("A harbour"), { headers: served });
  await screen.findByText("A harbour");
  expect(within(pane()).getByRole("img", { name: "Image 1 of the message" }).getAttribute("src")).toBe(url);
  // Its field is empty again, or the same image could not be added a second time.
  expect(field.value).toBe("");
  await user.click(button("Remove image 1"));
  await user.click(button("Run"));
  expect((await nextCall(1)).body).toMatchObject({
    messages: [question, { role: "assistant", content: "A harbour" }, { role: "user", content: "Hi" }],
  });
});

test.each([
  ["as soon as the request is recorded", "NOT_FOUND"],
  ["after one failure of the server", "SERVICE_UNAVAILABLE"],
] as const)("an answer explains why it came from its provider, %s", async (_when, code) => {
  let asked = 0;
  const explanation = () => {
    if (asked++ === 0) throw new Refusal(code, "Not yet");
    return { data: { ...sampleOf(Explanation), summary: "alpha served it from France." } };
  };
  const { call, user } = await running({ answers: { generations: { explanation } } });
  call.json(chatAnswer("Ahoy"), { headers: served });
  await user.click(await screen.findByRole("button", { name: "Why this provider" }));
  const dialog = within(await screen.findByRole("dialog"));
  expect(await dialog.findByText("alpha served it from France.")).toBeDefined();
  expect(dialog.getByRole("link", { name: /in the logs/ }).getAttribute("href")).toBe(
    "/logs?open=gen-1&tab=routing",
  );
  await user.click(dialog.getByRole("button", { name: "Close" }));
  expect(screen.getByText("Ahoy")).toBeDefined();
});
