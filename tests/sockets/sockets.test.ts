/** Open sockets of real clients end with the session. */
import { internals } from '../../src/core/internals.js';
import { signUp } from '../support/cached-sessions.js';
import { makeService, type TestService } from '../support/make-service.js';
import { startSocketSite, type SocketKind, type SocketSite } from '../support/socket-site.js';

const kinds: SocketKind[] = ['ws', 'Socket.IO', 'server-sent events'];
const minute = 60_000;

let made: TestService;
let site: SocketSite;
let people = 0;

beforeEach(async () => {
  made = await makeService({ session: { ttlMs: 60 * minute, renewAfterMs: 10 * minute } });
  site = await startSocketSite(made.service);
});

afterEach(() => site.stop());

const person = () => signUp(made, `person-${(people += 1)}@example.com`);

describe.each(kinds)('an open connection of %s', (kind) => {
  const ends: Record<string, [(user: Awaited<ReturnType<typeof person>>) => Promise<unknown>, string]> = {
    'the user signs out': [
      ({ token }) => made.service[internals].sessions.endSession(token),
      'session_revoked',
    ],
    'an administrator revokes the session': [
      ({ userId, sessionId }) => made.service.users.revokeSession(userId, sessionId),
      'session_revoked',
    ],
    'the user is blocked': [({ userId }) => made.service.users.block(userId), 'user_blocked'],
    'the user is deleted': [
      ({ userId }) => made.adapter.accounts!.deleteUser(userId, async () => undefined),
      'user_deleted',
    ],
    'the user changes the password': [
      ({ userId }) =>
        made.service.emailPassword.changePassword(
          { userId, currentPassword: 'correct horse battery', newPassword: 'another good password' },
          {},
        ),
      'epoch_passed',
    ],
    'all users are locked down': [() => made.service.lockdown({}), 'epoch_passed'],
    'the user is locked down': [({ userId }) => made.service.lockdown({ userId }), 'epoch_passed'],
    'the session expires': [async () => made.clock.advance(60 * minute), 'session_expired'],
    'the service closes': [() => made.service.close(), 'service_closed'],
  };
  it.each(Object.keys(ends))('closes when %s', async (name) => {
    const user = await person();
    const socket = await site.open(kind, user.token);
    const [end, reason] = ends[name]!;
    await end(user);
    expect(await socket.closed).toBe(reason);
    socket.close();
  });

  it('is refused without a valid session, and to a page of another site', async () => {
    const { token } = await person();
    await expect(site.open(kind, `${token.slice(0, -4)}AAAA`)).rejects.toThrow();
    await expect(site.open(kind, token, { origin: 'https://evil.test' })).rejects.toThrow();
    const socket = await site.open(kind, token, { origin: site.url });
    socket.close();
  });

  it('remains open while other requests renew the session, and ends with it', async () => {
    const user = await person();
    const socket = await site.open(kind, user.token);
    made.clock.advance(50 * minute);
    const { sessions } = made.service[internals];
    await sessions.renewSession(await sessions.check(user.token));
    made.clock.advance(20 * minute);
    const outcome = await Promise.race([socket.closed, checkedAgain(user.sessionId)]);
    expect(outcome).toBe('checked');
    made.clock.advance(40 * minute);
    expect(await socket.closed).toBe('session_expired');
    socket.close();
  });
});

/** Resolves when the session has been read twice: by a poll that began after this call. */
function checkedAgain(sessionId: string): Promise<string> {
  const { sessions } = made.adapter;
  const findWithUser = sessions.findWithUser.bind(sessions);
  let reads = 0;
  return new Promise((resolve) => {
    sessions.findWithUser = async (id) => {
      const found = await findWithUser(id);
      if (id === sessionId && (reads += 1) === 2) {
        sessions.findWithUser = findWithUser;
        setTimeout(() => resolve('checked'));
      }
      return found;
    };
  });
}
