/** Logins, rotations and inserts for a user, each overtaken by an event that revokes every session. */
import { softwareAuthenticator } from 'svc-auth/testing';
import { pausableAdapter } from '../../../support/pause-points.js';
import { outcomeOf } from '../../../support/outcomes.js';
import { claims, endings, password, startSession, type Slow } from './slow-service.js';

export function overtaken({ makeSlow, signUp, during, sessionsOf, adapter }: Slow): void {
  describe.each([
    ...Object.entries(endings).map(([name, end]) => ({ name, end, verified: true })),
    ...Object.entries(claims).map(([name, end]) => ({ name, end, verified: false })),
  ])('overtaken by $name', ({ end, verified }) => {
    // C-5
    it('rejects a login whose password check started before the revocation', async () => {
      const test = await makeSlow();
      const person = await signUp(test, verified);
      const { email, userId } = person;
      const login = () => test.service.emailPassword.login({ email, password }, startSession);
      expect(await during(test.point, login, () => end(person))).toBe('token_invalid');
      expect(await sessionsOf(userId)).toEqual([]);
    });

    it('rejects a rotated refresh token, whether the revocation precedes or follows its storage', async () => {
      for (const when of ['before', 'after'] as const) {
        const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), 'refreshFamilies.rotate', when);
        const test = await makeSlow(delayedAdapter);
        const person = await signUp(test, verified);
        const { refresh } = test.service;
        const { refreshToken } = await refresh.issue({ userId: person.userId });
        const pairs: { accessToken: string; refreshToken: string }[] = [];
        const rotate = async () => void pairs.push(await refresh.refresh(refreshToken));
        const outcome = await during(point, rotate, () => end(person));
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
      'stores nothing at %s after the revocation',
      async (path) => {
        const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), path, 'before');
        const test = await makeSlow(delayedAdapter);
        const person = await signUp(test, verified);
        const { userId } = person;
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
        const outcome = await during(point, calls[path]!, () => end(person));
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
