// Sign-ins from a trusted browser whose trust ends at the same time (docs/security-requirements.md
// The moment is chosen: tests/attack/races finds others.
import type { StorageAdapter } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { withoutFastPaths } from '../support/without-fast-paths.js';
import { totpUsers } from './totp-users.js';

const password = 'correct horse battery';
const startSession = { startSession: true };

type Moment = 'before the sessions end' | 'after the sessions end' | 'before the session starts';

describeAdapters('Trusted browsers', (on) => {
  const { enrolledUser } = totpUsers(on);

  /** A user with a trusted browser, and a storage that calls `at` once at the given moment. */
  async function trustingUser(moment: Moment) {
    const storage: StorageAdapter = on.adapter();
    const during: { call?: (() => Promise<unknown>) | undefined } = {};
    const happen = async (now: Moment) => {
      const { call } = during;
      if (now !== moment || !call) return;
      during.call = undefined;
      await call();
    };
    const sessions: StorageAdapter['sessions'] = {
      ...storage.sessions,
      async start(...args) {
        await happen('before the session starts');
        return storage.sessions.start(...args);
      },
      async revokeOthers(...args) {
        await happen('before the sessions end');
        const ended = await storage.sessions.revokeOthers(...args);
        await happen('after the sessions end');
        return ended;
      },
    };
    const providers = { totp: { trustedBrowsers: true as const } };
    const enrolled = await enrolledUser({ adapter: { ...withoutFastPaths(storage), sessions }, providers });
    const { service } = enrolled.test;
    const { id: userId } = enrolled.user;
    const email = enrolled.user.email!;
    const own = await service.sessionsProvider.create({ userId });
    await service.emailPassword.changePassword(
      { userId, newPassword: password },
      { sessionToken: own.token },
    );
    const login = (trustToken?: string) =>
      service.emailPassword.login(
        { email, password },
        { ...startSession, ...(trustToken && { trustToken }) },
      );
    const finish = async () => {
      const { token } = (await login()).pending!;
      const recoveryCode = enrolled.recoveryCodes.pop();
      return service.totp.finishSignIn({ token, recoveryCode }, { ...startSession, trustBrowser: true });
    };
    const { trust, session: trusting } = await finish();
    const { session } = await finish();
    const devices = async () => (await service.sessionsProvider.listDevices(userId)).map(({ id }) => id);
    const takeEvents = () => enrolled.test.takeEvents();
    return {
      service,
      takeEvents,
      userId,
      login,
      finish,
      trustToken: trust!.token,
      trusting: trusting!,
      current: session!,
      devices,
      during,
    };
  }

  it.each(['before the sessions end', 'after the sessions end'] as const)(
    'a browser that signs in without a second factor while the user ends all others does not stay signed in: %s',
    async (moment) => {
      const user = await trustingUser(moment);
      const { sessionsProvider, secondFactor } = user.service;
      const signIns: string[] = [];
      user.during.call = async () => {
        const { session } = await user.login(user.trustToken);
        signIns.push(session ? 'signed in' : 'pending');
      };
      await sessionsProvider.revokeOthers(user.userId, user.current.token);
      expect(signIns).toHaveLength(1);
      expect(await user.devices()).toEqual([user.current.session.id]);
      expect(await secondFactor.listTrustedBrowsers(user.userId)).toEqual([]);
    },
  );

  it('no browser stays trusted that passes the second step before the sessions end', async () => {
    const user = await trustingUser('before the sessions end');
    user.during.call = user.finish;
    await user.service.sessionsProvider.revokeOthers(user.userId, user.current.token);
    expect(user.during.call).toBeUndefined();
    expect(await user.service.secondFactor.listTrustedBrowsers(user.userId)).toEqual([]);
  });

  it('the revocation of a session reports the end of the trust in its browser, with its author, and a sign-out does not', async () => {
    const user = await trustingUser('before the session starts');
    const { userId, current, trusting, trustToken } = user;
    const { sessionsProvider, secondFactor, users } = user.service;
    const browsers = await secondFactor.listTrustedBrowsers(userId, { trustToken });
    const [signedOut, revoked] = [await user.login(user.trustToken), await user.login(user.trustToken)];
    await user.takeEvents();
    await sessionsProvider.revoke(signedOut.session!.token);
    const sessionId = revoked.session!.session.id;
    const actor = { type: 'system', id: 'support' } as const;
    await users.revokeSession(userId, sessionId, { actor });
    const trustedBrowserId = browsers.find((browser) => browser.current)!.id;
    const [left, ...others] = await user.takeEvents();
    expect(left).toEqual({
      name: 'session.revoked',
      payload: { userId, sessionId: signedOut.session!.session.id },
    });
    // They were started in the same browser, and end together, in no order.
    const ended = [sessionId, trusting.session.id].map((id) => ({
      name: 'session.revoked',
      payload: { userId, sessionId: id, actor },
    }));
    expect(others.slice(0, 2)).toEqual(expect.arrayContaining(ended));
    expect(others.slice(2)).toEqual([
      { name: 'trusted_browser.revoked', payload: { userId, trustedBrowserId, actor } },
    ]);
    await sessionsProvider.revokeDevice(current.session.id);
    expect((await user.takeEvents()).map(({ name }) => name)).toEqual([
      'session.revoked',
      'trusted_browser.revoked',
    ]);
  });

  it('a browser whose trust ends before its session starts is asked for the second factor', async () => {
    const user = await trustingUser('before the session starts');
    const { secondFactor } = user.service;
    const before = await user.devices();
    user.during.call = async () => {
      for (const { id } of await secondFactor.listTrustedBrowsers(user.userId))
        await secondFactor.revokeTrustedBrowser(user.userId, id);
    };
    const { session, pending } = await user.login(user.trustToken);
    expect(user.during.call).toBeUndefined();
    expect([session, pending?.methods]).toEqual([undefined, ['totp', 'recovery']]);
    expect(await user.devices()).toEqual(before);
  });
});
