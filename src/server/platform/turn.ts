/**
 * The stages at the end of a turn of the event loop. The promises that a stage resolves have had their effect when
 * the next stage begins, so what it started can take part in that.
 */
const stages = ["read", "record", "send"] as const;
type Stage = (typeof stages)[number];

const waiting: Record<Stage, (() => void)[]> = { read: [], record: [], send: [] };
let isScheduled = false;

function schedule(): void {
  isScheduled = true;
  for (const stage of stages) setImmediate(run, stage);
}

function run(stage: Stage): void {
  const works = waiting[stage];
  waiting[stage] = [];
  if (stage === "send") {
    // What came for an earlier stage after it was over.
    if (waiting.read.length > 0 || waiting.record.length > 0) schedule();
    else isScheduled = false;
  }
  for (const work of works) work();
}

/**
 * Does `work`, which must not throw, at the end of this turn of the event loop; of the next one if the stage is over.
 * The same work of many requests takes less time in one go than between their other work.
 */
export function atEndOfTurn(stage: Stage, work: () => void): void {
  waiting[stage].push(work);
  if (!isScheduled) schedule();
}
