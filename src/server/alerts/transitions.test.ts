import fc from "fast-check";
import { expect, test } from "vitest";
import { type OpenIncident, transitionsOf } from "./transitions.ts";

const conditionsOf = (subjects: readonly string[]) =>
  subjects.map((subject) => ({ subject, title: subject, detail: "" }));

interface Incident extends OpenIncident {
  readonly notified: boolean;
}

/** A rule over time: what its incidents say to a channel. */
class History {
  open: Incident[] = [];
  readonly sent: string[] = [];
  #ids = 0;

  /** `muted` are the subjects that nothing new is sent about. */
  evaluate(subjects: readonly string[], muted: readonly string[], openMax: number): void {
    const isMuted = (subject: string) => muted.includes(subject);
    const { opened, resolved, announced } = transitionsOf(conditionsOf(subjects), this.open, {
      isMuted,
      openMax,
    });
    const gone = new Set(resolved.map(({ id }) => id));
    const now = new Set(announced.map(({ id }) => id));
    for (const { id, notified } of resolved) if (notified) this.sent.push(`resolved ${id}`);
    for (const { id } of announced) this.sent.push(`opened ${id}`);
    const made = opened.map(({ subject }) => ({
      id: `${this.#ids++} ${subject}`,
      subject,
      notified: !isMuted(subject),
    }));
    for (const { id, notified } of made) if (notified) this.sent.push(`opened ${id}`);
    this.open = [
      ...this.open
        .filter(({ id }) => !gone.has(id))
        .map((one) => ({ ...one, notified: one.notified || now.has(one.id) })),
      ...made,
    ];
  }
}

const subjects = fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"));
const step = fc.record({ subjects, muted: subjects });

test("of any history, each incident that is sent is opened once and resolved once, in this order", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const history = new History();
      for (const { subjects: wrong, muted } of steps) {
        history.evaluate(wrong, muted, 100);
        expect(history.open.map(({ subject }) => subject).toSorted()).toEqual(wrong.toSorted());
        for (const { subject, notified } of history.open)
          expect(notified || muted.some((one) => one === subject)).toBe(true);
      }
      history.evaluate([], [], 100);
      expect(history.open).toEqual([]);
      expect(new Set(history.sent).size).toBe(history.sent.length);
      const opened = history.sent.filter((text) => text.startsWith("opened"));
      for (const text of opened) {
        const resolved = text.replace("opened", "resolved");
        expect(history.sent.indexOf(resolved)).toBeGreaterThan(history.sent.indexOf(text));
      }
      expect(history.sent).toHaveLength(opened.length * 2);
    }),
  );
});

test("nothing is sent about a subject that is muted from the beginning, whatever happens", () => {
  fc.assert(
    fc.property(fc.array(subjects, { maxLength: 20 }), (steps) => {
      const history = new History();
      for (const wrong of steps) history.evaluate(wrong, ["a"], 100);
      expect(history.sent.filter((text) => text.endsWith(" a"))).toEqual([]);
    }),
  );
});

test("a rule that does not change state sends nothing", () => {
  fc.assert(
    fc.property(subjects, subjects, (wrong, muted) => {
      const history = new History();
      history.evaluate(wrong, muted, 100);
      const sent = [...history.sent];
      history.evaluate(wrong, muted, 100);
      expect(history.sent).toEqual(sent);
    }),
  );
});

test("a rule has at most the allowed number of open incidents, and the others open when there is room", () => {
  const history = new History();
  history.evaluate(["a", "b", "c"], [], 2);
  expect(history.open.map(({ subject }) => subject)).toEqual(["a", "b"]);
  history.evaluate(["b", "c"], [], 2);
  expect(history.open.map(({ subject }) => subject)).toEqual(["b", "c"]);
});
