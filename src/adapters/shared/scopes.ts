/**
 * Lets several methods of an adapter run in one transaction: inside of `run`, every statement of the same asynchronous context uses the
 * scope's connection. Connection and transaction are taken by the first statement, and a scope in which nothing was sent takes neither.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { InternalError } from '../../errors/catalog.js';
import { retryOn } from '../../storage/retries.js';

/** How an adapter runs a transaction over one connection. */
export interface ScopeDriver<Transaction> {
  /** @param isForApplication whether the transaction will be passed to the application. */
  begin(isForApplication: boolean): Promise<Transaction>;
  commit(transaction: Transaction): Promise<void>;
  /** Never rejects. */
  rollback(transaction: Transaction): Promise<void>;
  /** Runs a statement of transaction control. */
  control(transaction: Transaction, sql: string): Promise<void>;
  /** Whether the database has rolled the whole transaction back because of the error, so that it can run again. */
  isConflict(error: unknown): boolean;
}

interface Scope<Transaction> {
  transaction: Transaction | undefined;
  /** How many units have succeeded in the transaction. */
  units: number;
  isBusy: boolean;
  /** A conflict, after which only the whole scope can run again. */
  conflict: Error | undefined;
  /** The application has been called, which must not happen twice. */
  isFinal: boolean;
  /** A statement that was not awaited must not begin a transaction that nothing ends. */
  isEnded: boolean;
}

interface Current<Transaction> {
  scope: Scope<Transaction>;
  /** Whether the caller is part of a unit, which its statements join. */
  isInUnit: boolean;
}

const savepoint = 'svc_auth_unit';

export class Scopes<Transaction> {
  private readonly current = new AsyncLocalStorage<Current<Transaction>>();

  constructor(private readonly driver: ScopeDriver<Transaction>) {}

  /** Whether the caller is in a scope. Its statements must then not wait for those of other callers. */
  get isActive(): boolean {
    return this.current.getStore() !== undefined;
  }

  /** Whether a statement may run again by itself after a conflict. */
  get mayRetry(): boolean {
    const current = this.current.getStore();
    if (current === undefined) return true;
    return !current.isInUnit && current.scope.units === 0 && !current.scope.isFinal;
  }

  /**
   * Runs `work` in a scope. If it throws, nothing of it remains. After a conflict it runs again, so it must have no effect outside of
   * the database. In a scope it joins.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.isActive) return work();
    let scope = newScope<Transaction>();
    const attempt = async () => {
      scope = newScope();
      return this.runOnce(scope, work);
    };
    return retryOn(
      attempt,
      (error) => this.driver.isConflict(error),
      () => !scope.isFinal,
    );
  }

  private async runOnce<Result>(scope: Scope<Transaction>, work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await this.current.run({ scope, isInUnit: false }, work);
      // Also if a method has caught it: its statements are rolled back.
      if (scope.conflict !== undefined) throw scope.conflict;
      const { transaction } = scope;
      if (transaction !== undefined) {
        await this.driver.commit(transaction);
        scope.transaction = undefined;
      }
      return result;
    } catch (error) {
      const { transaction } = scope;
      scope.transaction = undefined;
      if (transaction !== undefined) await this.driver.rollback(transaction);
      throw error;
    } finally {
      scope.isEnded = true;
    }
  }

  /**
   * Runs `inScope` as one unit of the caller's scope, or `alone` outside of a scope. A unit that fails leaves nothing behind, so that a
   * method that catches the error of a statement works as it does alone.
   */
  async unit<Result>(
    alone: () => Promise<Result>,
    inScope: (transaction: Transaction) => Promise<Result>,
    isForApplication = false,
  ): Promise<Result> {
    const current = this.current.getStore();
    if (!current) return alone();
    const { scope } = current;
    if (current.isInUnit) return inScope(scope.transaction as Transaction);
    if (scope.conflict !== undefined) throw scope.conflict;
    if (scope.isBusy || scope.isEnded)
      throw new InternalError(
        undefined,
        'The methods of a scope must run one after another, and be awaited.',
      );
    scope.isBusy = true;
    try {
      const work = (transaction: Transaction) =>
        this.current.run({ scope, isInUnit: true }, () => inScope(transaction));
      const result =
        scope.transaction === undefined
          ? await this.firstUnit(scope, work, isForApplication)
          : await this.laterUnit(scope, scope.transaction, work, isForApplication);
      scope.units += 1;
      return result;
    } finally {
      scope.isBusy = false;
    }
  }

  /** As `unit`, for what ends a scope: if it fails, nothing of the scope remains. */
  async last<Result>(
    alone: () => Promise<Result>,
    inScope: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    const transaction = this.current.getStore()?.scope.transaction;
    return transaction === undefined ? this.unit(alone, inScope) : inScope(transaction);
  }

  /** Calls the application, whose own calls of the service are not part of the scope. */
  callApplication<Result>(work: () => Promise<Result>): Promise<Result> {
    const current = this.current.getStore();
    if (current) current.scope.isFinal = true;
    return this.current.exit(work);
  }

  private async firstUnit<Result>(
    scope: Scope<Transaction>,
    work: (transaction: Transaction) => Promise<Result>,
    isForApplication: boolean,
  ): Promise<Result> {
    const transaction = await this.driver.begin(isForApplication);
    scope.transaction = transaction;
    try {
      return await work(transaction);
    } catch (error) {
      // PostgreSQL accepts nothing more in this transaction. The next unit begins another.
      scope.transaction = undefined;
      await this.driver.rollback(transaction);
      throw error;
    }
  }

  private async laterUnit<Result>(
    scope: Scope<Transaction>,
    transaction: Transaction,
    work: (transaction: Transaction) => Promise<Result>,
    isForApplication: boolean,
  ): Promise<Result> {
    if (isForApplication)
      throw new InternalError(undefined, 'What calls the application must be the first of its scope.');
    await this.driver.control(transaction, `savepoint ${savepoint}`);
    try {
      const result = await work(transaction);
      await this.driver.control(transaction, `release savepoint ${savepoint}`);
      return result;
    } catch (error) {
      if (error instanceof Error && this.driver.isConflict(error)) scope.conflict = error;
      else {
        await this.driver.control(transaction, `rollback to savepoint ${savepoint}`);
        await this.driver.control(transaction, `release savepoint ${savepoint}`);
      }
      throw error;
    }
  }
}

function newScope<Transaction>(): Scope<Transaction> {
  return {
    transaction: undefined,
    units: 0,
    isBusy: false,
    conflict: undefined,
    isFinal: false,
    isEnded: false,
  };
}
