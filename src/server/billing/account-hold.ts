import { BudgetHold, type LeasedBudget } from "#server/platform/leased-budget.ts";
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

/** What one request holds of an account. One object, because every request has several of them. */
export class AccountHold extends BudgetHold implements Hold {
  readonly amount: Pico;
  readonly left: Pico;
  readonly #account: HeldAccount;
  readonly #limit: Pico | null;

  /** Reserves `amount` of `credit`; `elsewhere` is what the account has left beside this credit. */
  constructor(account: HeldAccount, credit: LeasedBudget, amount: Pico, limit: Pico | null, elsewhere: Pico) {
    super(credit, amount);
    this.amount = amount;
    const left = credit.available();
    this.left = left <= 0n ? elsewhere : elsewhere === 0n ? left : left + elsewhere;
    this.#account = account;
    this.#limit = limit;
  }

  override reduce(to: Pico): Pico {
    const freed = super.reduce(to);
    this.#account.freed(freed, this.#limit);
    return freed;
  }

  override release(spent: Pico): Pico {
    if (this.isReleased()) return 0n;
    this.#account.users.leave();
    this.#account.size.spent(spent);
    const freed = super.release(spent);
    this.#account.freed(freed, this.#limit);
    return freed;
  }

  override undo(): void {
    if (this.isReleased()) this.#account.users.enter();
    super.undo();
  }
}
