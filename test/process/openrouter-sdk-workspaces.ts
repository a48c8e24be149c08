import type { OpenRouter } from "@openrouter/sdk";
import { expect } from "vitest";
import { pagesOf, type SdkCall } from "./openrouter-sdk-keys.ts";
import type { TestServer } from "./server.ts";

const model = "sandbox/chat";
const messages = [{ role: "user" as const, content: "Which port?" }];

const newWorkspace = (sdk: OpenRouter, slug: string) =>
  sdk.workspaces.create({ createWorkspaceRequest: { name: slug, slug } });
async function newBudget(sdk: OpenRouter, slug: string, limitUsd: number) {
  const workspaceRef = (await newWorkspace(sdk, slug)).data.id;
  return sdk.workspaces.setBudget({
    workspaceRef,
    interval: "monthly",
    upsertWorkspaceBudgetRequest: { limitUsd },
  });
}

/** Calls about workspaces, people and usage. The SDK throws for what its schemas do not know. */
export async function workspaceCalls(server: TestServer, sdk: OpenRouter): Promise<readonly SdkCall[]> {
  // Without a slug, as the console makes it.
  const made = await server.send("POST", "/workspaces", { body: JSON.stringify({ name: "SDK" }) });
  const workspaceId = ((await made.json()) as { data: { id: string } }).data.id;
  const named = (name: string) => expect.objectContaining({ name });
  return [
    ["workspaces.list", () => pagesOf(sdk.workspaces.list()), expect.arrayContaining([named("SDK")])],
    [
      "workspaces.create",
      () => newWorkspace(sdk, "made"),
      { data: { slug: "made", defaultGuardrailId: "", includeByokInBudgets: false } },
    ],
    ["workspaces.get", () => sdk.workspaces.get({ id: workspaceId }), { data: { slug: workspaceId } }],
    [
      "workspaces.get",
      async () => sdk.workspaces.get({ id: (await newWorkspace(sdk, "by-slug")).data.slug }),
      { data: { name: "by-slug" } },
    ],
    [
      "workspaces.update",
      async () => {
        const { id } = (await newWorkspace(sdk, "old")).data;
        return sdk.workspaces.update({ id, updateWorkspaceRequest: { name: "new", slug: "new" } });
      },
      { data: { name: "new", slug: "new" } },
    ],
    [
      "workspaces.delete",
      async () => sdk.workspaces.delete({ id: (await newWorkspace(sdk, "gone")).data.id }),
      { deleted: true },
    ],
    [
      "workspaces.listMembers",
      () => pagesOf(sdk.workspaces.listMembers({ id: workspaceId })),
      expect.arrayContaining([expect.objectContaining({ workspaceId, role: "admin" })]),
    ],
    [
      "organization.listMembers",
      () => pagesOf(sdk.organization.listMembers()),
      [{ role: "org:admin", lastName: null }],
    ],
    [
      "analytics.getUserActivity",
      async () => {
        await sdk.chat.send({ chatRequest: { model, messages } });
        await server.services.billing.drain();
        return sdk.analytics.getUserActivity({ groupBy: "workspace" });
      },
      { data: expect.arrayContaining([expect.objectContaining({ model, workspaceId: "" })]) },
    ],
  ];
}

/** Calls about the budgets of workspaces. */
export const budgetCalls = (sdk: OpenRouter): readonly SdkCall[] => [
  [
    "workspaces.setBudget",
    () => newBudget(sdk, "with-budget", 123.4567),
    { data: { limitUsd: 123.4567, resetInterval: "monthly" }, includeByokInBudgets: false },
  ],
  [
    "workspaces.getBudget",
    async () => {
      const { workspaceId: workspaceRef } = (await newBudget(sdk, "read-budget", 10)).data;
      return sdk.workspaces.getBudget({ workspaceRef, interval: "monthly" });
    },
    { data: { limitUsd: 10 } },
  ],
  [
    "workspaces.listBudgets",
    async () => {
      const { workspaceId: workspaceRef } = (await newBudget(sdk, "list-budget", 0.25)).data;
      return sdk.workspaces.listBudgets({ workspaceRef });
    },
    { data: [{ limitUsd: 0.25 }] },
  ],
  [
    "workspaces.deleteBudget",
    async () => {
      const { workspaceId: workspaceRef } = (await newBudget(sdk, "end-budget", 10)).data;
      return sdk.workspaces.deleteBudget({ workspaceRef, interval: "monthly" });
    },
    { deleted: true },
  ],
];
