/** The notices of an update by an administrator: of the user name, and of the address to both addresses. */
import type { AccountNotices } from '../../core/mail/account-notices.js';
import type { AdministeredUser } from '../../domain/user-record.js';
import type { UserChanges } from '../../storage/user-administration-repository.js';

export class UpdateNotices {
  private before: AdministeredUser | null = null;

  constructor(
    private readonly notices: AccountNotices,
    private readonly decideChanges: (user: AdministeredUser) => UserChanges,
  ) {}

  /** Decides, and keeps the user whom the storage has read under its lock. */
  readonly decide = (user: AdministeredUser): UserChanges => {
    const changes = this.decideChanges(user);
    this.before = { ...user };
    return changes;
  };

  /** Call it after the update is committed. */
  send(after: AdministeredUser): void {
    const { before, notices } = this;
    if (!before) return;
    if (before.username !== after.username) notices.send('username_changed', before);
    if (before.email === after.email) return;
    notices.send('address_removed', before);
    notices.send('address_changed', after);
  }
}
