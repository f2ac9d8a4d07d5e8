/** A process that writes until it is killed. tests/contract/killed-process.ts starts it. */
import { randomUUID } from 'node:crypto';
import { openStorage } from './open-storage.js';

const createdAt = new Date('2031-05-06T07:08:09.123Z');
const expiresAt = new Date(createdAt.getTime() + 60_000);

/** Signs users up, each with a session and a refresh family, and deletes every third one. */
async function write(url: string): Promise<void> {
  const storage = openStorage(url);
  for (let count = 0; ; count += 1) {
    const id = randomUUID();
    const user = { id, email: `${id}@example.test`, emailVerified: true, passwordHash: null };
    const session = {
      id,
      userId: id,
      device: {},
      createdAt,
      lastSeenAt: createdAt,
      expiresAt,
      revokedAt: null,
      boundAt: null,
    };
    await storage.sessions.startWithUser(session, { ...user, metadata: {}, createdAt });
    // A link whose subject is the user's: deleted in the same transaction as the user.
    const token = { digest: id, purpose: 'webauthn_registration' as const, subject: id };
    await storage.singleUseTokens.insert({ ...token, expiresAt, metadata: {} });
    if (count % 3 === 0) await storage.accounts?.deleteUser(id, async () => undefined);
    else await storage.sessions.revokeAll(id, createdAt);
    process.send?.(count, undefined, undefined, () => undefined);
  }
}

process.on('message', (url: string) => {
  for (let writers = 0; writers < 5; writers += 1) void write(url);
});
process.on('disconnect', () => process.exit());
process.send?.('ready');
