import fc from "fast-check";
import { expect, test } from "vitest";
import { AuditLogEntry } from "#contract/audit.ts";
import { ConsentView } from "#contract/authorization.ts";
import { ProviderCredential } from "#contract/byok.ts";
import { CatalogueProvider, ModelWithEndpoints } from "#contract/catalogue-view.ts";
import { Delivery, Destination } from "#contract/destination.ts";
import { EuResidency } from "#contract/eu-residency.ts";
import { GenerationDetail, GenerationVolume } from "#contract/generation.ts";
import { ApiKey } from "#contract/key.ts";
import { InvitationView, Member } from "#contract/member.ts";
import { ManagedOrganisation } from "#contract/organisation.ts";
import { Overview } from "#contract/overview.ts";
import { PriceVersion } from "#contract/price-book.ts";
import { RefusedRequest } from "#contract/refused-request.ts";
import { DryRunResult, RoutingRule, RoutingRuleCreate } from "#contract/routing-rule.ts";
import { SimulationResult } from "#contract/simulation.ts";
import { UsageReportRow } from "#contract/usage-report.ts";
import { Workspace } from "#contract/workspace.ts";
import { arbitraryOf } from "./arbitrary.ts";

const schemas = {
  ApiKey,
  AuditLogEntry,
  CatalogueProvider,
  ConsentView,
  Delivery,
  Destination,
  DryRunResult,
  EuResidency,
  GenerationDetail,
  GenerationVolume,
  InvitationView,
  ManagedOrganisation,
  Member,
  ModelWithEndpoints,
  Overview,
  PriceVersion,
  ProviderCredential,
  RefusedRequest,
  RoutingRule,
  RoutingRuleCreate,
  SimulationResult,
  UsageReportRow,
  Workspace,
};

test.each(Object.entries(schemas))("what is made of %s is valid, whatever is missing", (_name, schema) => {
  for (const gaps of ["always", "never", "sometimes"] as const)
    fc.assert(
      fc.property(
        arbitraryOf<typeof schema>(schema, gaps),
        (value) => void expect(schema.safeParse(value).error).toBeUndefined(),
      ),
      { numRuns: 30 },
    );
});
