import { z } from "zod";
import { Timestamp, Uuid } from "./common.ts";
import { PersonName } from "./member.ts";

/** One browser a person is signed in with. */
export const SignedInSession = z.object({
  id: Uuid,
  /** The one that asks. */
  current: z.boolean(),
  user_agent: z.string().nullable(),
  ip_address: z.string().nullable(),
  created_at: Timestamp,
  /** Last seen; rounded to some minutes. */
  updated_at: Timestamp,
});
export type SignedInSession = z.infer<typeof SignedInSession>;

export const Profile = z.object({
  name: z.string(),
  email: z.string(),
  /** Whether there is a password to change, or the person comes through a provider only. */
  has_password: z.boolean(),
  sessions: z.array(SignedInSession),
});
export type Profile = z.infer<typeof Profile>;

export const ProfileUpdate = z.strictObject({ name: PersonName });
