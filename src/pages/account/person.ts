/** What the pages show of their user: the name, the picture or the initials, and the account. */
import { maskPhoneNumber } from '../../domain/phone-number.js';
import { phoneProvider } from '../../domain/identity.js';
import type { UserRecord } from '../../domain/user-record.js';
import { internals } from '../../core/internals.js';
import type { Service } from '../../engine/service.js';
import { avatarOf, type AvatarView } from '../../pages-kit/avatar.js';
import { nameOf } from './page.js';

export interface ShownPerson {
  /** The name that the user has chosen. */
  name: string | null;
  /** The address, else the user name, else the masked phone number. Null for a guest. */
  account: string | null;
  /** Null for a guest without a name. */
  avatar: AvatarView | null;
}

export async function personOf(service: Service, record: UserRecord): Promise<ShownPerson> {
  const { name, picture } = service[internals].profiles.ofUser(record);
  const account = nameOf(record) ?? (await phoneOf(service, record));
  const shown = name ?? account;
  return { name, account, avatar: shown === null ? null : avatarOf({ id: record.id, picture }, shown) };
}

/** Read only for accounts that have neither an address nor a user name. */
async function phoneOf(service: Service, { id, isGuest }: UserRecord): Promise<string | null> {
  if (isGuest) return null;
  const identities = await service.users.listIdentities(id);
  const phone = identities.find(({ provider }) => provider === phoneProvider);
  return phone ? maskPhoneNumber(phone.providerAccountId) : null;
}
