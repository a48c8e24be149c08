/** What reached a client of one answer. */
export interface Delivered {
  readonly generationId: string;
  readonly streamed: boolean;
  /** Tokens that came: of a whole answer all, of a cut stream those until the cut. */
  readonly tokens: number;
  /** What the answer says it cost; null when its end did not come. */
  readonly costEur: number | null;
  /** From sending the request to its end. */
  readonly tookMs: number;
}

export interface Load {
  readonly delivered: Delivered[];
  /** Requests that were answered with an error, or not at all. */
  readonly failed: number;
  /** Resolves once every request that was begun has ended one way or the other. */
  stop(): Promise<void>;
}

interface Answer {
  readonly usage?: { readonly cost_eur: number; readonly completion_tokens: number };
  readonly choices?: readonly { readonly text: string }[];
  readonly error?: unknown;
}

type Read = Pick<Delivered, "tokens" | "costEur">;

/** A dead process resets its connections; anything else is a fault of the test. */
function ignoreReset(error: unknown): void {
  if (!(error instanceof TypeError)) throw error;
}

async function readWhole(response: Response): Promise<Read> {
  const { usage } = (await response.json()) as Answer;
  if (!usage) throw new Error("A whole answer came without usage");
  return { tokens: usage.completion_tokens, costEur: usage.cost_eur };
}

/** Counts what comes as it comes: of the sandbox, each event with text is a token. */
async function readStream(response: Response): Promise<Read> {
  const decoder = new TextDecoder();
  let text = "";
  let tokens = 0;
  let last: Answer = {};
  let done = false;
  const take = () => {
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const data = text.slice(0, end).replace(/^data: /, "");
      text = text.slice(end + 2);
      if (data === "[DONE]") done = true;
      else if (!data.startsWith(":")) {
        last = JSON.parse(data) as Answer;
        if (last.choices?.some((choice) => choice.text !== "")) tokens++;
      }
    }
  };
  try {
    for await (const bytes of response.body ?? []) {
      text += decoder.decode(bytes, { stream: true });
      take();
    }
  } catch (error) {
    ignoreReset(error);
  }
  return { tokens, costEur: done && last.usage && !last.error ? last.usage.cost_eur : null };
}

async function send(origin: string, key: string, streamed: boolean, seed: number): Promise<Delivered | null> {
  const sentMs = performance.now();
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
  const read = streamed ? await readStream(response) : await readWhole(response);
  return { generationId, streamed, ...read, tookMs: performance.now() - sentMs };
}

/** Sends `perSecond` requests a second, half of them streams, whether or not earlier ones were answered. */
export function startLoad(origin: string, key: string, perSecond: number): Load {
  const delivered: Delivered[] = [];
  const open = new Set<Promise<void>>();
  let seed = 0;
  let failed = 0;
  const timer = setInterval(() => {
    const number = seed++;
    const request = send(origin, key, number % 2 === 1, number)
      .then((end) => {
        if (end) delivered.push(end);
        else failed++;
      })
      .catch((error: unknown) => {
        ignoreReset(error);
        failed++;
      })
      .finally(() => open.delete(request));
    open.add(request);
  }, 1000 / perSecond);
  return {
    delivered,
    get failed() {
      return failed;
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(open);
    },
  };
}
