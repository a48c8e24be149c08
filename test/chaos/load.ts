/** What a client saw whole: the answer's end reached it. */
export interface Delivered {
  readonly generationId: string;
  readonly costEur: number;
  readonly streamed: boolean;
}

export interface Load {
  readonly delivered: Delivered[];
  /** Resolves once every request that was begun has ended one way or the other. */
  stop(): Promise<void>;
}

interface Usage {
  usage?: { cost_eur: number };
}

async function readWhole(response: Response): Promise<number> {
  const { usage } = (await response.json()) as Usage;
  if (!usage) throw new Error("A whole answer came without usage");
  return usage.cost_eur;
}

/** The cost a finished stream names; null when it was cut before its end. */
async function readStream(response: Response): Promise<number | null> {
  const events = (await response.text()).split("\n\n").filter(Boolean);
  if (events.at(-1) !== "data: [DONE]") return null;
  const last = JSON.parse(events.at(-2)?.slice("data: ".length) ?? "{}") as Usage & { error?: unknown };
  return last.usage && !last.error ? last.usage.cost_eur : null;
}

async function send(origin: string, key: string, streamed: boolean, seed: number): Promise<Delivered | null> {
  const response = await fetch(`${origin}/api/v1/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      model: "chaos/chat",
      prompt: `Number ${seed}`,
      max_tokens: 24,
      seed,
      stream: streamed,
    }),
  });
  const generationId = response.headers.get("x-generation-id");
  if (response.status !== 200 || generationId === null) {
    await response.arrayBuffer();
    return null;
  }
  const costEur = streamed ? await readStream(response) : await readWhole(response);
  return costEur === null ? null : { generationId, costEur, streamed };
}

/** Sends `perSecond` requests a second, half of them streams, whether or not earlier ones were answered. */
export function startLoad(origin: string, key: string, perSecond: number): Load {
  const delivered: Delivered[] = [];
  const open = new Set<Promise<void>>();
  let seed = 0;
  const timer = setInterval(() => {
    const number = seed++;
    const request = send(origin, key, number % 2 === 1, number)
      .then((end) => {
        if (end) delivered.push(end);
      })
      .catch((error: unknown) => {
        // A dead process resets its connections; anything else is a fault of the test.
        if (!(error instanceof TypeError)) throw error;
      })
      .finally(() => open.delete(request));
    open.add(request);
  }, 1000 / perSecond);
  return {
    delivered,
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
