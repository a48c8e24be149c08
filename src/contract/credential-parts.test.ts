import { expect, test } from "vitest";
import { credentialFault, credentialParts, joinedCredential } from "./credential-parts.ts";

test("Bedrock's three parts are joined to the text its kind reads, and its API key is used alone", () => {
  expect(joinedCredential("sigv4", { id: " AKIA1 ", secret: "abc/+", session: "" })).toBe("AKIA1:abc/+");
  expect(joinedCredential("sigv4", { id: "AKIA1", secret: "abc", session: "tok" })).toBe("AKIA1:abc:tok");
  expect(joinedCredential("sigv4", { id: "bedrock-api-key" })).toBe("bedrock-api-key");
});

test("what belongs to another provider's form is not sent", () => {
  expect(joinedCredential("bearer", { key: "sk-1", secret: "left over" })).toBe("sk-1");
  expect(joinedCredential("bearer", {})).toBe("");
});

test("a provider that wants no credential has no field, an unknown way of showing one has a key", () => {
  expect(credentialParts("none")).toEqual([]);
  expect(credentialParts("something new").map(({ label }) => label)).toEqual(["API key"]);
  expect(credentialParts("toString").map(({ label }) => label)).toEqual(["API key"]);
});

test.each([":", "AKIA1:", ":secret", "AKIA1:secret:", "AKIA1::token", "a:b:c:d", "::::"])(
  "%s is no pair or triple of Bedrock's, and a text like any other elsewhere",
  (credential) => {
    expect(credentialFault("sigv4", credential)).toContain("<access key id>");
    expect(credentialFault("bearer", credential)).toBeNull();
  },
);

test("Bedrock's API key, pair and triple have their form", () => {
  for (const credential of ["bedrock-api-key", "AKIA1:abc/+", "AKIA1:abc/+:tok="])
    expect(credentialFault("sigv4", credential)).toBeNull();
});
