import { onTestFinished, vi } from "vitest";

/** Records the page loads that the console asks the browser for; nothing is loaded. */
export function recordPageLoads() {
  const loads: string[] = [];
  const record = (address: string | URL) => void loads.push(String(address));
  const spies = [
    vi.spyOn(window.location, "assign").mockImplementation(record),
    vi.spyOn(window.location, "replace").mockImplementation(record),
    vi.spyOn(window.location, "reload").mockImplementation(() => record("(reload)")),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
  return loads;
}
