/**
 * API keys (specification 4.3, `apiKeys`; docs/decisions/api-keys.md): `svc_<id>_<secret>_<checksum>`, owned by one user or one
 * organisation, shown once, kept as a digest.
 */
import { isDate } from 'node:util/types';
import { constantTimeEqual, sha256 } from '../crypto/digest.js';
import { uuidV7 } from '../crypto/random.js';
import { formatApiKey, parseApiKey } from '../crypto/api-key-format.js';
import { toPublicApiKey, type PublicApiKey, type StoredApiKey } from '../domain/api-key.js';
import { mustBe, noSuchOrg, type OrgRole } from '../domain/org.js';
import { parseMetadata } from '../domain/metadata.js';
import { parseName } from '../domain/name.js';
import {
  ApiKeyInvalidError,
  InvalidRequestError,
  NotAuthorizedError,
  TokenInvalidError,
  UserNotFoundError,
} from '../errors/catalog.js';
import { actorOf, type Acting } from '../kit/acting.js';
import { capability } from '../kit/capability.js';
import { existingUser } from '../kit/existing-user.js';
import { checkInput } from '../kit/input.js';
import { orTrue } from '../kit/option-types.js';
import type { Toolkit } from '../kit/toolkit.js';
import type { Zod } from '../runtime/load.js';
import type { ApiKeyRepository } from '../storage/pro-repositories.js';

const scopeForm = /^[\x21-\x7e]{1,64}$/;

export const apiKeysOptions = (z: Zod) =>
  orTrue(
    z,
    z.strictObject({
      /** The scopes that keys made over HTTP may have: whoever signs up may take any of them. `create` takes others too. */
      scopes: z
        .array(z.string().regex(scopeForm, 'must be 1 to 64 printable characters without spaces'))
        .max(100)
        .readonly()
        .default([]),
    }),
  );

type Options = ReturnType<ReturnType<typeof apiKeysOptions>['parse']>;

type Tools = Pick<Toolkit, 'background' | 'clock' | 'events' | 'storage'>;

export interface ApiKeyOwner {
  userId?: string;
  orgId?: string;
}

export interface NewApiKey extends ApiKeyOwner {
  name: string;
  scopes?: readonly string[];
  expiresAt?: Date;
  metadata?: Record<string, unknown>;
}

/** The session that a user makes a key from: its user's epoch, as it was when the session was checked. */
export interface MakerSession {
  epoch: number;
}

/** Who ends a key of which organisation. */
export interface OrgKeyRevocation extends Acting {
  orgId: string;
}

const lastUsedPrecisionMs = 60_000;
// ISO 8601 writes later years in a form that PostgreSQL does not read.
const latestExpiry = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

export class ApiKeysProvider {
  private readonly keys: ApiKeyRepository;

  constructor(
    private readonly options: Options,
    private readonly tools: Tools,
  ) {
    this.keys = capability(tools.storage, 'apiKeys');
  }

  /** What the routes may grant, for their callers choose. */
  get grantableScopes(): readonly string[] {
    return this.options.scopes;
  }

  /**
   * Makes a key for exactly one owner. Take the owner from your session, never from the request's body.
   * @param by for a key of an organisation, the admin who makes it: whoever is none any more when the key is stored makes none. For a key
   * of a user, the epoch that who checked their session read: what ended every session since then wins. Without it, the system.
   * @returns the key itself, for this one time, and what is kept of it.
   * @throws InvalidRequestError; UserNotFoundError, OrgError for an owner that does not exist; NotAuthorizedError for a guest, and for an
   * actor who is no admin of the organisation, there or not; TokenInvalidError when the user was claimed, or all their sessions
   * ended, meanwhile.
   */
  async create(input: NewApiKey, by?: Acting | MakerSession): Promise<{ key: string; record: PublicApiKey }> {
    const { clock, events, storage } = this.tools;
    checkInput(input);
    const owner = parseOwner(input);
    const actor = owner.orgId === null ? undefined : actorOf(by, asAdmin);
    const epoch = owner.userId === null ? undefined : parseEpoch(by);
    const name = parseName(input.name);
    const now = clock();
    const id = uuidV7(now);
    const { key, prefix, secret } = formatApiKey(id);
    const stored: StoredApiKey = {
      id,
      name,
      prefix,
      ...owner,
      scopes: parseScopes(input.scopes),
      metadata: parseMetadata(input.metadata),
      createdAt: new Date(now),
      lastUsedAt: null,
      expiresAt: parseExpiry(input.expiresAt, now),
      revokedAt: null,
      secretHash: sha256(secret),
    };
    const user = owner.userId === null ? null : await existingUser(storage.users, owner.userId);
    // With the epoch: a key that is on its way while the mailbox's owner takes the account back must not be in it then.
    const outcome = await this.keys.insert(stored, user && (epoch ?? user.epoch), actor);
    if (outcome === 'guest') throw new NotAuthorizedError();
    if (outcome === 'epoch_moved') throw new TokenInvalidError();
    if (outcome === 'no_owner') throw owner.userId === null ? noSuchOrg() : new UserNotFoundError();
    events.emit('api_key.created', { apiKeyId: id, ...owner });
    return { key, record: toPublicApiKey(stored) };
  }

  /**
   * The key's record, if the key is good: one indexed read. `lastUsedAt` is kept to the minute, in the background.
   * @throws ApiKeyInvalidError for a key that is malformed, unknown, expired or revoked, or whose owner is gone.
   */
  async verify(key: string): Promise<PublicApiKey> {
    const { background, clock } = this.tools;
    // Form and checksum first: garbage never reaches the database.
    const presented = parseApiKey(key);
    const stored = presented && (await this.keys.findById(presented.id));
    if (!stored || !constantTimeEqual(sha256(presented.secret), stored.secretHash))
      throw new ApiKeyInvalidError();
    const now = clock();
    if (stored.revokedAt !== null || (stored.expiresAt !== null && now >= stored.expiresAt.getTime())) {
      throw new ApiKeyInvalidError();
    }
    const since = new Date(now - lastUsedPrecisionMs);
    if (stored.lastUsedAt === null || stored.lastUsedAt < since) {
      background.start('last use of an API key', () => this.keys.touch(stored.id, new Date(now), since));
    }
    return toPublicApiKey(stored);
  }

  /** Every key of an owner, newest first, revoked ones included. @throws InvalidRequestError, UserNotFoundError, OrgError. */
  async list(owner: ApiKeyOwner): Promise<PublicApiKey[]> {
    const { storage } = this.tools;
    checkInput(owner);
    const { userId, orgId } = parseOwner(owner);
    if (userId !== null) return this.keys.list({ userId: (await existingUser(storage.users, userId)).id });
    if (storage.orgs && !(await storage.orgs.findById(orgId))) throw noSuchOrg();
    return this.keys.list({ orgId });
  }

  /**
   * Ends a key. One that has ended, or never was, is no error.
   * @param by the admin who ends it, and the organisation: a key of anybody else is no error either, and stays.
   * @throws InvalidRequestError; NotAuthorizedError for an actor who is no admin of the organisation, there or not.
   */
  async revoke(apiKeyId: string, by?: OrgKeyRevocation): Promise<void> {
    if (typeof apiKeyId !== 'string') throw new InvalidRequestError('apiKeyId must be a string.');
    const revoked = await this.keys.revoke(apiKeyId, new Date(this.tools.clock()), parseRevocation(by));
    if (!revoked) return;
    const { userId, orgId } = revoked;
    this.tools.events.emit('api_key.revoked', { apiKeyId, userId, orgId });
  }
}

function asAdmin(role: OrgRole | null): void {
  mustBe('admin', role);
}

/** Fails closed: what was meant to be a session must not become the system. */
function parseEpoch(by: unknown): number | undefined {
  if (by === undefined) return undefined;
  const { epoch } = (by ?? {}) as Record<string, unknown>;
  if (!Number.isInteger(epoch)) throw new InvalidRequestError('epoch must be an integer.');
  return epoch as number;
}

function parseRevocation(by: unknown) {
  const actor = actorOf(by, asAdmin);
  const { orgId } = (by ?? {}) as Record<string, unknown>;
  if (actor && typeof orgId !== 'string') throw new InvalidRequestError('orgId must be a string.');
  return actor && { orgId: orgId as string, actor };
}

type Owner = { userId: string; orgId: null } | { userId: null; orgId: string };

function parseOwner({ userId, orgId }: ApiKeyOwner): Owner {
  if (typeof userId === 'string' && (orgId ?? null) === null) return { userId, orgId: null };
  if (typeof orgId === 'string' && (userId ?? null) === null) return { userId: null, orgId };
  throw new InvalidRequestError('A key has exactly one owner: userId or orgId.');
}

function parseScopes(scopes: unknown = []): string[] {
  const isScope = (scope: unknown) => typeof scope === 'string' && scopeForm.test(scope);
  // From a copy: `every` skips the holes of an array.
  if (Array.isArray(scopes) && scopes.length <= 100 && Array.from<unknown>(scopes).every(isScope))
    return [...new Set(scopes as string[])];
  throw new InvalidRequestError(
    'scopes must be at most 100 strings of 1 to 64 printable characters without spaces.',
  );
}

function parseExpiry(expiresAt: unknown, now: number): Date | null {
  if (expiresAt === undefined || expiresAt === null) return null;
  // A Date of another realm is a Date, and one whose methods were replaced still has its own time.
  const time = isDate(expiresAt) ? Date.prototype.getTime.call(expiresAt) : Number.NaN;
  if (time > now && time <= latestExpiry) return new Date(time);
  throw new InvalidRequestError('expiresAt must be a Date in the future, before the year 10000.');
}
