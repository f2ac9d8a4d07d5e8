/**
 * What refusals cost on PostgreSQL: the reason of a session comes out of the one statement that checks it, so a flood of bad cookies does
 * not send more than before reasons existed.
 */
import { randomUUID } from 'node:crypto';
import { makeService, testSecret, type TestService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';
import { connectionPerTest } from '../support/single-connection.js';
import { reasonOf } from '../../src/errors/reasons.js';
import { internals } from '../../src/core/internals.js';
import type { ServiceError } from '../../src/errors/service-error.js';

const on = connectionPerTest();
const context = { ip: '192.0.2.1', startSession: true };
const oneCheck = ['svc_session_check'];

async function signedUp(test: TestService) {
  const email = `${randomUUID()}@example.com`;
  const { user, session } = await test.service.emailPassword.signup(
    { email, password: 'correct horse battery' },
    context,
  );
  return { user, token: session!.token };
}

/** The reason of a refused check, and the statements that it sent. */
async function refusedBy({ service }: TestService, token: string) {
  on.sent.length = 0;
  const error = await errorOf(() => service[internals].sessions.check(token));
  const statements = on.sent.map(({ options }) => options?.name?.replace(/_[0-9a-f]{12}_\d+$/, ''));
  return [reasonOf(error as unknown as ServiceError), statements];
}

describe('the statements of a refused session', () => {
  it('a token that is malformed or forged sends none', async () => {
    const test = await makeService({ adapter: on.storage });
    const { token } = await signedUp(test);
    expect(await refusedBy(test, 'nonsense')).toEqual(['token_malformed', []]);
    expect(await refusedBy(test, `${token.slice(0, -4)}AAAA`)).toEqual(['signature_invalid', []]);
  });

  it.each([
    [
      'session_revoked',
      (test: TestService, token: string) => test.service[internals].sessions.endSession(token),
    ],
    [
      'epoch_passed',
      (test: TestService, _: string, id: string) =>
        test.service[internals].sessions.revokeOtherSessions(id, {}),
    ],
    [
      'user_blocked',
      (test: TestService, _: string, id: string) =>
        on.storage.userAdministration!.block(id, {
          at: new Date(test.clock.now()),
          until: null,
          reason: null,
        }),
    ],
    [
      'session_unknown',
      (_: TestService, __: string, id: string) => on.storage.accounts!.deleteUser(id, async () => undefined),
    ],
  ] as const)('the reason %s is read with the one statement of the check', async (reason, end) => {
    const test = await makeService({ adapter: on.storage, session: { secret: testSecret } });
    const { user, token } = await signedUp(test);
    await (end as (...args: unknown[]) => Promise<unknown>)(test, token, user.id);
    const [given, statements] = await refusedBy(test, token);
    expect(statements).toEqual(oneCheck);
    expect(reason === 'epoch_passed' ? ['epoch_passed', 'session_revoked'] : [reason]).toContain(given);
  });

  it.each([undefined, { maxStaleMs: 60_000 }])(
    'a flood of an ended session sends one per check: cache %j',
    async (cache) => {
      const test = await makeService({
        adapter: on.storage,
        session: { secret: testSecret, cache },
      });
      const { token } = await signedUp(test);
      await test.service[internals].sessions.endSession(token);
      on.sent.length = 0;
      for (let i = 0; i < 20; i += 1) await errorOf(() => test.service[internals].sessions.check(token));
      // The cache proves its connection every few seconds.
      const sent = on.sent.filter(({ sql }) => !sql.includes('pg_notify'));
      expect(sent.length).toBeLessThanOrEqual(20);
    },
  );
});
