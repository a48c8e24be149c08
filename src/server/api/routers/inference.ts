import { apis } from "#contract/inference-operations.ts";
import { declaredOperation } from "../declared-operation.ts";
import { router } from "../trpc.ts";

export const inferenceRouter = router(Object.fromEntries(apis.map((api) => [api, declaredOperation(api)])));
