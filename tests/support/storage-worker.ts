/** A process that races others for one record. storage-processes.ts starts it and sends the commands. */
import { randomUUID } from 'node:crypto';
import type { StoredCredential } from '../../src/domain/credential.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';
import type { CodeAttempt } from '../../src/storage/one-time-code-repository.js';
import type { PasswordReset } from '../../src/storage/repositories.js';
import { openStorage } from './open-storage.js';

/** The record that all processes compete for, and the time. */
export interface RaceRecord {
  now: string;
  userId: string;
  email: string;
  codeHash: string;
  linkDigest: string;
  resetDigest: string;
  familyId: string;
  inviteDigest: string;
  inviteeId: string;
  /** Pending for `userId`. */
  pendingSecret: string;
  /** The user whose second factor is active with `secret`, and who owns the passkey. */
  holderId: string;
  secret: string;
  recoveryHash: string;
  passkeyId: string;
  /** A grant of the OAuth server, and an authorization code of it. Also the id of a client. */
  grantId: string;
  authorizationCode: string;
}

type Attempt = (storage: StorageAdapter, record: RaceRecord) => Promise<unknown>;

const attempts = {
  init: async (storage) => {
    await storage.init();
    return true;
  },
  reserve: async ({ oneTimeCodes }, { email, now }) =>
    (await oneTimeCodes.attempt(guess(email, 'wrong', now))).status === 'wrong',
  code: async ({ oneTimeCodes }, { email, codeHash, now }) =>
    (await oneTimeCodes.attempt({ ...guess(email, codeHash, now), maxAttempts: 99 })).status === 'consumed',
  link: ({ singleUseTokens }, { linkDigest, now }) =>
    singleUseTokens.consume('magic_link', linkDigest, new Date(now)),
  reset: ({ users }, record) => users.resetPassword(resetOf(record)),
  // Each also deletes the account that the link was mailed for, and signs up with its address.
  reclaim: async ({ accounts, users }, record) => {
    const newcomerOf = newcomer(ownerAddress(record), record.now);
    const [, , reset] = await Promise.all([
      accounts?.deleteUser(record.userId, async () => undefined, 0),
      users.insert(newcomerOf),
      users.resetPassword(resetOf(record)),
    ]);
    return reset;
  },
  signup: ({ users }, { email, now }) => users.insert(newcomer(email, now)),
  identity: ({ identities }, { email, now }) => {
    const user = newcomer(null, now);
    const createdAt = new Date(now);
    const identity = {
      id: randomUUID(),
      userId: user.id,
      provider: 'google',
      providerAccountId: email,
      createdAt,
    };
    return identities.insertWithUser(identity, user);
  },
  rotation: async ({ refreshFamilies }, { familyId, now }) =>
    (await refreshFamilies?.rotate({ familyId, counter: 0, graceMs: 10_000, now: new Date(now) }))?.status ===
    'rotated',
  // Without a grace period every call except the first is a reuse, and the first reuse revokes the family.
  reuse: async ({ refreshFamilies }, { familyId, now }) =>
    (await refreshFamilies?.rotate({ familyId, counter: 0, graceMs: 0, now: new Date(now) }))?.status ===
    'reused',
  invite: async ({ orgs }, { inviteDigest, inviteeId, now }) =>
    (await orgs?.acceptInvite(inviteDigest, inviteeId, new Date(now), ({ invite }) => invite.role))
      ?.status === 'accepted',
  slug: async ({ orgs }, { email, userId, now }) => {
    const [id, createdAt] = [randomUUID(), new Date(now)];
    const org = { id, name: 'Acme', slug: email, metadata: {}, createdAt, updatedAt: createdAt };
    return (await orgs?.create(org, { orgId: id, userId, role: 'owner', createdAt })) === 'created';
  },
  deletion: async ({ accounts }, { userId }) =>
    (await accounts?.deleteUser(userId, async () => undefined))?.status === 'deleted',
  confirm: async ({ totp }, { userId, pendingSecret, now }) => {
    const confirmation = { userId, pendingSecret, step: 1, recoveryCodeHashes: [randomUUID(), randomUUID()] };
    return (await totp?.confirm({ ...confirmation, now: new Date(now) })) ?? false;
  },
  advance: async ({ totp }, { holderId, secret, now }) =>
    (await totp?.advance(holderId, secret, 2, new Date(now))) ?? false,
  recovery: async ({ totp }, { holderId, recoveryHash }) =>
    Boolean(await totp?.consumeRecoveryCode(holderId, [randomUUID(), recoveryHash])),
  disable: async ({ totp }, { holderId, now }) => (await totp?.disable(holderId, new Date(now))) ?? false,
  register: async ({ credentials }, { email, userId, now }) =>
    (await credentials?.insert(newPasskey(email, userId, now), 0)) === 'inserted',
  passkey: async ({ credentials }, { passkeyId, now }) =>
    (await credentials?.use({ id: passkeyId, counter: 1, backedUp: false, now: new Date(now) })) ?? false,
  authorizationCode: async ({ oauthServer }, { authorizationCode, now }) =>
    (await oauthServer?.useToken(authorizationCode, new Date(now))) ?? false,
  proof: async ({ oauthServer }, { codeHash, now }) => {
    const times = { usedAt: null, expiresAt: new Date(Date.parse(now) + 60_000) };
    const proof = {
      digest: codeHash,
      kind: 'proof' as const,
      alias: null,
      grantId: null,
      clientId: null,
      data: {},
      ...times,
    };
    return (await oauthServer?.insertToken(proof)) ?? false;
  },
  deviceDecision: async ({ oauthServer }, { authorizationCode, now }) =>
    oauthServer?.changeToken(authorizationCode, new Date(now), ({ data, grantId }) =>
      'decision' in data ? null : { data: { decision: randomUUID() }, grantId },
    ),
  grantDecision: async ({ oauthServer }, { authorizationCode, now, userId }) => {
    const time = new Date(now);
    const grant = { id: randomUUID(), userId, clientId: 'client', epoch: 0, scopes: {}, renewal: null };
    const times = { rotatedAt: time, createdAt: time, lastUsedAt: null };
    const expiresAt = new Date(time.getTime() + 60_000);
    return oauthServer?.insertGrant({ ...grant, ...times, counter: 0, expiresAt }, time, {
      request: {
        digest: authorizationCode,
        change: ({ data, grantId }) =>
          'decision' in data ? null : { data: { decision: grant.id }, grantId },
      },
    });
  },
  // As a secret is added: one change finds the place free.
  clientChange: async ({ oauthServer }, { grantId, now }) => {
    let isFree = false;
    await oauthServer?.updateClient(grantId, new Date(now), ({ metadata }) => {
      isFree = metadata['secret'] === undefined;
      return { ...metadata, secret: 'taken' };
    });
    return isFree;
  },
  grantRotation: async ({ oauthServer }, record) =>
    (await oauthServer?.rotate(rotationOf(record, 10_000)))?.status === 'rotated',
  // Without a grace period every call except the first is a reuse, and the first reuse removes the grant.
  grantReuse: async ({ oauthServer }, record) =>
    (await oauthServer?.rotate(rotationOf(record, 0)))?.status === 'reused',
} satisfies Record<string, Attempt>;

export type Race = keyof typeof attempts;

export interface RaceCommand {
  /** Returned with the response. */
  id: number;
  url: string;
  race: Race;
  /** Concurrent calls of each process. */
  calls: number;
  record: RaceRecord;
}

function guess(subject: string, codeHash: string, now: string): CodeAttempt {
  return { purpose: 'email_code', subject, codeHashes: [codeHash], maxAttempts: 5, now: new Date(now) };
}

function rotationOf({ grantId, now }: RaceRecord, graceMs: number) {
  const time = new Date(now);
  return { id: grantId, counter: 0, graceMs, now: time, expiresAt: new Date(time.getTime() + 60_000) };
}

/** Returns the address of the user `userId`; `email` has no account. */
export function ownerAddress({ email }: Pick<RaceRecord, 'email'>): string {
  return `owner-${email}`;
}

function resetOf(record: RaceRecord): PasswordReset {
  const { resetDigest: tokenDigest, userId, now } = record;
  const link = { tokenDigest, email: ownerAddress(record), userId };
  return { ...link, passwordHash: randomUUID(), now: new Date(now) };
}

function newcomer(email: string | null, now: string) {
  const createdAt = new Date(now);
  return { id: randomUUID(), email, emailVerified: false, passwordHash: null, metadata: {}, createdAt };
}

/** A passkey that has not been used. */
function newPasskey(id: string, userId: string, now: string): StoredCredential {
  const key = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
  return {
    id,
    userId,
    ...key,
    aaguid: '',
    name: null,
    lastUsedFrom: null,
    userHandle: null,
    createdAt: new Date(now),
    lastUsedAt: null,
  };
}

let storage: StorageAdapter | undefined;

async function execute({ url, race, calls, record }: Omit<RaceCommand, 'id'>): Promise<number> {
  storage ??= openStorage(url);
  const adapter = storage;
  const results = await Promise.all(Array.from({ length: calls }, () => attempts[race](adapter, record)));
  return results.filter((result) => result !== false && result !== null).length;
}

// The parent process may have ended; that must not fail this one.
function send(message: object): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', (command: RaceCommand) => {
  execute(command).then(
    (won) => send({ id: command.id, won }),
    (error: Error) => send({ id: command.id, error: `${error.message} ${String(error.cause)}` }),
  );
});
process.on('disconnect', () => void storage?.close());
process.send?.('ready');
