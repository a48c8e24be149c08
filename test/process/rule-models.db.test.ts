import { expect, test } from "vitest";
import { newOrganisation } from "./people.ts";
import { answer, Rule, refusal, ruleClient } from "./rule-client.ts";
import { startTestServer } from "./server.ts";

const server = await startTestServer();
const { services } = server;
const ours = await newOrganisation(server);
const { call, create } = ruleClient(server, ours.key);

test("models are known in any case and kept as the catalogue writes them; others are refused with a hint", async () => {
  const rule = await create({ name: "Shouted", model: "Sandbox/CHAT", models: ["SANDBOX/Rerank:Floor"] });
  expect(rule).toMatchObject({ model: "sandbox/chat", models: ["sandbox/rerank:floor"] });
  const asked = { name: "Shouted", model: "chat" };
  const reported = await call("POST", "", asked);
  expect([reported.status, await reported.json()]).toMatchObject([
    400,
    { error: { param: "model", message: expect.stringContaining("did you mean `sandbox/chat`?") } },
  ]);
  const change = await call("PATCH", `/${rule.id}`, { models: ["sandbox/Chat", "nobody/nothing"] });
  await refusal(change, 400, "models");
  const changed = await answer(Rule, await call("PATCH", `/${rule.id}`, { models: ["sandbox/Embed"] }));
  expect(changed.data.models).toEqual(["sandbox/embed"]);
  const draft = { rule: { name: "Draft", models: ["nobody/nothing"] }, days: 1 };
  await refusal(await call("POST", "/simulate", draft), 400, "rule.models");
  await call("DELETE", `/${rule.id}`);
});

test("a rule keeps a model the catalogue has lost, also when all of it is sent again", async () => {
  const rule = await create({ name: "Old", models: ["sandbox/chat"] });
  await services.database.prisma.routing_rule.update({
    where: { id: rule.id },
    data: { models: ["gone/model"] },
  });
  const sent = { name: "Older", models: ["gone/model", "sandbox/chat"] };
  const changed = await answer(Rule, await call("PATCH", `/${rule.id}`, sent));
  expect(changed.data).toMatchObject(sent);
  await call("DELETE", `/${rule.id}`);
});
