/** What an application adds to the export and to the deletion of a user. */
import { InternalError, InvalidRequestError } from '../errors/catalog.js';
import type { TransactionState } from '../storage/pro-repositories.js';

export interface AccountContributor {
  /** Everything the application holds about the user, as JSON, without secrets. */
  exportData?: (userId: string) => unknown;
  /**
   * Deletes it. `transaction` is the knex transaction in which the account goes: use it for tables of the same database, and
   * only it (PGlite has one connection). A rejection undoes the whole deletion. Neither commit it nor roll it back: what is
   * committed before the account goes cannot be undone. Undefined with `memoryAdapter`.
   */
  deleteData?: (userId: string, context: { transaction: unknown }) => Promise<void> | void;
}

export class Contributors {
  private readonly byName = new Map<string, AccountContributor>();

  /** @throws InvalidRequestError when the name is taken, or nothing is contributed. */
  add(name: string, contributor: AccountContributor): void {
    if (typeof name !== 'string' || name === '' || isInherited(name) || this.byName.has(name)) {
      throw new InvalidRequestError('A contributor needs a name of its own.');
    }
    if (typeof contributor?.exportData !== 'function' && typeof contributor?.deleteData !== 'function') {
      throw new InvalidRequestError('A contributor needs exportData, deleteData, or both.');
    }
    this.byName.set(name, contributor);
  }

  /** True if the application deletes data together with a user. */
  get deletesData(): boolean {
    return [...this.byName.values()].some(({ deleteData }) => deleteData !== undefined);
  }

  /** What each of them holds, as JSON, by its name. @throws InternalError that names the one which failed. */
  async exportData(userId: string): Promise<Record<string, unknown>> {
    const contributions: Record<string, unknown> = {};
    for (const [name, contributor] of this.byName) {
      if (!contributor.exportData) continue;
      try {
        contributions[name] = asJson(await contributor.exportData(userId));
      } catch (error) {
        throw new InternalError(error, `The contributor "${name}" failed.`);
      }
    }
    return contributions;
  }

  /**
   * One after the other: a transaction runs one statement at a time. After each, `stateOf` says what became of the
   * transaction, while it is known who had it. @throws InternalError that names the one which failed.
   */
  async deleteData(
    userId: string,
    transaction: unknown,
    stateOf: () => Promise<TransactionState> = async () => 'open',
  ): Promise<void> {
    for (const [name, contributor] of this.byName) {
      if (!contributor.deleteData) continue;
      const failures: unknown[] = [];
      try {
        await contributor.deleteData(userId, { transaction });
      } catch (error) {
        failures.push(error);
      }
      const state = await stateOf();
      if (state === 'ended') {
        const what =
          'ended the transaction. The user is still there; what was deleted before a commit is gone.';
        throw new InternalError(failures[0], `The contributor "${name}" ${what}`);
      }
      if (failures.length > 0) {
        throw new InternalError(failures[0], `The contributor "${name}" failed; nothing was changed.`);
      }
      if (state === 'failed') {
        const what = 'hid the failure of a statement in the transaction; nothing was changed.';
        throw new InternalError(undefined, `The contributor "${name}" ${what}`);
      }
    }
  }
}

/** Names that would not be a plain entry of an object, or would change how it becomes JSON. */
function isInherited(name: string): boolean {
  return name === 'toJSON' || name in Object.prototype;
}

/** As it will be written, while it is known whose it is; what JSON does not know is null. */
function asJson(contribution: unknown): unknown {
  const text = JSON.stringify(contribution) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as unknown);
}
