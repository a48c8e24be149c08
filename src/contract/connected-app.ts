import { z } from "zod";
import { Timestamp } from "./common.ts";

/** An application that people gave keys to over the PKCE flow, with what all of these keys come to. */
export const ConnectedApp = z
  .object({
    host: z.string(),
    /** Those that are disabled or have ended included. */
    keys: z.int().min(1),
    /** How many people approved it. */
    people: z.int().min(1),
    /** Euros its keys have cost. */
    usage: z.number(),
    first_approved_at: Timestamp,
    last_approved_at: Timestamp,
    last_used: Timestamp.nullable(),
  })
  .meta({ id: "ConnectedApp" });
export type ConnectedApp = z.infer<typeof ConnectedApp>;
