import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderConsole } from "#test/console/render.tsx";
import { RetirementNotice } from "./retirement-notice.tsx";

const none = { deprecation_date: null, expiration_date: null, successor: null };

test("a model whose end is announced shows the days and the successor", () => {
  renderConsole(
    <RetirementNotice
      model={{ deprecation_date: "2026-11-01", expiration_date: "2027-02-01", successor: "m/two" }}
    />,
  );
  expect(screen.getByRole("alert").textContent).toBe(
    "This model is deprecatedDeprecated from 1 Nov 2026 on. It may be removed on 1 Feb 2027. Use m/two instead.",
  );
});

test("a model without a date shows nothing", () => {
  renderConsole(<RetirementNotice model={{ ...none, successor: "m/two" }} />);
  expect(screen.queryByRole("alert")).toBeNull();
});
