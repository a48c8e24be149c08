import { screen, waitFor } from "@testing-library/react";
import { describe, expect, test } from "vitest";
import type { AuthorizationQuery, ConsentView } from "#contract/authorization.ts";
import { recordPageLoads } from "#test/console/location.ts";
import { fill, renderConsole } from "#test/console/render.tsx";
import { type Answers, never, Refusal } from "#test/console/server.ts";
import { ConsentForm } from "./consent-form.tsx";

const [nordwind, suedwind] = [
  { id: "018f0000-0000-7000-8000-00000000000a", name: "Nordwind" },
  { id: "018f0000-0000-7000-8000-00000000000b", name: "Südwind" },
];
const workspace = { id: "018f0000-0000-7000-8000-0000000000bb", name: "Research" };
const account: ConsentView = {
  email: "anna@nordwind.example",
  organisation: nordwind.name,
  organisation_id: nordwind.id,
  organisations: [nordwind],
  balance: "1234.567000000000",
  may_issue: true,
  workspaces: [],
};
const challenge = "c".repeat(43);
const query: AuthorizationQuery = {
  callback_url: "https://app.example/back?from=portolan",
  code_challenge: challenge,
  code_challenge_method: "S256",
  state: "a&b=c",
  client_id: "Notes",
  key_label: "Notes of Anna",
};
const issued = { code: "c0de/1", created_at: "2026-01-01T00:00:00.000Z" };

interface Changes {
  readonly request?: Partial<AuthorizationQuery>;
  readonly account?: Partial<ConsentView>;
  readonly answers?: Answers;
}

function ask(changes: Changes = {}) {
  const loads = recordPageLoads();
  const view = renderConsole(
    <ConsentForm request={{ ...query, ...changes.request }} account={{ ...account, ...changes.account }} />,
    { answers: { authorization: { authorize: () => issued }, ...changes.answers } },
  );
  return { ...view, loads, sent: () => view.server.inputsOf("authorization.authorize") };
}
const button = (name: string) => screen.getByRole<HTMLButtonElement>("button", { name });
const refuse = () => {
  throw new Refusal("FORBIDDEN", "This callback is not allowed");
};

describe("the page shows", () => {
  test("the app's host, where the key goes, who pays and how much credit there is", () => {
    const { container } = ask();
    expect(screen.getByRole("heading").textContent).toBe("Allow app.example to use your account?");
    expect(container.textContent).toContain("A key for Nordwind goes to https://app.example/back.");
    expect(container.textContent).toContain("signed in as anna@nordwind.example");
    expect(container.textContent).toContain("€1,234.567 of credit");
  });

  test("that the name of the app is not verified, and no name when it gives none", () => {
    const { container, unmount } = ask();
    expect(container.textContent).toContain("The app calls itself “Notes”. This name is not verified.");
    unmount();
    expect(ask({ request: { client_id: undefined } }).container.textContent).not.toContain("calls itself");
  });

  test("a look-alike host in punycode", () => {
    ask({ request: { callback_url: "https://аpple.example/back" } });
    expect(screen.getByRole("heading").textContent).toContain("xn--pple-43d.example");
  });

  test("what the key can and cannot do", () => {
    ask();
    expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "It can send inference requests, paid from this credit.",
      "It cannot see or change keys, rules or what others have sent.",
    ]);
  });

  test.each([
    ["plain", true],
    ["S256", false],
  ] as const)("for the method %s whether the request is insecure: %s", (method, warns) => {
    ask({ request: { code_challenge_method: method } });
    expect(screen.queryByText("Insecure request") !== null).toBe(warns);
  });

  test("who may not create keys that the role is the reason, and cannot allow it", async () => {
    const { user, sent } = ask({ account: { may_issue: false } });
    expect(screen.getByRole("alert").textContent).toContain("Your role cannot create API keys");
    await user.click(button("Allow"));
    expect(sent()).toEqual([]);
    expect(button("Deny").disabled).toBe(false);
  });
});

describe("allowing", () => {
  test("without a change grants €10 for 90 days, and returns the code and the state to the app", async () => {
    const { user, loads, sent } = ask();
    await user.click(button("Allow"));
    await waitFor(() => expect(loads).toEqual([`${query.callback_url}&code=c0de%2F1&state=a%26b%3Dc`]));
    expect(sent()).toEqual([
      {
        callback_url: query.callback_url,
        code_challenge: challenge,
        code_challenge_method: "S256",
        key_label: "Notes of Anna",
        client_id: "Notes",
        limit: 10,
        limit_reset: null,
        expires_at: expect.any(String),
        workspace_id: null,
      },
    ]);
    const [{ expires_at }] = sent() as [{ expires_at: string }];
    expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(90);
  });

  test("grants the limit, its reset, the end and the workspace that were chosen", async () => {
    const { user, sent } = ask({ account: { workspaces: [workspace] } });
    await fill(user, screen.getByLabelText(/^Spending limit/), "2.50");
    await user.selectOptions(screen.getByLabelText(/^Limit resets/), "monthly");
    await user.selectOptions(screen.getByLabelText("Expires"), "");
    await user.selectOptions(screen.getByLabelText("Workspace"), workspace.id);
    await user.click(button("Allow"));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]).toMatchObject({
      limit: 2.5,
      limit_reset: "monthly",
      expires_at: null,
      workspace_id: workspace.id,
    });
  });

  test("with an empty limit grants no limit, and no reset of it", async () => {
    const { user, sent } = ask();
    await user.selectOptions(screen.getByLabelText(/^Limit resets/), "daily");
    await fill(user, screen.getByLabelText(/^Spending limit/), "");
    await user.click(button("Allow"));
    await waitFor(() => expect(sent()).toHaveLength(1));
    expect(sent()[0]).toMatchObject({ limit: null, limit_reset: null });
  });

  test("happens once, and afterwards nothing can be denied", async () => {
    const { user, loads, sent } = ask();
    await user.dblClick(button("Allow"));
    await waitFor(() => expect(loads).toHaveLength(1));
    await user.click(button("Deny"));
    await user.click(screen.getByRole("button", { name: "Allow" }));
    expect(sent()).toHaveLength(1);
    expect(loads).toHaveLength(1);
  });

  test("that the server refuses shows the reason and leads nowhere", async () => {
    const { user, loads } = ask({ answers: { authorization: { authorize: refuse } } });
    await user.click(button("Allow"));
    expect((await screen.findByRole("alert")).textContent).toContain("This callback is not allowed");
    expect(loads).toEqual([]);
    expect(button("Deny").disabled).toBe(false);
  });
});

test("denying tells the app so with its state, and asks the server for nothing", async () => {
  const { user, loads, sent } = ask();
  await user.click(button("Deny"));
  expect(loads).toEqual([`${query.callback_url}&error=access_denied&state=a%26b%3Dc`]);
  expect(sent()).toEqual([]);
});

describe("another organisation", () => {
  const both = { organisations: [nordwind, suedwind] };
  const field = () => screen.getByLabelText<HTMLSelectElement>("Organisation");

  test("is not offered to a member of only one, and no workspace where there is none", () => {
    ask();
    expect(screen.queryByLabelText("Organisation")).toBeNull();
    expect(screen.queryByLabelText("Workspace")).toBeNull();
  });

  test("is switched to on the server; then the page is loaded again", async () => {
    const { user, server, loads } = ask({
      account: both,
      answers: { session: { switchOrganisation: ({ org_id }) => ({ org_id }) } },
    });
    await user.selectOptions(field(), "Südwind");
    await waitFor(() => expect(loads).toEqual(["(reload)"]));
    expect(server.inputsOf("session.switchOrganisation")).toEqual([{ org_id: suedwind.id }]);
    expect(field().disabled).toBe(true);
  });

  test("cannot be chosen twice while the switch is in progress", async () => {
    const { user, loads } = ask({
      account: both,
      answers: { session: { switchOrganisation: never } },
    });
    await user.selectOptions(field(), "Südwind");
    await waitFor(() => expect(field().disabled).toBe(true));
    expect(loads).toEqual([]);
  });

  test("that cannot be switched to is reported at the field", async () => {
    const { user, loads } = ask({ account: both, answers: { session: { switchOrganisation: refuse } } });
    await user.selectOptions(field(), "Südwind");
    await screen.findByText("This callback is not allowed");
    expect(field().getAttribute("aria-invalid")).toBe("true");
    expect(field().value).toBe(nordwind.id);
    expect(loads).toEqual([]);
  });
});
