import { expect, test } from "vitest";
import { describeTypes } from "#test/console/destination-types.ts";
import { configOf, fieldsOf, typedByDefault, typedOf } from "./config-schema.ts";

const types = describeTypes();

test("every type there is can be asked for in a form, its secrets as secrets", () => {
  for (const type of types) {
    const fields = fieldsOf(type);
    expect(fields.length, type.type).toBeGreaterThan(0);
    for (const { name, input } of fields) {
      const hidden = input === "secret" || input === "pairs";
      expect(hidden, `${type.type}.${name}`).toBe(type.secrets.includes(name));
    }
  }
});

test("a form starts with the defaults, and sends only what is in it", () => {
  const type = types.find(({ type: name }) => name === "s3");
  const fields = type ? fieldsOf(type) : [];
  const typed = typedByDefault(fields);
  expect(typed.region).toBe("eu-central-1");
  expect(configOf(fields, { ...typed, bucketName: " traces " })).toMatchObject({ bucketName: "traces" });
  expect(configOf(fields, { ...typed, bucketName: "" })).not.toHaveProperty("bucketName");
});

test("an emptied field of a saved destination is removed, a masked one is sent back as it is", () => {
  const type = types.find(({ type: name }) => name === "webhook");
  const fields = type ? fieldsOf(type) : [];
  const saved = { url: "https://a.example", apiKey: "********", headers: { "x-team": "********" } };
  const typed = typedOf(fields, saved);
  expect(typed.headers).toBe("x-team=********");
  expect(configOf(fields, { ...typed, apiKey: "" }, saved)).toEqual({
    url: "https://a.example",
    apiKey: null,
    headers: "x-team=********",
  });
});
