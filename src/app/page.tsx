import { redirect } from "next/navigation";
import { ownPath } from "#contract/own-path.ts";

export default function Home(): never {
  redirect(ownPath("/overview"));
}
