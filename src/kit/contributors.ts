/** What an application adds to the export and to the deletion of a user. */
import { InternalError, InvalidRequestError } from '../errors/catalog.js';

export interface AccountContributor {
  /** Everything the application holds about the user, as JSON, without secrets. */
  exportData?: (userId: string) => unknown;
  /**
   * Deletes it. `transaction` is the knex transaction in which the account goes: use it for tables of the same database, and
   * only it (PGlite has one connection). A rejection undoes the whole deletion. Undefined with `memoryAdapter`.
   */
  deleteData?: (userId: string, context: { transaction: unknown }) => Promise<void> | void;
}

export class Contributors {
  private readonly byName = new Map<string, AccountContributor>();

  /** @throws InvalidRequestError when the name is taken, or nothing is contributed. */
  add(name: string, contributor: AccountContributor): void {
    if (typeof name !== 'string' || name === '' || name === '__proto__' || this.byName.has(name)) {
      throw new InvalidRequestError('A contributor needs a name of its own.');
    }
    if (typeof contributor?.exportData !== 'function' && typeof contributor?.deleteData !== 'function') {
      throw new InvalidRequestError('A contributor needs exportData, deleteData, or both.');
    }
    this.byName.set(name, contributor);
  }

  /** What each of them holds, by its name. @throws InternalError that names the one which failed. */
  async exportData(userId: string): Promise<Record<string, unknown>> {
    const contributions: Record<string, unknown> = {};
    for (const [name, { exportData }] of this.byName) {
      if (exportData) contributions[name] = await attempted(name, () => exportData(userId));
    }
    return contributions;
  }

  /** One after the other: a transaction runs one statement at a time. @throws InternalError that names the one which failed. */
  async deleteData(userId: string, transaction: unknown): Promise<void> {
    for (const [name, { deleteData }] of this.byName) {
      if (deleteData) await attempted(name, () => deleteData(userId, { transaction }));
    }
  }
}

async function attempted<T>(contributor: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new InternalError(error, `The contributor "${contributor}" failed; nothing was changed.`);
  }
}
