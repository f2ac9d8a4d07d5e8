// Faults of generic OAuth providers, and the secrets of providers (docs/security-requirements.md
// T13, A-74, A-78, A-79, A-92, A-93).
import type { ResponseOverrides } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, type ProService } from '../support/make-pro-service.js';
import { makeService, type Overrides } from '../support/make-service.js';
import { effortOf, errorOf, outcomeOf } from '../support/outcomes.js';
import { account, codeFor, goThrough, idp, signIn, startProviders, withOAuth } from './oauth-providers.js';

startProviders();

describeAdapters('Faults of OAuth providers', (on) => {
  const { uniqueEmail, adapter } = on;
  const { makePro, verifiedUser } = proFixtures(on);
  const make = (overrides?: Overrides) => makePro(withOAuth(undefined, overrides));

  describe('a manipulated provider response', () => {
    const overrides: [string, string[], ResponseOverrides][] = [
      ['another audience', ['acme'], { audience: 'another-client' }],
      ['several audiences without azp', ['acme'], { audience: ['mock-client', 'another-client'] }],
      ['the azp of another client', ['acme'], { audience: ['mock-client', 'x'], claims: { azp: 'x' } }],
      ['another issuer', ['acme'], { issuer: 'https://accounts.evil.test' }],
      ['an unexpected nonce', ['acme'], { nonce: 'another' }],
      ['an expired ID token', ['acme'], { expired: true }],
      ['an ID token without a signature', ['acme'], { signature: 'none' }],
      ['an ID token by an unknown key', ['acme'], { signature: 'unknown-key' }],
      ['an ID token without a subject', ['acme'], { claims: { sub: undefined } }],
      ['a subject that is too long', ['acme'], { claims: { sub: 'x'.repeat(256) } }],
      ['no ID token', ['acme'], { tokens: { id_token: undefined } }],
      [
        'the userinfo of another subject',
        ['acme'],
        { claims: { email: undefined }, userInfo: { sub: 'victim' } },
      ],
      ['userinfo without a subject', ['plain'], { userInfo: { sub: undefined } }],
      ['a subject that is not a string', ['plain'], { userInfo: { sub: { $ne: 1 } } }],
      ['userinfo that is a list', ['plain'], { faults: { userinfo: { body: '[]' } } }],
      ['userinfo that redirects', ['plain'], { faults: { userinfo: 'redirect' } }],
      ['userinfo that refuses', ['plain'], { faults: { userinfo: 'error' } }],
      ['too large userinfo', ['plain'], { faults: { userinfo: 'oversize' } }],
      ['no access token', ['acme', 'plain'], { tokens: { access_token: undefined } }],
      ['an access token that is not a string', ['acme', 'plain'], { tokens: { access_token: { x: 1 } } }],
      ['an access token of another kind', ['acme', 'plain'], { tokens: { token_type: 'mac' } }],
      ['a token endpoint that refuses', ['acme', 'plain'], { faults: { token: 'error' } }],
      [
        'a token endpoint that refuses with status 200',
        ['acme', 'plain'],
        { faults: { token: 'error-200' } },
      ],
      ['a token endpoint that redirects', ['acme', 'plain'], { faults: { token: 'redirect' } }],
      ['a token endpoint that never stops sending', ['acme', 'plain'], { faults: { token: 'oversize' } }],
      [
        'a token endpoint that sends HTML',
        ['acme', 'plain'],
        { faults: { token: { contentType: 'text/html', body: '<p>' } } },
      ],
      ['a token endpoint that sends null', ['acme', 'plain'], { faults: { token: { body: 'null' } } }],
    ];
    const cases = overrides.flatMap(([what, names, override]) =>
      names.map((name) => [what, name, override] as const),
    );

    //
    it.each(cases)(
      'rejects %s with oauth_error and little work and stores nothing: %s',
      async (_what, name, override) => {
        const test = await make();
        const email = uniqueEmail();
        const subject = account(
          name === 'plain' || override.userInfo ? { email, email_verified: true } : { email },
        );
        // Discovery and the loading of the client are not measured.
        const byCode = await codeFor(test, name, subject);
        const byRedirect = await goThrough(test, name, subject);
        await test.takeEvents();
        idp.override(override);
        const { query, transaction } = byRedirect;
        const calls = [
          () => test.service.oauth(name).handleCallback(byCode),
          () => test.service.oauth(name).finishRedirect(query, transaction),
        ];
        const took: number[] = [];
        for (const call of calls) {
          took.push(
            await effortOf(async () => {
              expect(await errorOf(call)).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
            }),
          );
        }
        // In million steps of a loop. The faster call, with the provider's own work; reading a megabyte takes longer.
        expect(Math.min(...took)).toBeLessThan(JSON.stringify(override).includes('oversize') ? 1_000 : 250);
        expect(await adapter().users.findByEmail(email)).toBeNull();
        for (const each of [subject, 'victim', 'x'.repeat(256)])
          expect(await adapter().identities.findUser(name, each)).toBeNull();
        expect(await test.takeEvents()).toEqual([]);
        idp.override({});
        expect(await outcomeOf(() => signIn(test, name, subject))).toBe('ok');
      },
    );

    // T13
    it('creates an account without an address for a string in email_verified', async () => {
      const test = await make();
      const owner = await verifiedUser(test);
      const subject = account({ email: owner.email, email_verified: true });
      idp.override({ emailVerified: 'true' });
      expect(await signIn(test, 'trusted', subject)).toMatchObject({ created: true, user: { email: null } });
    });
  });
});

describe('Provider secrets', () => {
  //
  it('reveals no provider secret in logs, errors, transactions and the storage', async () => {
    const { makePro } = proFixtures({ make: makeService, uniqueEmail: () => 'secrets@example.com' });
    const test: ProService = await makePro(withOAuth());
    const outputs: string[] = [];
    const secrets: string[] = [idp.client.clientSecret];
    const subject = account({ email: 'secrets@example.com', email_verified: true });
    const print = (value: unknown): string =>
      value instanceof Error
        ? `${value.stack} ${JSON.stringify({ ...value })} ${print(value.cause)}`
        : (JSON.stringify(value) ?? '');
    for (const name of ['acme', 'plain']) {
      const { tokens } = await signIn(test, name, name === 'acme' ? subject : account());
      secrets.push(...[tokens.accessToken, tokens.idToken].filter((each) => each !== undefined));
      const wrong: ResponseOverrides[] = [
        { tokens: { token_type: 'mac', access_token: 'secret-access', refresh_token: 'secret-refresh' } },
        { tokens: { scope: 1, access_token: 'secret-access' } },
        { audience: 'x' },
        { faults: { token: { body: 'secret-access=1' } } },
        {
          faults: {
            token: {
              status: 400,
              body: JSON.stringify({ error: 'invalid_grant', error_description: idp.client.clientSecret }),
            },
          },
        },
        { faults: { userinfo: { status: 401, body: 'secret-access' } }, claims: { email: undefined } },
        { claims: { sub: 1 } },
      ];
      for (const override of wrong) {
        idp.override({});
        const { query, transaction, url } = await goThrough(test, name, account());
        outputs.push(transaction, Buffer.from(transaction.split('.')[0]!, 'base64url').toString(), url);
        secrets.push(query.get('code')!);
        idp.override(override);
        const finish = () => test.service.oauth(name).finishRedirect(query, transaction);
        // Without ID tokens, some of these responses are valid.
        outputs.push(print(await finish().catch((error: unknown) => error)));
      }
    }
    outputs.push(JSON.stringify(test.log), JSON.stringify(await test.takeEvents()));
    const all = outputs.join('\n');
    for (const secret of [...secrets, 'secret-access', 'secret-refresh']) expect(all).not.toContain(secret);
    expect(all).toContain('invalid_grant');
  });
});
