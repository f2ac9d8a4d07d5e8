/**
 * API keys (specification 4.3, `apiKeys`; docs/decisions/api-keys.md): `svc_<id>_<secret>_<checksum>`, owned by one user or one
 * organization, shown once, stored as a digest.
 */
import * as z from 'zod';
import { constantTimeEqual, sha256 } from '../../crypto/digest.js';
import { parseApiKey } from '../../crypto/api-key-format.js';
import {
  parseApiKeyOwner,
  scopeForm,
  toPublicApiKey,
  type OwnerOfKey,
  type PublicApiKey,
  type StoredApiKey,
} from '../../domain/api-key.js';
import { mustBe, noSuchOrg } from '../../domain/org.js';
import { isInForce } from '../../domain/user-block.js';
import {
  ApiKeyInvalidError,
  EmailUnverifiedError,
  InvalidRequestError,
  NotAuthorizedError,
  TokenInvalidError,
  UserBlockedError,
  UserNotFoundError,
} from '../../errors/catalog.js';
import { because } from '../../errors/reasons.js';
import type { ServiceError } from '../../errors/service-error.js';
import {
  parseActor,
  mustStillAct,
  orgIdOf,
  parseActing,
  sessionInput,
  type Actor,
} from '../../core/sessions/actor.js';
import type { OwnedRecordChange } from '../../core/sessions/change-by.js';
import { newApiKeyLimits } from '../../core/limits/rate-limits.js';
import { withAttemptedUser } from '../../core/support/attempted-user.js';
import { capability } from '../../core/support/capability.js';
import { existingUser } from '../../core/sessions/existing-user.js';
import { parseInput } from '../../core/support/input.js';
import { parseId } from '../../core/support/input-types.js';
import {
  apiKeyOwner,
  newApiKey,
  newApiKeyInput,
  type ApiKeyOwner,
  type GeneratedApiKey,
  type NewApiKey,
} from '../../core/support/new-api-key.js';
import { orTrue } from '../../core/support/option-types.js';
import { readPage, type Page, type PageRequest } from '../../core/support/pages.js';
import type { RequestContext } from '../../core/sessions/request-context.js';
import type { Toolkit } from '../../core/toolkit.js';
import type { ListRange } from '../../storage/list-range.js';
import type { ApiKeyRepository } from '../../storage/pro-repositories.js';
import { revokerOf, type ApiKeyRevocation } from './revocation.js';
import { lazily } from '../../runtime/load.js';

export const apiKeysOptions = lazily(() =>
  orTrue(
    z.strictObject({
      scopes: z
        .array(z.string().regex(scopeForm, 'must be 1 to 64 printable characters without spaces'))
        .max(100)
        .readonly()
        .default([])
        .describe(
          'The scopes that users may give to the keys they create: any user may choose any of them. `create` without an acting user accepts other scopes too.',
        ),
      foreign: z
        .boolean()
        .default(false)
        .describe(
          'Whether keys of another system are accepted, which an [import](import.md#api-keys) has brought. Every string that is not a key of the service then costs a query.',
        ),
      allowUnverified: z
        .boolean()
        .default(false)
        .describe(
          'Whether users with an unverified address may create keys. Such a key remains valid until the owner of the address verifies it.',
        ),
    }),
  ).meta({ title: 'API keys', description: 'Keys for programs: [API keys](providers/api-keys.md).' }),
);

type Options = z.output<ReturnType<typeof apiKeysOptions>>;
type Tools = Pick<Toolkit, 'accountNotices' | 'background' | 'changes' | 'clock' | 'limiter' | 'storage'>;

type ApiKeyPage = Page<{ apiKeys: PublicApiKey[] }>;

const lastUsedPrecisionMs = 60_000;

export class ApiKeysProvider {
  private readonly keys: ApiKeyRepository;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.keys = capability(tools.storage, 'apiKeys');
  }

  /** The scopes that users may give to the keys they create. */
  get grantableScopes(): readonly string[] {
    return this.options.scopes;
  }

  /** Whether keys of another system are accepted. */
  get acceptsForeign(): boolean {
    return this.options.foreign && this.keys.findByDigest !== undefined;
  }

  /**
   * Creates a key for exactly one owner. Take the owner from your session, never from the request's body.
   * @param by with an acting user, the rules of a user's own call apply: only an admin creates a key of an organization, and
   * only the user a key of a user; scopes are limited to `grantableScopes`, and keys to 100 per user in 24 hours. With an
   * epoch, the call is refused if every session has ended since it was read. Without it, the system creates the key.
   * @returns the key, which is shown only once, and its record.
   * @throws InvalidRequestError; UserNotFoundError or OrgError for an unknown owner; NotAuthorizedError for a guest, and for
   * an acting user who is not the owner or not an admin of the organization, whether or not it exists; EmailUnverifiedError
   * for a user with an unverified address, unless `allowUnverified`; RateLimitError; TokenInvalidError if the account was
   * reclaimed, or every session of the user ended, while the key was created.
   */
  async create(
    input: NewApiKey,
    by?: Actor | { sessionEpoch: number },
  ): Promise<{ key: string; record: PublicApiKey }> {
    input = parseInput(newApiKeyInput, input);
    const owner = parseApiKeyOwner(input);
    const maker = parseMaker(owner, by);
    const key = newApiKey(owner, input, this.tools.clock());
    const { actingUserId } = maker;
    if (actingUserId === undefined) return this.insert(key, maker);
    if (owner.userId !== null && owner.userId !== actingUserId)
      throw new NotAuthorizedError(because('other_user'));
    // The caller may be any user, and a guard that requires a scope relies on the application having granted it.
    if (!key.stored.scopes.every((scope) => this.options.scopes.includes(scope)))
      throw new InvalidRequestError('scopes must be among those of the option providers.apiKeys.scopes.');
    const spent = await this.tools.limiter.consume(newApiKeyLimits(actingUserId));
    try {
      return await this.insert(key, maker);
    } catch (error) {
      await spent.refund();
      throw error;
    }
  }

  private async insert({ key, stored }: GeneratedApiKey, maker: Partial<Actor>) {
    const { accountNotices, changes, storage } = this.tools;
    const { allowUnverified } = this.options;
    const { userId } = stored;
    const orgId =
      stored.orgId === null ? null : await orgIdOf(storage.orgs, stored.orgId, maker.actingUserId);
    const user = userId === null ? null : await existingUser(storage.users, userId);
    const actor = parseActor(maker.actingUserId === undefined ? undefined : maker, (role, acting) => {
      mustBe('admin', role);
      mustStillAct(acting, maker, allowUnverified);
    });
    const record = { ...stored, orgId };
    // With the epoch: a key that is being created while the mailbox's owner reclaims the account must not be in it then.
    const epoch = user && (maker.sessionEpoch ?? user.epoch);
    const outcome = await changes.commit(
      () => this.keys.insert(record, epoch, { verified: !allowUnverified, actor }),
      (status) =>
        status === 'inserted' ? [['api_key.created', { apiKeyId: record.id, userId, orgId }]] : [],
      maker.actingUserId,
    );
    if (outcome === 'guest') throw new NotAuthorizedError(because('guest'));
    if (outcome === 'unverified') throw new EmailUnverifiedError();
    if (outcome === 'epoch_moved') throw new TokenInvalidError(because('epoch_passed'));
    if (outcome === 'no_owner') throw userId === null ? noSuchOrg() : new UserNotFoundError();
    if (user) accountNotices.send('api_key_created', user);
    return { key, record: toPublicApiKey(record) };
  }

  /**
   * Returns the record of a valid key: one indexed read. `lastUsedAt` is updated at most once a minute, in the background.
   * @throws ApiKeyInvalidError for a malformed, unknown, expired or revoked key, or if the owner was deleted; UserBlockedError.
   */
  async verify(key: string): Promise<PublicApiKey> {
    const { background, clock } = this.tools;
    // Form and checksum first: garbage never reaches the database.
    const presented = parseApiKey(key);
    const stored = presented ? await this.findOwn(presented) : await this.findForeign(key);
    if (!stored) throw new ApiKeyInvalidError(because('api_key_unknown'));
    const now = clock();
    const refusal = refusalOf(stored, now);
    if (refusal) throw withAttemptedUser(refusal, stored.userId ?? undefined);
    const since = new Date(now - lastUsedPrecisionMs);
    if (stored.lastUsedAt === null || stored.lastUsedAt < since)
      background.start('last use of an API key', () => this.keys.touch(stored.id, new Date(now), since));
    return toPublicApiKey(stored);
  }

  private async findOwn({ id, secret }: { id: string; secret: string }): Promise<StoredApiKey | null> {
    const stored = await this.keys.findById(id);
    return stored && constantTimeEqual(sha256(secret), stored.secretHash) ? stored : null;
  }

  /** Keys of another system have no form: their digest is looked up. */
  private async findForeign(key: unknown): Promise<StoredApiKey | null> {
    // A key of this package with a typing error stays one that reaches no database.
    const isForeign = typeof key === 'string' && /^[\x21-\x7e]{8,1024}$/.test(key) && !key.startsWith('svc_');
    if (!this.acceptsForeign || !isForeign) return null;
    return (await this.keys.findByDigest?.(sha256(key))) ?? null;
  }

  /**
   * Returns the keys of an owner, newest first, revoked ones included: all of them, or one page.
   * @param acting with it, only an admin lists the keys of an organization, and only the user those of a user.
   * @throws InvalidRequestError, UserNotFoundError, OrgError; NotAuthorizedError.
   */
  async list(owner: ApiKeyOwner, acting?: Actor): Promise<PublicApiKey[]>;
  async list(
    owner: ApiKeyOwner,
    acting: Actor | undefined,
    page: PageRequest,
    context?: RequestContext,
  ): Promise<ApiKeyPage>;
  async list(
    owner: ApiKeyOwner,
    acting?: Actor,
    page?: PageRequest,
    context?: RequestContext,
  ): Promise<PublicApiKey[] | ApiKeyPage> {
    const listed = parseApiKeyOwner(parseInput(apiKeyOwner, owner));
    const of = await this.listedOwner(listed, parseActing(acting).actingUserId, context);
    if (page === undefined) return this.keys.list(of);
    const read = (range: ListRange) => this.keys.list(of, range);
    const { rows, nextCursor } = await readPage(page, read, (key) => key);
    return { apiKeys: rows, nextCursor };
  }

  private async listedOwner(
    { userId, orgId: idOrSlug }: OwnerOfKey,
    actingUserId: string | undefined,
    context: RequestContext | undefined,
  ) {
    const { orgs, users } = this.tools.storage;
    if (userId !== null) {
      if (actingUserId !== undefined && actingUserId !== userId)
        throw new NotAuthorizedError(because('other_user'));
      return { userId: (await existingUser(users, userId, context)).id };
    }
    const orgId = await orgIdOf(orgs, idOrSlug, actingUserId);
    if (actingUserId !== undefined) mustBe('admin', (await orgs?.roleOf(orgId, actingUserId)) ?? null);
    else if (orgs && !(await orgs.findById(orgId))) throw noSuchOrg();
    return { orgId };
  }

  /**
   * Revokes a key. An unknown or ended key is ignored.
   * @param by with it, only a key of the acting user is revoked, or with `orgId` one of this organization by an admin, or with `userId` and
   * `actor` one of this user by an administrator; any other key is ignored.
   * @throws InvalidRequestError, UserNotFoundError; NotAuthorizedError for an acting user who is not an admin of the organization, whether or
   * not it exists; TokenInvalidError if every session has ended since the epoch was read.
   */
  async revoke(apiKeyId: string, by?: ApiKeyRevocation | OwnedRecordChange): Promise<void> {
    const { changes, clock, storage } = this.tools;
    const id = parseId(apiKeyId, 'apiKeyId');
    const { actor, actingUserId, of } = await revokerOf(storage, by);
    await changes.commit(
      () => this.keys.revoke(id, new Date(clock()), of),
      (revoked) => {
        if (!revoked) return [];
        const { userId, orgId } = revoked;
        return [['api_key.revoked', { apiKeyId, userId, orgId, ...(actor && { actor }) }]];
      },
      actingUserId,
    );
  }
}

const requiredSession = lazily(() => sessionInput().required());

/** For a key of a user the session alone may be given; for a key of an organization only an acting user. */
function parseMaker(owner: OwnerOfKey, by: unknown): Partial<Actor> {
  const { actingUserId } = (by ?? {}) as Partial<Actor>;
  if (by === undefined || owner.userId === null || actingUserId !== undefined) return parseActing(by);
  return parseInput(requiredSession, by);
}

/** Returns why a key is refused, or null. */
function refusalOf({ revokedAt, expiresAt, ownerBlock }: StoredApiKey, now: number): ServiceError | null {
  if (revokedAt !== null) return new ApiKeyInvalidError(because('api_key_revoked'));
  // Written so that an unreadable time counts as past.
  const isExpired = expiresAt !== null && !(now < expiresAt.getTime());
  if (isExpired) return new ApiKeyInvalidError(because('api_key_expired'));
  return isInForce(ownerBlock ?? null, now) ? new UserBlockedError() : null;
}
