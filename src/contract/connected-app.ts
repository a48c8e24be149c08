import { z } from "zod";
import { Timestamp } from "./common.ts";

/** An application that people gave keys to over the PKCE flow, with what all of these keys come to. */
export const ConnectedApp = z
  .object({
    host: z.string().describe("Host of the app, with its port unless it is the default one."),
    keys: z.int().min(1).describe("Number of keys issued to it, including disabled and expired ones."),
    people: z.int().min(1).describe("Number of people or service accounts that own these keys."),
    usage: z.number().describe("Total cost charged for these keys, in euros."),
    first_approved_at: Timestamp.describe("Time its oldest key was issued."),
    last_approved_at: Timestamp.describe("Time its newest key was issued."),
    last_used: Timestamp.nullable().describe(
      "Time one of its keys was last used, to the minute; null if none ever was.",
    ),
  })
  .meta({ id: "ConnectedApp" });
export type ConnectedApp = z.infer<typeof ConnectedApp>;
