/** Exports users page by page, so that memory does not grow with their number (docs/leaving.md). */
import type { Keyring } from '../../crypto/keys.js';
import type { ImportedUser } from '../../domain/imported-user.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import type { Clock } from '../support/clock.js';
import { exportedUser } from './exported-user.js';

const usersPerPage = 500;

interface ExportTools {
  clock: Clock;
  storage: StorageAdapter;
  /** Null without `encryptionKey`. */
  encryptionKeys: Keyring | null;
}

export class UserExports {
  constructor(private readonly tools: ExportTools) {}

  async *all(): AsyncGenerator<ImportedUser, void, undefined> {
    const { clock, encryptionKeys, storage } = this.tools;
    const repository = capability(storage, 'exports');
    let after: string | null = null;
    for (;;) {
      const page = await repository.exportUsers(after, usersPerPage);
      // Guests have nothing to sign in with.
      for (const account of page)
        if (!account.user.isGuest) yield exportedUser(account, encryptionKeys, clock());
      if (page.length < usersPerPage) return;
      after = page.at(-1)?.user.id ?? null;
    }
  }
}
