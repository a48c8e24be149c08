import { describe, expect, test } from "vitest";
import { otherValues } from "#contract/tag.ts";
import { limits } from "./limits.ts";
import { createMetrics } from "./metrics.ts";

describe("the metrics of tags", () => {
  test("contain no value of a tag that the operator did not name, by default of none", async () => {
    const none = createMetrics();
    none.tags.inc({ app: "Chat", end_user: "ada" });
    expect(await none.text()).not.toMatch(/Chat|ada/);
    const some = createMetrics(["app"]);
    some.tags.inc({ app: "Chat", end_user: "ada" });
    expect(await some.text()).toContain('portolan_tag_requests_total{tag="app",value="Chat"} 1');
    expect(await some.text()).not.toContain("ada");
  });

  test("count values beyond the maximum of a tag together, whatever clients send", async () => {
    const metrics = createMetrics(["app"]);
    const { metricValuesMax } = limits.tags;
    for (let at = 0; at < metricValuesMax + 50; at++) metrics.tags.inc({ app: `App ${at}` });
    metrics.tags.inc({ app: "App 0" });
    const lines = (await metrics.text()).split("\n").filter((line) => line.includes("_tag_requests_total{"));
    expect(lines).toHaveLength(metricValuesMax + 1);
    expect(lines).toContain('portolan_tag_requests_total{tag="app",value="App 0"} 2');
    expect(lines).toContain(`portolan_tag_requests_total{tag="app",value="${otherValues}"} 50`);
  });
});
