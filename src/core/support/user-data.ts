/** The application's data in the export and the deletion of a user. */
import { InternalError, InvalidRequestError } from '../../errors/catalog.js';
import type { TransactionState } from '../../storage/pro-repositories.js';

export interface UserDataHandler {
  /** Returns all data of the application about the user, as JSON, without secrets. */
  exportData?: (userId: string) => unknown;
  /**
   * Deletes the data. `transaction` is the knex transaction that deletes the account, and undefined with `memoryAdapter`. Use it for
   * tables of the same database, and no other connection (PGlite has only one). Do not commit it or roll it back. If this function
   * rejects, the whole deletion is rolled back.
   */
  deleteData?: (userId: string, context: { transaction: unknown }) => Promise<void> | void;
}

export class UserDataHandlers {
  private readonly byName = new Map<string, UserDataHandler>();

  /** @throws InvalidRequestError if the name is invalid or already registered, or the handler has no functions. */
  register(name: string, handler: UserDataHandler): void {
    if (typeof name !== 'string' || name === '' || isReserved(name) || this.byName.has(name)) {
      throw new InvalidRequestError('name must be a string that is not empty and not registered yet.');
    }
    if (typeof handler?.exportData !== 'function' && typeof handler?.deleteData !== 'function') {
      throw new InvalidRequestError('handler must have exportData, deleteData, or both.');
    }
    this.byName.set(name, handler);
  }

  /** True if a handler deletes data together with a user. */
  get deletesData(): boolean {
    return [...this.byName.values()].some(({ deleteData }) => deleteData !== undefined);
  }

  /** Returns the data of each handler as JSON, by the name of the handler. @throws InternalError that names the handler that failed. */
  async exportData(userId: string): Promise<Record<string, unknown>> {
    const dataByName: Record<string, unknown> = {};
    for (const [name, handler] of this.byName) {
      if (!handler.exportData) continue;
      try {
        dataByName[name] = asJson(await handler.exportData(userId));
      } catch (error) {
        throw new InternalError(error, `The user data handler "${name}" failed.`);
      }
    }
    return dataByName;
  }

  /**
   * Calls the handlers one after the other, because a transaction runs one statement at a time. Reads the state of the transaction after
   * each, to find out which handler has ended it. @throws InternalError that names the handler that failed.
   */
  async deleteData(
    userId: string,
    transaction: unknown,
    stateOf: () => Promise<TransactionState> = async () => 'open',
  ): Promise<void> {
    for (const [name, handler] of this.byName) {
      if (!handler.deleteData) continue;
      const failures: unknown[] = [];
      try {
        await handler.deleteData(userId, { transaction });
      } catch (error) {
        failures.push(error);
      }
      const state = await stateOf();
      if (state === 'ended') {
        const fault = 'ended the transaction. The user was not deleted, but committed changes remain.';
        throw new InternalError(failures[0], `The user data handler "${name}" ${fault}`);
      }
      if (failures.length > 0) {
        throw new InternalError(failures[0], `The user data handler "${name}" failed; nothing was changed.`);
      }
      if (state === 'failed') {
        const fault = 'ignored the error of a failed statement in the transaction; nothing was changed.';
        throw new InternalError(undefined, `The user data handler "${name}" ${fault}`);
      }
    }
  }
}

/** Returns whether a name is inherited by every object, or would change how the export becomes JSON. */
function isReserved(name: string): boolean {
  return name === 'toJSON' || name in Object.prototype;
}

/** Returns data as JSON represents it, so that an error names its handler. Values that JSON cannot represent are null. */
function asJson(data: unknown): unknown {
  const json = JSON.stringify(data) as string | undefined;
  return json === undefined ? null : (JSON.parse(json) as unknown);
}
