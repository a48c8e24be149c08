import { z } from "zod";
import { Deleted, data, dataList, Uuid } from "#contract/common.ts";
import {
  Delivery,
  DeliveryListQuery,
  Destination,
  DestinationCreate,
  DestinationListQuery,
  DestinationTest,
  DestinationTestRequest,
  DestinationType,
  DestinationUpdate,
} from "#contract/destination.ts";
import {
  createDestination,
  describeTypes,
  getDestination,
  listDeliveries,
  listDestinations,
  removeDestination,
  retryDelivery,
  testSaved,
  testUnsaved,
  updateDestination,
} from "#server/destinations/index.ts";
import { deleted, permitted, rest, router } from "../trpc.ts";

const tag = "Broadcast destinations";
const config = { endpoint: "https://otel.example.com", headers: { authorization: "Bearer secret" } };
const Named = z.object({ id: Uuid.describe("ID of the destination.") });
const testAudit = { none: "sends a test to the destination and changes nothing" };

export const destinationsRouter = router({
  list: permitted("broadcast:read", "workspace")
    .meta(
      rest("GET", "/broadcast-destinations", {
        summary: "List broadcast destinations",
        description:
          "Your organisation's destinations, newest first. With `workspace_id`: those of that workspace and those " +
          "of the organisation. Secrets are masked.",
        tag,
      }),
    )
    .input(DestinationListQuery)
    .output(dataList(Destination))
    .query(({ ctx, input }) => listDestinations(ctx.services.destinations.deps, ctx.caller, input)),

  create: permitted("broadcast:write", "workspace")
    .meta(
      rest("POST", "/broadcast-destinations", {
        opaque: ["config"],
        summary: "Create a broadcast destination",
        description:
          "It receives the traces of generations that end from the next second on. `GET /broadcast-destinations/types` " +
          "describes the `config` of each type. The destination is not tested automatically.",
        tag,
        status: 201,
        errors: [404, 409],
        example: { name: "Our collector", type: "otel-collector", config, sampling_rate: "0.5" },
        idempotent: true,
        audit: { action: "destination.create", configuration: true },
      }),
    )
    .input(DestinationCreate)
    .output(data(Destination))
    .mutation(async ({ ctx, input }) => ({
      data: await createDestination(ctx.services.destinations.deps, ctx.caller, input),
    })),

  types: permitted("broadcast:read", "none")
    .meta(
      rest("GET", "/broadcast-destinations/types", {
        summary: "List types of destinations",
        description: "With the JSON schema of each type's `config`. Fields marked `writeOnly` are secrets.",
        tag,
      }),
    )
    .input(z.object({}))
    .output(dataList(DestinationType))
    .query(() => {
      const types = describeTypes();
      return { data: types, total_count: types.length };
    }),

  testUnsaved: permitted("broadcast:write", "workspace")
    .meta(
      rest("POST", "/broadcast-destinations/test", {
        opaque: ["config"],
        summary: "Test a destination before it is saved",
        description:
          "Sends data of nobody and reports whether traces would arrive. `status` is the destination's HTTP status, " +
          "0 if it could not be reached. Ten tests a minute per organisation, including those of provider " +
          "credentials.",
        tag,
        rateLimit: "test",
        example: { type: "otel-collector", config },
        audit: testAudit,
      }),
    )
    .input(DestinationTestRequest)
    .output(data(DestinationTest))
    .mutation(async ({ ctx, input }) => ({
      data: await testUnsaved(ctx.services.destinations.deps, ctx.caller, input),
    })),

  get: permitted("broadcast:read", "workspace")
    .meta(
      rest("GET", "/broadcast-destinations/{id}", {
        summary: "Get a broadcast destination",
        description: "Its settings, with secrets masked, and the state of its deliveries.",
        tag,
        errors: [404],
      }),
    )
    .input(Named)
    .output(data(Destination))
    .query(async ({ ctx, input }) => ({
      data: await getDestination(ctx.services.destinations.deps, ctx.caller, input.id),
    })),

  update: permitted("broadcast:write", "workspace")
    .meta(
      rest("PATCH", "/broadcast-destinations/{id}", {
        opaque: ["config"],
        summary: "Change a broadcast destination",
        description:
          "Changes only the fields that are sent. `config` is merged by key: `null` removes a key, masked and absent " +
          "secrets stay. Secrets must be sent again if the destination's host changes. Retries start again.",
        tag,
        errors: [404, 409],
        example: { sampling_rate: "0.25" },
        audit: { action: "destination.update", configuration: true },
      }),
    )
    .input(DestinationUpdate)
    .output(data(Destination))
    .mutation(async ({ ctx, input }) => ({
      data: await updateDestination(ctx.services.destinations.deps, ctx.caller, input),
    })),

  remove: permitted("broadcast:write", "workspace")
    .meta(
      rest("DELETE", "/broadcast-destinations/{id}", {
        summary: "Delete a broadcast destination",
        description: "With its log and its pending deliveries.",
        tag,
        errors: [404],
        audit: { action: "destination.delete", configuration: true },
      }),
    )
    .input(Named)
    .output(Deleted)
    .mutation(async ({ ctx, input }) => {
      await removeDestination(ctx.services.destinations.deps, ctx.caller, input.id);
      return deleted;
    }),

  test: permitted("broadcast:write", "workspace")
    .meta(
      rest("POST", "/broadcast-destinations/{id}/test", {
        summary: "Test a saved destination",
        description: "Like the test of an unsaved one, with the stored secrets.",
        tag,
        rateLimit: "test",
        errors: [404],
        audit: testAudit,
      }),
    )
    .input(Named)
    .output(data(DestinationTest))
    .mutation(async ({ ctx, input }) => ({
      data: await testSaved(ctx.services.destinations.deps, ctx.caller, input.id),
    })),

  deliveries: permitted("broadcast:read", "workspace")
    .meta(
      rest("GET", "/broadcast-destinations/{id}/deliveries", {
        summary: "List deliveries to a destination",
        description: "Newest first: delivered, pending and failed ones, with the reason.",
        tag,
        errors: [404],
      }),
    )
    .input(DeliveryListQuery)
    .output(dataList(Delivery))
    .query(({ ctx, input }) => listDeliveries(ctx.services.destinations.deps, ctx.caller, input)),

  retryDelivery: permitted("broadcast:write", "workspace")
    .meta(
      rest("POST", "/broadcast-destinations/{id}/deliveries/{delivery_id}/retry", {
        summary: "Retry a failed delivery",
        description:
          "Queues a failed delivery to be sent now. Answers 409 if its content is no longer stored, for example " +
          "because it was delivered or dropped.",
        tag,
        errors: [404, 409],
        audit: { action: "destination.redeliver", configuration: false },
      }),
    )
    .input(Named.extend({ delivery_id: Uuid.describe("ID of the delivery.") }))
    .output(data(Delivery))
    .mutation(async ({ ctx, input }) => ({
      data: await retryDelivery(ctx.services.destinations.deps, ctx.caller, input),
    })),
});
