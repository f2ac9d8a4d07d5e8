// Redirects and callbacks of the built-in identity provider against a real one, `oidc-provider` on
// loopback (specification 4.1, 4.3; docs/security-requirements.md T5, A-69 to,
// C-23).
import { createHash } from 'node:crypto';
import { createKeyring } from '../../src/crypto/keys.js';
import { signToken } from '../../src/crypto/signed-token.js';
import { makeService, testSecret, type TestService } from '../support/make-service.js';
import { errorOf, runInSequence, outcomeOf } from '../support/outcomes.js';
import {
  account,
  goThrough,
  oidc,
  redirectUri,
  signIn,
  startProvider,
  withGoogle,
} from './google-provider.js';

const minute = 60_000;

startProvider();

describe('getAuthUrl', () => {
  const parameters = async (...args: Parameters<TestService['service']['google']['getAuthUrl']>) => {
    const { service } = await makeService(withGoogle());
    return new URL(await service.google.getAuthUrl(...args));
  };

  //
  it('returns the provider’s URL with client, redirect, code and the scopes openid, email and profile', async () => {
    const url = await parameters();
    expect(url.origin).toBe(oidc.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'acme',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
    });
  });

  it('accepts state, scopes, accessType, prompt and loginHint', async () => {
    const url = await parameters({
      state: 'a&b=c',
      scopes: ['openid', 'email'],
      accessType: 'offline',
      prompt: 'consent',
      loginHint: 'ada@example.com',
    });
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      state: 'a&b=c',
      scope: 'openid email',
      access_type: 'offline',
      prompt: 'consent',
      login_hint: 'ada@example.com',
    });
  });

  it.each([
    { state: '\ud800' },
    { prompt: '\udc00' },
    { loginHint: 'ada\ud800@example.com' },
    { scopes: ['openid', '\ud800'] },
  ])('rejects %j, which a URL cannot contain unchanged', async (options) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.getAuthUrl(options))).toBe('invalid_request');
  });

  it.each([{ state: 1 }, { scopes: 'openid' }, { scopes: [1] }, { accessType: 'always' }, { prompt: null }])(
    'rejects the options %j of getAuthUrl, which have the wrong type',
    async (options) => {
      const { service } = await makeService(withGoogle());
      expect(await outcomeOf(() => service.google.getAuthUrl(options as never))).toBe('invalid_request');
    },
  );

  it('requests the configured scopes', async () => {
    const scopes = ['openid', 'email', 'calendar'];
    const { service } = await makeService({ providers: { google: { ...oidc.client, scopes } } });
    expect(new URL(await service.google.getAuthUrl()).searchParams.get('scope')).toBe(
      'openid email calendar',
    );
  });

  it('discovers the provider once', async () => {
    const { service } = await makeService(withGoogle());
    oidc.requests.length = 0;
    await Promise.all([
      service.google.getAuthUrl(),
      service.google.getAuthUrl(),
      service.google.startRedirect(),
    ]);
    expect(oidc.requests).toEqual(['GET /.well-known/openid-configuration']);
  });
});

describe('startRedirect', () => {
  //
  it('creates a unique state, nonce and S256 challenge at each call', async () => {
    const { service } = await makeService(withGoogle());
    const starts = await Promise.all(Array.from({ length: 20 }, () => service.google.startRedirect('app')));
    for (const name of ['state', 'nonce', 'code_challenge']) {
      const values = starts.map(({ url }) => new URL(url).searchParams.get(name));
      expect(new Set(values).size).toBe(20);
      for (const value of values) expect(value).toMatch(/^[\w-]{43}$/);
    }
    expect(new URL(starts[0]!.url).searchParams.get('code_challenge_method')).toBe('S256');
    expect(new Set(starts.map(({ transaction }) => transaction)).size).toBe(20);
  });

  //
  it('keeps the verifier of 43 characters in the transaction, and its digest in the URL', async () => {
    const { service } = await makeService(withGoogle());
    const { url, transaction } = await service.google.startRedirect();
    const body = Buffer.from(transaction.split('.')[0]!, 'base64url').toString('latin1');
    const verifier = /"codeVerifier":"([\w-]+)"/.exec(body)![1]!;
    expect(verifier).toHaveLength(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(new URL(url).searchParams.get('code_challenge')).toBe(challenge);
    expect(url).not.toContain(verifier);
  });

  //
  it('returns a transaction that is valid for 10 minutes', async () => {
    const { service, clock } = await makeService(withGoogle());
    expect((await service.google.startRedirect()).expiresAt).toEqual(new Date(clock.now() + 10 * minute));
  });

  // C-23
  it.each([['x'.repeat(513)], [1], [null], [['x']], [{}]])('rejects the state %j', async (state) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.startRedirect(state as string))).toBe('invalid_request');
  });

  // C-23
  it('accepts a state of 512 characters in a transaction that fits into a cookie', async () => {
    const test = await makeService(withGoogle());
    const appState = '😀'.repeat(256);
    const { query, transaction } = await goThrough(test, account({}), appState);
    expect(`svc_oauth=${transaction}`.length).toBeLessThan(4096);
    expect((await test.service.google.finishRedirect(query, transaction)).appState).toBe(appState);
  });
});

// C-23
it.each([
  ['control characters', '\u0001'.repeat(512)],
  ['lone surrogates', '\ud800'.repeat(512)],
])('rejects a state of startRedirect whose transaction could not be opened: %s', async (_what, state) => {
  const { service } = await makeService(withGoogle());
  expect(await outcomeOf(() => service.google.startRedirect(state))).toBe('invalid_request');
});

it.each([['\ud800'], ['a\udc00b'], ['\udc00\ud800']])(
  'rejects the state %j of startRedirect, which no redirect could carry back',
  async (state) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.startRedirect(state))).toBe('invalid_request');
  },
);

// C-23
it.each([
  ['of three bytes each', '漢'.repeat(512)],
  ['that JSON escapes', '"'.repeat(512)],
  ['of 2048 bytes', '\u0001'.repeat(341)],
])('returns the state of startRedirect, with characters %s', async (_what, appState) => {
  const test = await makeService(withGoogle());
  const { query, transaction } = await goThrough(test, account({}), appState);
  expect(`svc_oauth=${transaction}`.length).toBeLessThan(4096);
  expect((await test.service.google.finishRedirect(query, transaction)).appState).toBe(appState);
});

describe('finishRedirect', () => {
  let redirects = 0;
  const verified = () => account({ email: `redirect-${(redirects += 1)}@example.com`, email_verified: true });
  const finish = ({ service }: TestService, query: URLSearchParams, transaction?: string) =>
    outcomeOf(() => service.google.finishRedirect(query, transaction));
  const changed = (query: URLSearchParams, change: Record<string, string | null>) => {
    const copy = new URLSearchParams(query);
    for (const [name, value] of Object.entries(change)) {
      if (value === null) copy.delete(name);
      else copy.set(name, value);
    }
    return copy;
  };

  // T5, A-71
  it('rejects a response without a transaction with oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query } = await goThrough(test, verified());
    for (const transaction of [undefined, '', 'x', 'x.y']) {
      expect(await finish(test, query, transaction)).toBe('oauth_error');
    }
  });

  // T5, A-71
  it('rejects the transaction of another browser with oauth_error', async () => {
    const test = await makeService(withGoogle());
    const [attacker, victim] = [await goThrough(test, verified()), await goThrough(test, verified())];
    // Login CSRF: the attacker's response in the victim's browser.
    expect(await finish(test, attacker.query, victim.transaction)).toBe('oauth_error');
    // Even with the victim's state, nonce and verifier differ.
    const state = victim.query.get('state')!;
    expect(await finish(test, changed(attacker.query, { state }), victim.transaction)).toBe('oauth_error');
    expect(await finish(test, attacker.query, attacker.transaction)).toBe('ok');
  });

  // T5, A-71
  it.each([
    ['no state', { state: null }],
    ['an empty state', { state: '' }],
    ['another state', { state: 'x'.repeat(43) }],
    ['no code', { code: null }],
    ['another code', { code: 'x'.repeat(43) }],
    //
    ['another issuer', { iss: 'https://accounts.evil.test' }],
    ['no issuer, although the provider announces it', { iss: null }],
    ['an error of the provider', { code: null, error: 'access_denied' }],
  ])('rejects a response with %s with oauth_error', async (_name, change) => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    expect(await finish(test, changed(query, change), transaction)).toBe('oauth_error');
  });

  //
  it('rejects a response with two states with oauth_error and keeps it valid', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    for (const add of ['append', 'prepend'] as const) {
      const twice = new URLSearchParams(
        add === 'append' ? [...query, ['state', 'x']] : [['state', 'x'], ...query],
      );
      expect(await finish(test, twice, transaction)).toBe('oauth_error');
    }
    // It belongs to no sign-in and uses none up.
    expect(await finish(test, query, transaction)).toBe('ok');
  });

  //
  it('rejects a response with two codes with oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const twice = new URLSearchParams([...query, ['code', 'x']]);
    expect(await finish(test, twice, transaction)).toBe('oauth_error');
  });

  //
  it('rejects a response after 10 minutes with oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    test.clock.advance(10 * minute);
    expect(await finish(test, query, transaction)).toBe('oauth_error');
  });

  //
  it('accepts a response until the last millisecond of 10 minutes', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    test.clock.advance(10 * minute - 1);
    expect(await finish(test, query, transaction)).toBe('ok');
  });

  // A-71, T14
  it('rejects a transaction that was signed by another key, or for another purpose, with oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const bound = JSON.stringify({ state: query.get('state'), nonce: 'n', codeVerifier: 'v' });
    const foreign = createKeyring('a secret of another service, 32 bytes or more');
    const expiresAt = test.clock.now() + minute;
    const forged = [
      signToken(foreign, 'oauth_transaction', bound, expiresAt).token,
      signToken(createKeyring(testSecret), 'magic_link', bound, expiresAt).token,
      test.service.createSessionToken('x').token,
      transaction.slice(0, -1),
    ];
    expect(await runInSequence(4, (i) => test.service.google.finishRedirect(query, forged[i]))).toEqual(
      Array(4).fill('oauth_error'),
    );
  });

  //
  it('rejects with oauth_error if the user cancels at the provider', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, '');
    expect(query.get('error')).toBe('access_denied');
    expect(await finish(test, query, transaction)).toBe('oauth_error');
  });

  //
  it('rejects a stolen code without its verifier', async () => {
    const test = await makeService(withGoogle());
    const { query } = await goThrough(test, verified());
    expect(await outcomeOf(() => test.service.google.handleCallback(query.get('code')!))).toBe('oauth_error');
  });

  //
  it('repeats nothing of the provider’s response in its message', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const evil = changed(query, { code: null, error: 'x', error_description: '<b>call 555-1234</b>' });
    const error = await errorOf(() => test.service.google.finishRedirect(evil, transaction));
    expect(error.message).not.toMatch(/555|<b>/);
  });

  //
  it('accepts a transaction of the previous secret', async () => {
    const before = await makeService(withGoogle());
    const { query, transaction } = await goThrough(before, verified());
    const session = {
      secret: 'the secret after the rotation, 32 bytes or more',
      previousSecrets: [testSecret],
    };
    expect(await finish(await makeService(withGoogle({ session })), query, transaction)).toBe('ok');
  });
});

describe('handleCallback', () => {
  //
  it.each([undefined, null, '', 1, ['x'], {}])('rejects the code %p', async (code) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.handleCallback(code as string))).toBe('invalid_request');
  });

  it('rejects an unknown code with oauth_error', async () => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.handleCallback('made up'))).toBe('oauth_error');
  });
});

describe('an unavailable provider', () => {
  it('rejects with oauth_error at the start while the provider is unavailable, and recovers', async () => {
    const { service } = await makeService(withGoogle());
    await oidc.stop();
    try {
      expect(await outcomeOf(() => service.google.startRedirect())).toBe('oauth_error');
      expect(await outcomeOf(() => service.google.getAuthUrl())).toBe('oauth_error');
      expect(await outcomeOf(() => service.google.handleCallback('x'))).toBe('oauth_error');
    } finally {
      await oidc.restart();
    }
    expect(await outcomeOf(() => service.google.startRedirect())).toBe('ok');
  });

  it('rejects with oauth_error at the callback while the provider is unavailable, and recovers', async () => {
    const test = await makeService(withGoogle());
    const subject = account({ email: 'down@example.com', email_verified: true });
    const { query, transaction } = await goThrough(test, subject);
    await oidc.stop();
    try {
      expect(await outcomeOf(() => test.service.google.finishRedirect(query, transaction))).toBe(
        'oauth_error',
      );
    } finally {
      await oidc.restart();
    }
    expect(await signIn(test, subject)).toMatchObject({ created: true });
  });

  it('starts while the provider is unavailable', async () => {
    await oidc.stop();
    try {
      expect(await outcomeOf(() => makeService(withGoogle()))).toBe('ok');
    } finally {
      await oidc.restart();
    }
  });
});
