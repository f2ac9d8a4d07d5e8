// Accessors and redirects of generic OAuth providers (docs/security-requirements.md T5, A-71 to
// C-23).
import type { OAuthUrlOptions } from 'svc-auth';
import { mockIdentityProvider } from 'svc-auth/testing';
import { minute } from '../support/make-pro-service.js';
import { makeService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf } from '../support/outcomes.js';
import {
  account,
  configured,
  goThrough,
  idp,
  redirectUri,
  startProviders,
  withOAuth,
  type OAuthConfig,
} from './oauth-providers.js';

startProviders();

describe('service.oauth and service.oauthProviders', () => {
  const acme = { clientId: 'a', clientSecret: 'b', redirectUri, issuer: 'https://acme.test' };

  it('requires a license, except for the list of names', async () => {
    const { service } = await makeService({ providers: { oauth: { acme, zeta: acme, beta: acme } } });
    expect(service.oauthProviders).toEqual(['acme', 'zeta', 'beta']);
    for (const name of ['acme', 'none'])
      expect(await outcomeOf(() => service.oauth(name))).toBe('license_required');
    expect((await makeService()).service.oauthProviders).toEqual([]);
  });

  it('returns configured providers only', async () => {
    const { service } = await makeService(withOAuth({ acme }));
    expect(service.oauth('acme').name).toBe('acme');
    expect(service.oauth('acme').redirectUri).toBe(redirectUri);
    for (const name of [
      'none',
      'ACME',
      'acme ',
      '',
      '__proto__',
      'constructor',
      'toString',
      'google',
      0,
      null,
    ]) {
      const error = await errorOf(() => service.oauth(name as string));
      expect(error.code).toBe('provider_not_configured');
    }
    expect((await errorOf(() => service.oauth('none'))).message).toContain('providers.oauth.none');
    expect((await errorOf(() => service.oauth('<b>\n'))).message).not.toContain('<b>');
  });

  it('returns a copy of the list of names', async () => {
    const { service } = await makeService(withOAuth({ acme }));
    service.oauthProviders.push('evil');
    expect(service.oauthProviders).toEqual(['acme']);
  });
});

describe('getAuthUrl', () => {
  const make = (oauth?: OAuthConfig) => makeService(withOAuth(oauth));
  const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

  //
  it('returns the provider’s URL with state, S256 challenge and minimal scopes', async () => {
    const { service } = await make();
    const { url, codeVerifier, state, ...rest } = await service.oauth('acme').getAuthUrl();
    expect(rest).toEqual({});
    expect(codeVerifier).toMatch(/^[\w-]{43}$/);
    expect(state).toMatch(/^[\w-]{43}$/);
    expect(url).not.toContain(codeVerifier);
    expect(new URL(url).origin).toBe(idp.issuer);
    expect(parametersOf(url)).toEqual({
      client_id: idp.client.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const second = await service.oauth('acme').getAuthUrl();
    expect([second.state, second.codeVerifier]).not.toEqual([state, codeVerifier]);
  });

  //
  it('requests no scope for explicit endpoints without configured scopes', async () => {
    const { service } = await make();
    expect(parametersOf((await service.oauth('plain').getAuthUrl()).url)).not.toHaveProperty('scope');
  });

  it('sends no request for explicit endpoints', async () => {
    const { service } = await make();
    idp.requests.length = 0;
    await service.oauth('plain').getAuthUrl();
    expect(idp.requests).toEqual([]);
  });

  it('merges state, scopes and params over the configuration', async () => {
    const acme = { ...idp.client, issuer: idp.issuer, scopes: ['openid'] };
    const { service } = await make({ acme: { ...acme, authorizationParams: { prompt: 'login', ui: 'de' } } });
    const { url, state } = await service
      .oauth('acme')
      .getAuthUrl({ state: 'a&b=c', scopes: ['openid', 'calendar'], params: { prompt: 'consent', hd: 'x' } });
    expect(state).toBe('a&b=c');
    expect(parametersOf(url)).toMatchObject({
      state: 'a&b=c',
      scope: 'openid calendar',
      prompt: 'consent',
      ui: 'de',
      hd: 'x',
    });
  });

  //
  it.each(
    'client_id redirect_uri response_type response_mode state code_challenge code_challenge_method nonce request request_uri scope'.split(
      ' ',
    ),
  )('rejects params that set %s', async (name) => {
    const { service } = await make();
    expect(await outcomeOf(() => service.oauth('acme').getAuthUrl({ params: { [name]: 'x' } }))).toBe(
      'invalid_request',
    );
  });

  //
  it.each([
    { state: 1 },
    { state: '' },
    { state: null },
    { scopes: 'openid' },
    { scopes: [1] },
    { scopes: ['a b'] },
    { params: 'x' },
    { params: ['x'] },
    { params: null },
    { params: { x: 1 } },
  ])('rejects the options %j with invalid_request', async (options) => {
    const { service } = await make();
    expect(await outcomeOf(() => service.oauth('acme').getAuthUrl(options as never))).toBe('invalid_request');
  });
});

describe('finishRedirect', () => {
  //
  it('rejects the transaction and the response of another provider', async () => {
    const other = await mockIdentityProvider({ redirectUri });
    try {
      other.accounts.set('person', {});
      const google = { ...idp.client, issuer: idp.issuer };
      const test = await makeService(
        withOAuth(
          { ...configured(), other: { ...other.client, issuer: other.issuer } },
          { providers: { google } },
        ),
      );
      const { service } = test;
      const started = await goThrough(test, 'acme', account());
      const finish = (name: string) => service.oauth(name).finishRedirect(started.query, started.transaction);
      for (const name of ['other', 'plain', 'trusted'])
        expect(await outcomeOf(() => finish(name))).toBe('oauth_error');
      expect(await outcomeOf(() => service.google.finishRedirect(started.query, started.transaction))).toBe(
        'oauth_error',
      );
      const fromGoogle = await service.google.startRedirect();
      const query = (await idp.signIn(fromGoogle.url, account())).searchParams;
      expect(await outcomeOf(() => service.oauth('acme').finishRedirect(query, fromGoogle.transaction))).toBe(
        'oauth_error',
      );
      // None of these calls used up the transaction.
      expect(await outcomeOf(() => finish('acme'))).toBe('ok');

      // The attacker's provider sends the victim's browser a code of the honest provider.
      const honest = await goThrough(test, 'acme', account());
      const atAttacker = await service.oauth('other').startRedirect();
      const mixed = new URLSearchParams(honest.query);
      mixed.set('state', new URL(atAttacker.url).searchParams.get('state')!);
      other.requests.length = 0;
      expect(
        await outcomeOf(() => service.oauth('other').finishRedirect(mixed, atAttacker.transaction)),
      ).toBe('oauth_error');
      // RFC 9207: the code does not reach the attacker.
      expect(other.requests.filter(({ path }) => path === '/token')).toEqual([]);
    } finally {
      await other.close();
    }
  });

  //
  it.each(['https://accounts.evil.test', 'x', ''])(
    'rejects a response of the issuer %j for explicit endpoints before the code is sent',
    async (iss) => {
      const test = await makeService(withOAuth());
      const { query, transaction } = await goThrough(test, 'plain', account());
      query.set('iss', iss);
      idp.requests.length = 0;
      expect(await outcomeOf(() => test.service.oauth('plain').finishRedirect(query, transaction))).toBe(
        'oauth_error',
      );
      expect(idp.requests).toEqual([]);
    },
  );

  // T5, A-71
  it('binds a response to the browser, the transaction and ten minutes', async () => {
    const test = await makeService(withOAuth());
    const oauth = test.service.oauth('acme');
    const { query, transaction } = await goThrough(test, 'acme', account());
    const victim = await goThrough(test, 'acme', account());
    const wrong = new URLSearchParams(query);
    wrong.set('state', 'x'.repeat(43));
    const twice = new URLSearchParams([...query, ['state', query.get('state')!]]);
    const calls = [
      () => oauth.finishRedirect(query, undefined),
      () => oauth.finishRedirect(query, `${transaction}x`),
      () => oauth.finishRedirect(query, victim.transaction),
      () => oauth.finishRedirect(wrong, transaction),
      () => oauth.finishRedirect(twice, transaction),
      () => oauth.finishRedirect(new URLSearchParams({ state: query.get('state')! }), transaction),
    ];
    expect(await runInSequence(calls.length, (i) => calls[i]!())).toEqual(calls.map(() => 'oauth_error'));
    const late = await goThrough(test, 'acme', account());
    test.clock.advance(10 * minute);
    expect(await errorOf(() => oauth.finishRedirect(late.query, late.transaction))).toMatchObject({
      code: 'oauth_error',
      reason: 'expired',
    });
  });

  it.each(['acme', 'plain'])(
    'rejects with oauth_error if the user cancels at the provider: %s',
    async (name) => {
      const test = await makeService(withOAuth());
      const { query, transaction } = await goThrough(test, name, '');
      expect(query.get('error')).toBe('access_denied');
      const refused = await errorOf(() => test.service.oauth(name).finishRedirect(query, transaction));
      expect(refused).toMatchObject({ code: 'oauth_error', reason: 'access_denied' });
    },
  );

  it.each([
    ['user_cancelled_authorize', 'access_denied'],
    ['user_cancelled_login', 'access_denied'],
    ['server_error', 'provider_error'],
    ['temporarily_unavailable', 'provider_error'],
  ])('maps the provider error %s to the reason %s', async (code, reason) => {
    const test = await makeService(withOAuth());
    const { query, transaction } = await goThrough(test, 'plain', '');
    query.set('error', code);
    const refused = await errorOf(() => test.service.oauth('plain').finishRedirect(query, transaction));
    expect(refused).toMatchObject({ code: 'oauth_error', reason });
  });

  it('reports access_denied of the token endpoint as provider_error, because the user did not cancel', async () => {
    const test = await makeService(withOAuth());
    const { query, transaction } = await goThrough(test, 'acme', account());
    idp.override({ faults: { token: { status: 400, body: '{"error":"access_denied"}' } } });
    const refused = await errorOf(() => test.service.oauth('acme').finishRedirect(query, transaction));
    idp.override({});
    expect(refused).toMatchObject({ code: 'oauth_error', reason: 'provider_error' });
  });

  // C-23
  it.each([['x'.repeat(513)], [1], [null], [{}]])(
    'rejects the state %j with invalid_request',
    async (state) => {
      const { service } = await makeService(withOAuth());
      expect(await outcomeOf(() => service.oauth('acme').startRedirect(state as string))).toBe(
        'invalid_request',
      );
    },
  );

  it.each([{ state: '\ud800' }, { params: { hint: '\udc00' } }, { params: { '\ud800': 'x' } }])(
    'rejects the options %j of getAuthUrl, which a URL cannot contain unchanged',
    async (options) => {
      const { service } = await makeService(withOAuth());
      expect(await outcomeOf(() => service.oauth('acme').getAuthUrl(options as OAuthUrlOptions))).toBe(
        'invalid_request',
      );
    },
  );

  //
  it('sends a nonce if the provider issues ID tokens', async () => {
    const { service } = await makeService(withOAuth());
    const parameters = async (name: string) =>
      new URL((await service.oauth(name).startRedirect()).url).searchParams;
    expect((await parameters('acme')).get('nonce')).toMatch(/^[\w-]{43}$/);
    expect((await parameters('plain')).has('nonce')).toBe(false);
    expect((await parameters('plain')).get('code_challenge_method')).toBe('S256');
  });
});
