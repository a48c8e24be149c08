import { afterAll } from "vitest";
import { z } from "zod";
import { type AlertChannel, AlertChannelCreate, type AlertChannelTest } from "#contract/alert-channel.ts";
import type { AlertIncident } from "#contract/alert-incident.ts";
import { AlertRuleCreate } from "#contract/alert-rule.ts";
import { authorize } from "#server/access/authorize.ts";
import { permissions } from "#server/access/permissions.ts";
import { createChannel, getChannel, testChannel } from "#server/alerts/channels.ts";
import type { AlertDeps } from "#server/alerts/deps.ts";
import { evaluateAlerts } from "#server/alerts/evaluate.ts";
import { listIncidents, updateIncident } from "#server/alerts/incidents.ts";
import { createRule, deleteRule } from "#server/alerts/rules.ts";
import { sendNotification } from "#server/alerts/send-notification.ts";
import type { Catalogue } from "#server/catalog/index.ts";
import type { Database } from "#server/db/index.ts";
import { uuidv7 } from "#server/platform/ids.ts";
import { silentLog } from "#server/platform/log.ts";
import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
import { createSealer } from "#server/platform/sealing.ts";
import { type Child, firstOutput, runInChild } from "#test/child.ts";
import { encryptionKey } from "#test/destinations/delivering.ts";
import { startRecorder } from "#test/destinations/recorder.ts";
import type { TestOrganisation } from "#test/factories.ts";

interface Alerting {
  readonly deps: AlertDeps;
  /** Ids of the notifications whose jobs were queued, the latest last. */
  readonly queued: string[];
  /** Evaluates all rules as the job of each minute does. */
  evaluate(): Promise<void>;
  /** Runs every queued job once. Those that fail are queued again. Returns why they failed. */
  send(): Promise<string[]>;
}

/** Alerts over a database with a queue in memory, whose jobs run when the test says so. */
export function startAlerting(
  database: Database,
  catalogue: () => Catalogue,
  own: Partial<AlertDeps> = {},
): Alerting {
  const queued: string[] = [];
  const outbound = new Outbound(allowedHosts(["127.0.0.1"]));
  afterAll(() => outbound.close());
  const deps: AlertDeps = {
    database,
    sealer: createSealer([encryptionKey]),
    outbound,
    mailer: null,
    notifications: { confirmAlerts: async () => {}, post: () => {} },
    catalogue,
    publicUrl: "https://llm.example.eu",
    log: silentLog,
    queue: {
      async enqueue(_tx, name, payload) {
        if (name === "send-alert") queued.push((payload as { id: string }).id);
        return true;
      },
      enqueueAll: async () => {},
      // Every queued job runs at the next `send` in any case.
      hasten: async () => {},
      wake: () => {},
      work: async () => {},
      close: async () => {},
    },
    ...own,
  };
  return {
    deps,
    queued,
    evaluate: () => evaluateAlerts(deps),
    async send() {
      const reasons: string[] = [];
      for (const id of queued.splice(0)) {
        await sendNotification(deps, { id }).catch((error: unknown) => {
          reasons.push(String(error));
          queued.push(id);
        });
      }
      return reasons;
    },
  };
}

/** A person of an organisation who may change alerts. */
export const writerOf = ({ caller }: Pick<TestOrganisation, "caller">) =>
  authorize({ ...caller, permissions: new Set(permissions) }, "alerts:write", "organisation");

const readerOf = ({ caller }: Pick<TestOrganisation, "caller">) =>
  authorize({ ...caller, permissions: new Set(permissions) }, "alerts:read", "organisation");

interface WorkerOptions {
  readonly connection: object;
  readonly smtpUrl?: string;
}

/** Starts a process that does the jobs of alerts, and nothing else, to be killed. */
export async function startAlertWorker({ connection, smtpUrl }: WorkerOptions): Promise<Child> {
  const worker = runInChild(`
    import { openAlerts } from "#server/alerts/index.ts";
    import { openDatabase } from "#server/db/index.ts";
    import { openQueue } from "#server/jobs/queue.ts";
    import { jobTable } from "#server/jobs/queue/job-table.ts";
    import { silentLog } from "#server/platform/log.ts";
    import { openMailer } from "#server/platform/mailer.ts";
    import { createMetrics } from "#server/platform/metrics.ts";
    import { allowedHosts, Outbound } from "#server/platform/outbound.ts";
    import { createSealer } from "#server/platform/sealing.ts";
    const connection = ${JSON.stringify(connection)};
    const database = openDatabase(connection, createMetrics(), silentLog);
    const queue = await openQueue(connection, database, silentLog);
    const { jobs } = openAlerts({
      database, queue, log: silentLog, publicUrl: null, notifications: null,
      mailer: openMailer({ SMTP_URL: ${JSON.stringify(smtpUrl)}, MAIL_FROM: "portolan@example.eu" }),
      sealer: createSealer([Buffer.alloc(32, 7)]),
      outbound: new Outbound(allowedHosts(["127.0.0.1"])),
      catalogue: () => { throw new Error("not needed"); },
    });
    const others = Object.fromEntries(Object.keys(jobTable).map((name) => [name, async () => {}]));
    await queue.work({ ...others, "send-alert": jobs["send-alert"] });
    console.log("working");
  `);
  if (!(await firstOutput(worker)).includes("working")) throw new Error("The worker did not start");
  return worker;
}

/** Deletes a rule as a person of the organisation would. */
export const removeRule = (
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  id: string,
): Promise<void> => deleteRule(deps, writerOf(organisation), id);

/** The incidents of an organisation as the API returns them. */
export const incidentsOf = async (
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
): Promise<AlertIncident[]> => (await listIncidents(deps, readerOf(organisation), {})).data;

/** Mutes what an incident is about, as a person of the organisation would. */
export const muteIncident = (
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  id: string,
  muted_until: string | null,
): Promise<AlertIncident> => updateIncident(deps, writerOf(organisation), { id, muted_until });

/** A channel as the API returns it. */
export const channelOf = (
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  id: string,
): Promise<AlertChannel> => getChannel(deps, readerOf(organisation), id);

/** Sends a test to a channel as a person of the organisation would. */
export const tryChannel = (
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  id: string,
): Promise<AlertChannelTest> => testChannel(deps, writerOf(organisation), id);

/** Saves a channel as a person of the organisation would. Returns its id. */
export async function addChannel(
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  body: object,
): Promise<string> {
  const input = AlertChannelCreate.parse({ name: uuidv7(), type: "webhook", ...body });
  return (await createChannel(deps, writerOf(organisation), input)).id;
}

/** Saves a rule as a person of the organisation would. Returns its id. */
export async function addRule(
  deps: AlertDeps,
  organisation: Pick<TestOrganisation, "caller">,
  body: object,
): Promise<string> {
  const input = AlertRuleCreate.parse({ name: uuidv7(), ...body });
  return (await createRule(deps, writerOf(organisation), input)).id;
}

const Message = z.object({ type: z.string(), data: z.looseObject({ title: z.string() }) });

/** A webhook on loopback, and what it was sent. */
export async function startReceiver() {
  const recorder = await startRecorder();
  const messages = () =>
    recorder.seen.map(({ headers, body }) => ({
      id: String(headers["webhook-id"]),
      ...Message.parse(JSON.parse(body.toString())),
    }));
  return { recorder, messages, types: () => messages().map(({ type }) => type) };
}
