import { startVllm } from "#test/providers/vllm-server.ts";
import { test } from "./console.ts";

/** Gives the installation of a test file a vLLM of its own to reach; the returned function says its address. */
export function withVllm(): () => string {
  let origin = "";
  test.use({
    settings: [
      // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture needs off its first parameter
      async ({}, use) => {
        const vllm = await startVllm();
        origin = vllm.origin;
        await use({ ALLOW_PRIVATE_HOSTS: "127.0.0.1", ALLOW_PRIVATE_OWN_PROVIDERS: "127.0.0.1" });
        await vllm.close();
      },
      { scope: "worker" },
    ],
  });
  return () => origin;
}
