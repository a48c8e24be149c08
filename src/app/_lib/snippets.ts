import { completionCurl } from "./curl.ts";

/** The same first completion in each language a person may start with. The key comes from the environment. */
export const snippets = (origin: string, model: string | null): { label: string; code: string }[] => {
  const name = model ?? "provider/model";
  return [
    { label: "curl", code: completionCurl(origin, model) },
    {
      label: "Node",
      code: `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${origin}/api/v1",
  apiKey: process.env.PORTOLAN_API_KEY,
});
const completion = await client.completions.create({
  model: "${name}",
  prompt: "Say hello from the sea",
  max_tokens: 32,
});
console.log(completion.choices[0].text);`,
    },
    {
      label: "Python",
      code: `import os
from openai import OpenAI

client = OpenAI(
    base_url="${origin}/api/v1",
    api_key=os.environ["PORTOLAN_API_KEY"],
)
completion = client.completions.create(
    model="${name}",
    prompt="Say hello from the sea",
    max_tokens=32,
)
print(completion.choices[0].text)`,
    },
  ];
};
