import { within } from "@testing-library/react";
import { describe, expect, test, vi } from "vitest";
import { operation, showReference, withReference } from "#test/console/reference.tsx";
import { fill } from "#test/console/render.tsx";

withReference();

describe("trying an operation", () => {
  const tried = async (name: string) => {
    const shown = showReference();
    const { article } = await operation(name);
    await shown.user.click(within(article).getByRole("button", { name: "Try it" }));
    return { ...shown, form: within(await within(article).findByRole("form", { name: `Try ${name}` })) };
  };

  test("sends the example with the key, and shows what came back", async () => {
    const { user, form } = await tried("Create an API key");
    await fill(user, form.getByLabelText("API key"), "ptl_1");
    const asked: [string, RequestInit][] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      asked.push([url, init]);
      return new Response('{"data":1}', { status: 201, headers: { "content-type": "application/json" } });
    });
    await user.click(form.getByRole("button", { name: "Send request" }));
    expect(await form.findByText("HTTP 201")).toBeDefined();
    expect(form.getByRole("region", { name: "answer of Create an API key" }).textContent).toContain(
      '"data": 1',
    );
    const [[url, init] = ["", {}]] = asked;
    expect(url).toBe("http://console.test/api/v1/keys");
    expect(init.headers).toMatchObject({ authorization: "Bearer ptl_1" });
    expect(JSON.parse(String(init.body))).toEqual({ name: "It's mine" });
  });

  test("keeps the key for the other operations, and asks for none where none is needed", async () => {
    const { user, form } = await tried("List API keys");
    expect(form.getByLabelText<HTMLInputElement>("API key").value).toBe("ptl_1");
    await user.clear(form.getByLabelText("API key"));
    const { article } = await operation("List models");
    await user.click(within(article).getByRole("button", { name: "Try it" }));
    expect(within(article).queryByLabelText("API key")).toBeNull();
  });

  test("says what is missing next to the field, and sends nothing", async () => {
    const { user, form, paths } = await tried("List API keys");
    const sentBefore = paths.length;
    await user.clear(form.getByLabelText(/^state/));
    await user.click(form.getByRole("button", { name: "Send request" }));
    expect(form.getByText("Required.")).toBeDefined();
    expect(paths).toHaveLength(sentBefore);
  });

  test("says that the server could not be reached", async () => {
    const { user, form } = await tried("Create an API key");
    vi.stubGlobal("fetch", () => Promise.reject(new TypeError("network error")));
    await user.click(form.getByRole("button", { name: "Send request" }));
    expect(await form.findByText("The server could not be reached.")).toBeDefined();
  });
});
