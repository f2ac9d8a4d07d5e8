/**
 * Whether a user name has an owner: a user, or a person whom only the other system has, who is imported then (`emailPassword.legacy`). The
 * database decides between parallel changes; this is asked before.
 */
import type { Username } from '../../domain/username.js';
import type { StorageAdapter } from '../../storage/adapter.js';
import { capability } from '../support/capability.js';
import type { LegacyUsers } from './legacy-users.js';

export class UsernameOwners {
  constructor(
    private readonly storage: StorageAdapter,
    private readonly legacyUsers: LegacyUsers,
  ) {}

  /**
   * Never rejects because of the other system.
   * @param exceptId the user who may have the name already.
   */
  async isTaken({ key, name }: Username, exceptId?: string): Promise<boolean> {
    const owner = await capability(this.storage, 'userAdministration').find({ usernameKey: key });
    if (owner) return owner.id !== exceptId;
    return this.legacyUsers.bring({ username: name });
  }
}
