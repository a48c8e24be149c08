import { z } from "zod";
import type { DestinationType } from "#contract/destination.ts";
import type { DestinationKind } from "./kind.ts";
import { destinationKinds } from "./registry.ts";

const JsonObject = z.record(z.string(), z.json());

const describe = (kind: DestinationKind): DestinationType => ({
  type: kind.type,
  name: kind.name,
  description: kind.description,
  documentation_url: kind.documentationUrl,
  protocol: kind.protocol,
  config_schema: JsonObject.parse(z.toJSONSchema(kind.config, { io: "input", unrepresentable: "any" })),
  secrets: [...kind.secrets],
});

/** Every type with the schema of its configuration, from which forms are made. */
export const describeTypes = (): DestinationType[] => destinationKinds.map(describe);
