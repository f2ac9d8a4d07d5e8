/** A process of its own that races others for one record; storage-processes.ts starts it and says what to do. */
import { randomUUID } from 'node:crypto';
import { knexAdapter } from '../../src/adapters/sql/knex-adapter.js';
import type { StoredCredential } from '../../src/domain/credential.js';
import type { StorageAdapter } from '../../src/storage/adapter.js';

/** The record that all processes want, and when. */
export interface Prize {
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
  /** Whose second factor is in force, with this secret, and who has this passkey. */
  holderId: string;
  secret: string;
  recoveryHash: string;
  passkeyId: string;
}

type Attempt = (storage: StorageAdapter, prize: Prize) => Promise<unknown>;

const attempts = {
  init: async (storage) => {
    await storage.init();
    return true;
  },
  reserve: async ({ oneTimeCodes }, { email, now }) =>
    (await oneTimeCodes.reserveAttempt('email_code', email, 5, new Date(now))).status === 'reserved',
  code: ({ oneTimeCodes }, { email, codeHash, now }) =>
    oneTimeCodes.consume('email_code', email, codeHash, new Date(now)),
  link: ({ singleUseTokens }, { linkDigest, now }) =>
    singleUseTokens.consume('magic_link', linkDigest, new Date(now)),
  reset: ({ users }, { resetDigest, userId, now }) =>
    users.resetPassword({ tokenDigest: resetDigest, userId, passwordHash: randomUUID(), now: new Date(now) }),
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
  // Without grace every call but the first is a reuse, and of those the first ends the family.
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
  advance: async ({ totp }, { holderId, secret }) => (await totp?.advance(holderId, secret, 2)) ?? false,
  recovery: async ({ totp }, { holderId, recoveryHash }) =>
    (await totp?.consumeRecoveryCode(holderId, [randomUUID(), recoveryHash])) ?? false,
  disable: async ({ totp }, { holderId, now }) => (await totp?.disable(holderId, new Date(now))) ?? false,
  register: async ({ credentials }, { email, userId, now }) =>
    (await credentials?.insert(newPasskey(email, userId, now), 0)) === 'inserted',
  passkey: async ({ credentials }, { passkeyId, now }) =>
    (await credentials?.use({ id: passkeyId, counter: 1, backedUp: false, now: new Date(now) })) ?? false,
} satisfies Record<string, Attempt>;

export type Race = keyof typeof attempts;

export interface Order {
  url: string;
  race: Race;
  /** Calls that each process makes at once. */
  calls: number;
  prize: Prize;
}

function newcomer(email: string | null, now: string) {
  const createdAt = new Date(now);
  return { id: randomUUID(), email, emailVerified: false, passwordHash: null, metadata: {}, createdAt };
}

/** One that nobody has used yet. */
function newPasskey(id: string, userId: string, now: string): StoredCredential {
  const key = { publicKey: 'key', counter: 0, transports: [], backupEligible: false, backedUp: false };
  return { id, userId, ...key, aaguid: '', createdAt: new Date(now), lastUsedAt: null };
}

let storage: StorageAdapter | undefined;

async function obey({ url, race, calls, prize }: Order): Promise<number> {
  storage ??= knexAdapter({ client: 'pg', connection: url });
  const adapter = storage;
  const answers = await Promise.all(Array.from({ length: calls }, () => attempts[race](adapter, prize)));
  return answers.filter((answer) => answer !== false && answer !== null).length;
}

// Whoever asked may be gone by now; that is no reason to fail.
function answer(message: object): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', (order: Order) => {
  obey(order).then(
    (won) => answer({ won }),
    (error: Error) => answer({ error: `${error.message} ${String(error.cause)}` }),
  );
});
process.on('disconnect', () => void storage?.close());
process.send?.('ready');
