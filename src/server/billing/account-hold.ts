import type { BudgetHold } from "#server/platform/leased-budget.ts";
import type { Pico } from "#server/platform/money.ts";
import type { AccountUsers } from "./account-users.ts";
import type { Hold } from "./hold.ts";
import type { LeaseSize } from "./lease-size.ts";

/** The account of which a request has a hold. */
interface HeldAccount {
  readonly users: AccountUsers;
  readonly size: LeaseSize;
  /** So much more is available, which was granted under this limit. */
  freed(amount: Pico, limit: Pico | null): void;
}

/** What one request holds of an account. A class, because closures for each hold take several times as long. */
export class AccountHold implements Hold {
  readonly amount: Pico;
  readonly left: Pico;
  readonly #account: HeldAccount;
  readonly #held: BudgetHold;
  readonly #limit: Pico | null;
  #isOpen = true;

  constructor(account: HeldAccount, held: BudgetHold, left: Pico, limit: Pico | null) {
    this.amount = held.amount();
    this.left = left;
    this.#account = account;
    this.#held = held;
    this.#limit = limit;
  }

  reduce(to: Pico): void {
    this.#account.freed(this.#held.reduce(to), this.#limit);
  }

  release(spent: Pico): void {
    if (this.#isOpen) this.#account.users.leave();
    this.#isOpen = false;
    this.#account.size.spent(spent);
    this.#account.freed(this.#held.release(spent), this.#limit);
  }

  undo(): void {
    if (!this.#isOpen) this.#account.users.enter();
    this.#isOpen = true;
    this.#held.undo();
  }
}
