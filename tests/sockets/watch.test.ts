/** `service.watch()`: what it rejects, when it calls the handler, and what goes wrong in between. */
import type { SessionEndReason } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { signUp, until } from '../support/cached-sessions.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { license, proProviders } from '../support/make-pro-service.js';
import type { TestService } from '../support/make-service.js';

const pollMs = 100;
const minute = 60_000;

describeAdapters('service.watch()', ({ make, uniqueEmail }) => {
  const person = (made: TestService) => signUp(made, uniqueEmail());

  /** Watches a session, and collects the reasons with which it ends. */
  async function watched({ service }: TestService, token: string) {
    const reasons: SessionEndReason[] = [];
    const watch = await service.watch(token, (reason) => reasons.push(reason), { pollMs });
    return { reasons, watch, ended: () => until('the end of a session', () => reasons.length > 0) };
  }

  it('returns the user and the session, and calls the handler once with the reason', async () => {
    const made = await make();
    const user = await person(made);
    const other = await person(made);
    const [mine, others] = [await watched(made, user.token), await watched(made, other.token)];
    expect([mine.watch.user.id, mine.watch.session?.id]).toEqual([user.userId, user.sessionId]);
    expect(mine.watch.user).not.toHaveProperty('passwordHash');
    await made.service.users.signOut(user.userId);
    await mine.ended();
    await made.service.users.block(user.userId);
    await made.service.lockdown({});
    await others.ended();
    expect([mine.reasons, others.reasons]).toEqual([['epoch_passed'], ['epoch_passed']]);
    await made.service.close();
  });

  it.each(['x', '', undefined, null, 42, {}])(
    'rejects %p with token_invalid and keeps nothing',
    async (token) => {
      const { service } = await make();
      await expect(service.watch(token as string, () => undefined)).rejects.toMatchObject({
        code: 'token_invalid',
      });
      await service.close();
    },
  );

  it('rejects the token of a revoked session, of a blocked user, and after the service was closed', async () => {
    const made = await make();
    const [one, two, three] = [await person(made), await person(made), await person(made)];
    await made.service[internals].sessions.endSession(one.token);
    await made.service.users.block(two.userId);
    for (const { token } of [one, two])
      await expect(watched(made, token)).rejects.toMatchObject({ code: 'token_invalid' });
    await made.service.close();
    await expect(watched(made, three.token)).rejects.toMatchObject({ code: 'internal_error' });
  });

  it('rejects a handler that is not a function, and an interval out of range', async () => {
    const made = await make();
    const { token } = await person(made);
    await expect(made.service.watch(token, undefined as never)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    for (const ms of [0, 99, 60_001, Number.NaN, '5' as never])
      await expect(made.service.watch(token, () => undefined, { pollMs: ms })).rejects.toMatchObject({
        code: 'invalid_request',
      });
    await made.service.close();
  });

  it('does not call the handler of a watch that was stopped', async () => {
    const made = await make();
    const user = await person(made);
    const [stopped, kept] = [await watched(made, user.token), await watched(made, user.token)];
    stopped.watch.stop();
    stopped.watch.stop();
    await made.service.users.signOut(user.userId);
    await kept.ended();
    expect(stopped.reasons).toEqual([]);
    await made.service.close();
  });

  it('sees the end of a session between its check and the return of watch()', async () => {
    const made = await make();
    const user = await person(made);
    const { sessions } = made.adapter;
    const findWithUser = sessions.findWithUser.bind(sessions);
    sessions.findWithUser = async (id) => {
      const found = await findWithUser(id);
      sessions.findWithUser = findWithUser;
      await made.adapter.sessions.revokeAll(user.userId, new Date(made.clock.now()));
      return found;
    };
    const { ended, reasons } = await watched(made, user.token);
    await ended();
    expect(reasons).toEqual(['epoch_passed']);
    await made.service.close();
  });

  it('logs a handler that throws or rejects, and ends the others although one hangs', async () => {
    const made = await make();
    const user = await person(made);
    const { service } = made;
    await service.watch(
      user.token,
      () => {
        throw new Error('thrown');
      },
      { pollMs },
    );
    await service.watch(user.token, () => Promise.reject(new Error('rejected')), { pollMs });
    await service.watch(user.token, () => new Promise(() => undefined), { pollMs });
    const last = await watched(made, user.token);
    await service.lockdown({ userId: user.userId });
    await last.ended();
    await until('two lines', () => made.log.filter(({ level }) => level === 'error').length === 2);
    await service.close();
  });

  it('keeps a session open while the storage fails, and ends it when it responds again', async () => {
    const made = await make();
    const user = await person(made);
    const { ended, reasons } = await watched(made, user.token);
    const { sessions } = made.adapter;
    const findWithUser = sessions.findWithUser.bind(sessions);
    let failures = 0;
    sessions.findWithUser = async () => {
      failures += 1;
      throw new Error('no connection');
    };
    await made.service.users.signOut(user.userId);
    await until('a second failure', () => failures > 1);
    expect(reasons).toEqual([]);
    expect(made.log.filter(({ fields }) => fields['event'] === 'watch_failed')).toHaveLength(1);
    sessions.findWithUser = findWithUser;
    await ended();
    expect(reasons).toEqual(['epoch_passed']);
    await made.service.close();
  });

  it('a token without a session row ends when it expires, and with a lockdown', async () => {
    const made = await make();
    const [one, two] = [await person(made), await person(made)];
    const tokenOf = ({ userId }: { userId: string }) =>
      made.service.createSessionToken(userId, { expiresInSec: 60 }).token;
    const expiring = await watched(made, tokenOf(one));
    expect(expiring.watch.session).toBeNull();
    made.clock.advance(minute + 1000);
    await expiring.ended();
    const revoked = await watched(made, tokenOf(two));
    made.clock.advance(1);
    await made.service.lockdown({});
    await revoked.ended();
    expect([expiring.reasons, revoked.reasons]).toEqual([['session_expired'], ['epoch_passed']]);
    await made.service.close();
  });

  it('an impersonation ends with the session of the administrator, and with those of the user', async () => {
    const made = await make({
      ...license,
      providers: { ...proProviders, sessions: { canImpersonate: () => true } },
    });
    const [admin, user] = [await person(made), await person(made)];
    const impersonated = async () => {
      const { service } = made;
      const { token } = await service.sessionsProvider.impersonate(admin.userId, user.userId, {
        sessionToken: admin.token,
      });
      return watched(made, token);
    };
    const first = await impersonated();
    await made.service.users.signOut(user.userId);
    await first.ended();
    const second = await impersonated();
    await made.service[internals].sessions.endSession(admin.token);
    await second.ended();
    expect([first.reasons, second.reasons]).toEqual([['epoch_passed'], ['session_revoked']]);
    await made.service.close();
  });

  it('a user with an unverified address ends when the grace time has passed', async () => {
    const made = await make({
      providers: { emailPassword: { verifyEmail: 'require', verifyGraceMs: minute } },
    });
    const user = await person(made);
    const { ended, reasons } = await watched(made, user.token);
    made.clock.advance(minute);
    await ended();
    expect(reasons).toEqual(['email_unverified']);
    await expect(watched(made, user.token)).rejects.toMatchObject({ code: 'email_unverified' });
    await made.service.close();
  });
});
