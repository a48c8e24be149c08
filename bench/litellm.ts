import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answers, freePort, start } from "./child.ts";
import type { Peer } from "./peers.ts";

const key = "sk-bench";
/** Without it, every start asks the internet for prices. */
const environment = { LITELLM_LOCAL_MODEL_COST_MAP: "True", LITELLM_MODE: "PRODUCTION" };

const config = (upstream: string) => ({
  model_list: [
    {
      model_name: "echo",
      litellm_params: {
        model: "text-completion-openai/echo",
        api_base: `${upstream}/v1`,
        api_key: "upstream",
      },
    },
  ],
  general_settings: { master_key: key },
  litellm_settings: { telemetry: false },
});

/** LiteLLM's proxy, one process, if its command is installed (`pip install "litellm[proxy]"`); otherwise null. */
export function findLitellm(): Peer | null {
  const asked = spawnSync("litellm", ["--version"], {
    encoding: "utf8",
    env: { ...process.env, ...environment },
  });
  const version = /(\d+\.\d+\.\d+)/.exec(asked.stdout ?? "")?.[1];
  if (!version) return null;
  return {
    version,
    async start(upstream) {
      const folder = mkdtempSync(join(tmpdir(), "bench-litellm-"));
      // JSON is YAML.
      writeFileSync(join(folder, "config.yaml"), JSON.stringify(config(upstream)));
      const [port, host] = [await freePort(), "127.0.0.1"];
      const running = await start(
        "litellm",
        ["--config", join(folder, "config.yaml"), "--host", host, "--port", String(port)],
        { env: environment },
      );
      await answers(`http://${host}:${port}/health/liveliness`);
      return {
        pid: running.pid,
        url: `http://${host}:${port}/v1/completions`,
        headers: { authorization: `Bearer ${key}` },
        stop: async () => {
          await running.stop();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}
