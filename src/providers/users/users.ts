/**
 * The administration of users (docs/users.md): lookups, lists, changes and blocks, for the operator of the application. The caller
 * decides who may call: no method checks permissions.
 */
import type {
  NewUserInput,
  UserBlockInput,
  UserFilterInput,
  UserInviteInput,
  UserUpdateInput,
} from '../../domain/user-inputs.js';
import type { ImportedUser, ImportOptions } from '../../domain/imported-user.js';
import type { ImportReport } from '../../domain/import-report.js';
import type { ServiceIdentity } from '../../domain/identity.js';
import type { DeviceSession } from '../../domain/session.js';
import { toUserRecord, type AdministeredUser, type UserRecord } from '../../domain/user-record.js';
import { usernameKey } from '../../domain/username.js';
import { InvalidRequestError, UserNotFoundError } from '../../errors/catalog.js';
import { parseChangeBy, type UserChangeBy } from '../../core/sessions/change-by.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { capability } from '../../core/support/capability.js';
import { parseInput, parseOptions } from '../../core/support/input.js';
import { parseId } from '../../core/support/input-types.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { UserAdministrationRepository } from '../../storage/user-administration-repository.js';
import { idOf, parseNewUser, toLookup } from './arguments.js';
import { refuseIdOfAnother } from './external-ids.js';
import {
  blockInput,
  lookupInput,
  passwordInput,
  updateByInput,
  type UserLookupInput,
  type UserUpdateBy,
} from './inputs.js';
import { listUsers, searchableFilter, type UserListInput } from './user-lists.js';
import { UserInvites, type InviteTools } from './user-invites.js';
import { addressMissing, parseUpdate, refusalOf } from './user-changes.js';
import { UpdateNotices } from './update-notices.js';

type Tools = InviteTools &
  Pick<
    Toolkit,
    | 'accountLimits'
    | 'exports'
    | 'imports'
    | 'newPasswords'
    | 'accountNotices'
    | 'phoneNotices'
    | 'sessions'
    | 'storage'
    | 'usernames'
  >;

const mostCounted = 10_000;

export class UsersProvider {
  constructor(private readonly tools: Tools) {}

  /** @throws UserNotFoundError */
  async get(id: string): Promise<UserRecord> {
    return this.toRecord(await this.existing(id));
  }

  /** Returns the user with this address, phone number, user name, external id or identity, or null. @throws InvalidRequestError */
  async find(lookup: UserLookupInput): Promise<UserRecord | null> {
    const user = await this.repository.find(toLookup(parseInput(lookupInput, lookup)));
    return user && this.toRecord(user);
  }

  /**
   * Returns a page of the users who match every condition, newest first unless `sort` is `oldest`; a search by address or user name is
   * ordered by these, whatever `sort` is, unless it searches within words.
   * @throws InvalidRequestError
   */
  async list(query?: UserListInput): Promise<Page<{ users: UserRecord[] }>> {
    const { rows, nextCursor } = await listUsers(this.repository, query, this.tools.clock());
    return { users: rows.map((user) => this.toRecord(user)), nextCursor };
  }

  /** Returns the number of users who match every condition; above 10,000 only that there are at least so many. @throws InvalidRequestError */
  async count(filter?: UserFilterInput): Promise<number | { atLeast: number }> {
    const searchable = await searchableFilter(this.repository, filter, this.tools.clock());
    const total = await this.repository.count(searchable, mostCounted + 1);
    return total > mostCounted ? { atLeast: mostCounted } : total;
  }

  /**
   * Creates a user. A password requires an address or a user name.
   * @throws EmailExistsError, ExternalIdExistsError; WeakPasswordError; InvalidRequestError, with the reason `username_taken` if another user has the name;
   * ProviderNotConfiguredError for a password without `providers.emailPassword`.
   */
  async create(input: NewUserInput, by?: UserChangeBy): Promise<UserRecord> {
    const { changes, clock, newPasswords, usernames } = this.tools;
    const { user, password } = parseNewUser(input, clock(), usernames);
    const { actor, acting } = parseChangeBy(by);
    await refuseIdOfAnother(this.repository, user.externalId, null);
    const owner = { email: user.email, username: user.username?.name };
    if (password != null) user.passwordHash = await newPasswords.hash(password, owner);
    const created = { userId: user.id, method: 'users.create', actor };
    const outcome = await changes.commit(
      () => this.repository.insert(user, acting),
      (status) => (status === 'inserted' ? [['user.created', created]] : []),
    );
    if (outcome !== 'inserted') throw refusalOf(outcome);
    return this.get(user.id);
  }

  /**
   * Imports users of another system, with their password hashes and everything else that lets them sign in: docs/import.md. A record that
   * cannot be imported is reported and does not end the import. Each batch is stored as a whole; run the import again to continue one that
   * was interrupted: users who are there are left unchanged.
   * @param records an array, or an iterable or async iterable, which is read as fast as it is stored.
   * @throws ImportConflictError if a record belongs to an existing account, unless `onConflict` says what happens then;
   * InvalidRequestError for unknown options; AdapterCapabilityError; an error of the iterable or of a callback.
   */
  async import(
    records: Iterable<ImportedUser> | AsyncIterable<ImportedUser>,
    options?: ImportOptions,
  ): Promise<ImportReport> {
    return this.tools.imports.import(records, options);
  }

  /**
   * Exports every user, with password hashes, the secrets of authenticator apps as plain text, identities, passkeys, API keys and
   * memberships of organizations, as the records that `import` reads: docs/leaving.md. Users are read in pages, in the order of their ids.
   * Guests are left out.
   * @throws ConfigError if an authenticator app cannot be decrypted; AdapterCapabilityError. Both when the records are read.
   */
  export(): AsyncGenerator<ImportedUser, void, undefined> {
    return this.tools.exports.all();
  }

  /**
   * Creates a user with an unverified address, if it has none, and mails a link that verifies it: the user sets a password, or signs in
   * if only magic links are configured. The link works once, for seven days. An existing unverified user gets another link, and keeps
   * metadata and roles.
   * @throws EmailExistsError if a user has verified the address; UserBlockedError, RateLimitError, InvalidRequestError, EmailSendError;
   * ProviderNotConfiguredError without `emailPassword.resetUrl` and `magicLink`.
   */
  async invite(
    input: UserInviteInput,
    by?: UserChangeBy,
  ): Promise<{ user: UserRecord; created: boolean; expiresAt: Date }> {
    const author = parseChangeBy(by);
    const { user, ...invite } = await new UserInvites(this.repository, this.tools).invite(input, author);
    return { user: this.toRecord(user), ...invite };
  }

  /**
   * Changes the fields that are given. `metadata` replaces, `mergeMetadata` merges one level and removes keys whose value is null. A new
   * address counts as unverified unless `emailVerified` is true, and ends every session.
   * @param by.ifUpdatedAt refuses the change if the user has changed since: reason `outdated`.
   * @throws UserNotFoundError, EmailExistsError, ExternalIdExistsError, InvalidRequestError.
   */
  async update(id: string, changes: UserUpdateInput, by?: UserUpdateBy): Promise<UserRecord> {
    const { ifUpdatedAt, ...author } = parseInput(updateByInput, by) ?? {};
    const { externalId, fields, decide } = parseUpdate(changes, ifUpdatedAt, this.tools.usernames);
    const { actor, acting } = parseChangeBy(author);
    await refuseIdOfAnother(this.repository, externalId, idOf(id));
    const notices = new UpdateNotices(this.tools.accountNotices, decide);
    const now = new Date(this.tools.clock());
    const outcome = await this.tools.changes.commit(
      () => this.repository.update(idOf(id), now, notices.decide, acting),
      ({ status }) => (status === 'updated' ? [['user.updated', { userId: id, fields, actor }]] : []),
    );
    if (outcome.status !== 'updated') throw refusalOf(outcome.status);
    notices.send(outcome.user);
    return this.toRecord(outcome.user);
  }

  /**
   * Sets the password of a user, and ends what a password reset ends: every session, and every pending code and link.
   * @throws UserNotFoundError, WeakPasswordError, InvalidRequestError; ProviderNotConfiguredError without `providers.emailPassword`.
   */
  async setPassword(id: string, password: string, by?: UserChangeBy): Promise<UserRecord> {
    const { accountLimits, accountNotices, changes, clock, newPasswords } = this.tools;
    const { actor, acting } = parseChangeBy(by);
    const { email, username } = await this.existing(id);
    if (email === null && username === null) throw addressMissing('password');
    const parsed = parseInput(passwordInput, { password });
    const passwordHash = await newPasswords.hash(parsed.password, { email, username });
    const user = await changes.commit(
      () => this.repository.setPassword(id, passwordHash, new Date(clock()), acting),
      (changed) => (changed ? [['password.set', { userId: id, actor }]] : []),
    );
    if (!user) throw new UserNotFoundError();
    // A user without an address would otherwise stay locked out by failed passwords.
    const subjects = [email, username === null ? null : usernameKey(username)];
    for (const subject of subjects) if (subject !== null) await accountLimits.reset(subject, {});
    accountNotices.send('password_set', id);
    return this.toRecord(user);
  }

  /** Ends every session and token of a user, impersonations and refresh families included. @throws UserNotFoundError, InvalidRequestError */
  async signOut(id: string, by?: UserChangeBy): Promise<void> {
    const { changes, clock, storage } = this.tools;
    const { actor, acting } = parseChangeBy(by);
    const isRevoked = await changes.commit(
      () => storage.sessions.revokeAll(idOf(id), new Date(clock()), acting),
      (isKnown) => (isKnown ? [['session.all_revoked', { userId: id, actor }]] : []),
    );
    if (!isRevoked) throw new UserNotFoundError();
  }

  /**
   * Returns a page of the active sessions of a user, newest first.
   * @param query.currentToken marks its own session as `current`.
   * @throws UserNotFoundError, InvalidRequestError.
   */
  async listSessions(
    id: string,
    query?: PageRequest & { currentToken?: string },
  ): Promise<Page<{ sessions: DeviceSession[] }>> {
    const { clock, sessions, storage } = this.tools;
    const { cursor, limit, currentToken } = parseOptions(query, ['cursor', 'limit', 'currentToken']);
    const { id: userId } = await existingUser(storage.users, id);
    const current = currentToken === undefined ? undefined : sessions.tokens.claimsOf(currentToken)?.sid;
    const { rows, nextCursor } = await readPage(
      { cursor, limit },
      (range) => storage.sessions.listLive(userId, new Date(clock()), range),
      (session) => session,
    );
    return { sessions: rows.map((row) => ({ ...row, current: row.id === current })), nextCursor };
  }

  /** Ends one session of a user. Ignores one that is unknown, has ended or is another user's. @throws UserNotFoundError, InvalidRequestError */
  async revokeSession(id: string, sessionId: string, by?: UserChangeBy): Promise<void> {
    const { sessions, storage } = this.tools;
    const author = parseChangeBy(by);
    const { id: userId } = await existingUser(storage.users, id);
    await sessions.revokeSession(parseId(sessionId, 'sessionId'), userId, author);
  }

  /** Returns the identities of a user, oldest first. @throws UserNotFoundError */
  async listIdentities(id: string): Promise<ServiceIdentity[]> {
    const { identities, users } = this.tools.storage;
    return identities.listForUser((await existingUser(users, id)).id);
  }

  /**
   * Unlinks an identity from its user, also the last sign-in method. Ignores one that is unknown or another user's.
   * @throws UserNotFoundError, InvalidRequestError.
   */
  async unlinkIdentity(id: string, identityId: string, by?: UserChangeBy): Promise<void> {
    const { changes, phoneNotices, storage } = this.tools;
    const { actor, acting } = parseChangeBy(by);
    const user = await existingUser(storage.users, id);
    const { id: userId } = user;
    const ownId = parseId(identityId, 'identityId');
    const outcome = await changes.commit(
      () => storage.identities.unlink(userId, ownId, () => true, acting),
      (unlinked) =>
        unlinked.status === 'unlinked'
          ? [['identity.unlinked', { userId, provider: unlinked.identity.provider, actor }]]
          : [],
    );
    if (outcome.status !== 'unlinked') return;
    phoneNotices.send(user, 'removed', outcome.identity, undefined);
  }

  /**
   * Blocks a user until `until`, or until `unblock`: ends every session and token, and refuses every sign-in with `user_blocked`. The
   * user's API keys are refused as long as the block lasts; keys of organizations stay valid. Replaces any other block.
   * @throws UserNotFoundError; InvalidRequestError, also if `until` is not in the future.
   */
  async block(id: string, block?: UserBlockInput, by?: UserChangeBy): Promise<UserRecord> {
    const { reason, until } = parseInput(blockInput, block) ?? {};
    const { actor, acting } = parseChangeBy(by);
    const at = new Date(this.tools.clock());
    if (until != null && until.getTime() <= at.getTime())
      throw new InvalidRequestError('until must be in the future.', { field: 'until' });
    const newBlock = { at, until: until ?? null, reason: reason ?? null };
    const user = await this.tools.changes.commit(
      () => this.repository.block(idOf(id), newBlock, acting),
      (blocked) => (blocked ? [['user.blocked', { userId: id, actor }]] : []),
    );
    if (!user) throw new UserNotFoundError();
    return this.toRecord(user);
  }

  /** Ends the block of a user. Sessions that the block ended stay ended. @throws UserNotFoundError, InvalidRequestError */
  async unblock(id: string, by?: UserChangeBy): Promise<UserRecord> {
    const { actor, acting } = parseChangeBy(by);
    const outcome = await this.tools.changes.commit(
      () => this.repository.unblock(idOf(id), new Date(this.tools.clock()), acting),
      (unblocked) => (unblocked?.wasBlocked ? [['user.unblocked', { userId: id, actor }]] : []),
    );
    if (!outcome) throw new UserNotFoundError();
    return this.toRecord(outcome.user);
  }

  private async existing(id: string): Promise<AdministeredUser> {
    const user = await this.repository.find({ id: idOf(id) });
    if (!user) throw new UserNotFoundError();
    return user;
  }

  private toRecord(user: AdministeredUser): UserRecord {
    return toUserRecord(user, this.tools.clock());
  }

  /** Required when a method is called: a service on an adapter without it works otherwise. */
  private get repository(): UserAdministrationRepository {
    return capability(this.tools.storage, 'userAdministration');
  }
}
