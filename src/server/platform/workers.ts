import cluster from "node:cluster";

/** Whether another process of this machine has already logged what concerns all of them. */
export const isFurtherWorker = (): boolean => (cluster.worker?.id ?? 1) > 1;
