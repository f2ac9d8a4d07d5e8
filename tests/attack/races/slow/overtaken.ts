/** Passwords, rotations, and what is stored for a user, each overtaken by what ends every session. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { heldAdapter } from '../../../support/held.js';
import { outcomeOf } from '../../../support/outcomes.js';
import { claims, endings, password, startSession, type Slow } from './slow-service.js';

export function overtaken({ makeSlow, signedUp, during, sessionsOf, adapter }: Slow): void {
  describe.each([
    ...Object.entries(endings).map(([name, end]) => ({ name, end, verified: true })),
    ...Object.entries(claims).map(([name, end]) => ({ name, end, verified: false })),
  ])('that $name overtakes', ({ end, verified }) => {
    it('C-5 is no sign-in by password: the check of the password had begun before', async () => {
      const test = await makeSlow();
      const someone = await signedUp(test, verified);
      const { email, userId } = someone;
      const login = () => test.service.emailPassword.login({ email, password }, startSession);
      expect(await during(test.point, login, () => end(someone))).toBe('token_invalid');
      expect(await sessionsOf(userId)).toEqual([]);
    });

    it('is no rotation of a refresh token, neither before it is stored nor after', async () => {
      for (const when of ['before', 'after'] as const) {
        const { adapter: held, point } = heldAdapter(adapter(), 'refreshFamilies.rotate', when);
        const test = await makeSlow(held);
        const someone = await signedUp(test, verified);
        const { refresh } = test.service;
        const { refreshToken } = await refresh.issue({ userId: someone.userId });
        const pairs: { accessToken: string; refreshToken: string }[] = [];
        const rotate = async () => void pairs.push(await refresh.refresh(refreshToken));
        const outcome = await during(point, rotate, () => end(someone));
        expect([when, outcome]).toEqual([when, when === 'before' ? 'refresh_token_invalid' : 'ok']);
        for (const pair of pairs) {
          expect(await outcomeOf(() => test.service.getSessionUser(pair.accessToken))).toMatch(
            /token_invalid|user_not_found/,
          );
          expect(await outcomeOf(() => refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
        }
      }
    });

    it.each(['refreshFamilies.insert', 'apiKeys.insert', 'sessions.start', 'credentials.insert'])(
      'does not store what it made at %s',
      async (path) => {
        const { adapter: held, point } = heldAdapter(adapter(), path, 'before');
        const test = await makeSlow(held);
        const someone = await signedUp(test, verified);
        const { userId } = someone;
        const { service } = test;
        const { options, challenge } = await service.webauthn.startRegistration(userId);
        const response = softwareAuthenticator().create(options);
        const calls: Record<string, () => Promise<unknown>> = {
          'refreshFamilies.insert': () => service.refresh.issue({ userId }),
          'apiKeys.insert': () => service.apiKeys.create({ userId, name: 'CI' }),
          'sessions.start': () => service.sessionsProvider.create({ userId }),
          'credentials.insert': () =>
            service.webauthn.finishRegistration({ userId, response, expectedChallenge: challenge }),
        };
        const outcome = await during(point, calls[path]!, () => end(someone));
        expect(outcome).toMatch(/^(token_invalid|user_not_found)$/);
        const { refreshFamilies, apiKeys, credentials } = adapter();
        expect([
          ...(await refreshFamilies!.listForUser(userId)),
          ...(await apiKeys!.list({ userId })),
          ...(await sessionsOf(userId)),
          ...(await credentials!.listForUser(userId)),
        ]).toEqual([]);
      },
    );
  });
}
