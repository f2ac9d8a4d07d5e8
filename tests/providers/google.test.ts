// Sign-in with the built-in identity provider against a real one, `oidc-provider` on loopback (specification 4.1, 4.3;
// SECURITY T5, T13, A-71 to A-79, C-23 to C-25).
import { createHash } from 'node:crypto';
import { createKeyring } from '../../src/crypto/keys.js';
import { signToken } from '../../src/crypto/signed-token.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { makeService, testSecret, type Overrides, type TestService } from '../support/make-service.js';
import { startOidcServer, type OidcAccount, type OidcServer } from '../support/oidc-server.js';
import { errorOf, inTurn, outcomeOf, race } from '../support/outcomes.js';

const minute = 60_000;
const redirectUri = 'http://localhost:3000/api/auth/google/callback';
const password = 'correct horse';
let oidc: OidcServer;
let people = 0;

beforeAll(async () => {
  oidc = await startOidcServer(redirectUri);
});
afterAll(() => oidc.stop());

/** An account at the provider. */
function account(claims: OidcAccount): string {
  const subject = `subject-${(people += 1)}`;
  oidc.accounts.set(subject, claims);
  return subject;
}

const withGoogle = (overrides: Overrides = {}): Overrides => ({
  ...overrides,
  providers: { google: oidc.client, ...overrides.providers },
});

/** The whole way of a browser: start, the provider's pages, back with the query. */
async function goThrough({ service }: TestService, subject: string, appState?: string) {
  const started = await service.google.startRedirect(appState);
  const callback = await oidc.signIn(started.url, subject);
  return { ...started, callback, query: callback.searchParams };
}

async function signIn(test: TestService, subject: string, context?: { sessionToken?: string }) {
  const { query, transaction } = await goThrough(test, subject);
  return test.service.google.finishRedirect(query, transaction, context);
}

describeAdapters('google', ({ make: makeBare, person, adapter, sql }) => {
  const make = (overrides?: Overrides) => makeBare(withGoogle(overrides));

  describe('a sign-in', () => {
    it('creates the user of a verified address, and finds them the next time', async () => {
      const test = await make();
      const email = person();
      const subject = account({
        email,
        email_verified: true,
        name: 'Ada',
        picture: 'https://cdn.test/ada.png',
      });
      const first = await signIn(test, subject);
      expect(first).toMatchObject({
        created: true,
        user: { email, emailVerified: true, metadata: {} },
        profile: {
          id: subject,
          email,
          emailVerified: true,
          name: 'Ada',
          picture: 'https://cdn.test/ada.png',
        },
      });
      expect(first.profile.raw).toMatchObject({ sub: subject });
      expect(Object.keys(first.user).sort()).toEqual(
        'createdAt email emailVerified id metadata updatedAt'.split(' '),
      );
      const second = await signIn(test, subject);
      expect(second).toMatchObject({ created: false, user: first.user });
      expect(await adapter().identities.listForUser(first.user.id)).toEqual([
        expect.objectContaining({ provider: 'google', providerAccountId: subject, userId: first.user.id }),
      ]);
    });

    it('works programmatically with getAuthUrl and handleCallback', async () => {
      const test = await make();
      const email = person();
      const subject = account({ email, email_verified: true });
      const url = await test.service.google.getAuthUrl({ state: 'bound by the caller' });
      const callback = await oidc.signIn(url, subject);
      expect(callback.origin + callback.pathname).toBe(redirectUri);
      expect(callback.searchParams.get('state')).toBe('bound by the caller');
      const code = callback.searchParams.get('code')!;
      const result = await test.service.google.handleCallback(code);
      expect(result).toMatchObject({ created: true, user: { email }, profile: { id: subject, email } });
      expect(await outcomeOf(() => test.service.google.handleCallback(code))).toBe('oauth_error');
    });

    it('A-79 returns no token of the provider', async () => {
      const test = await make();
      const result = await signIn(test, account({ email: person(), email_verified: true }));
      expect(Object.keys(result).sort()).toEqual(['appState', 'created', 'profile', 'user']);
      expect(JSON.stringify([result, test.log])).not.toMatch(/access_token|id_token|refresh_token/);
    });

    it('starts a session where it is asked for', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: person(), email_verified: true }),
      );
      const { user, session } = await test.service.google.finishRedirect(query, transaction, {
        startSession: true,
      });
      expect(await test.service.getSessionUser(session!.token)).toEqual(user);
    });

    it('A-77 brings the state of the application back, and never as a target', async () => {
      const test = await make();
      const appState = 'https://evil.test/?"<>&';
      const { query, transaction, url } = await goThrough(test, account({}), appState);
      expect(url).not.toContain('evil.test');
      expect(query.get('state')).not.toContain('evil');
      const result = await test.service.google.finishRedirect(query, transaction);
      expect(result.appState).toBe(appState);
    });
  });

  describe('an account', () => {
    it('A-75 is found by provider and subject, whatever its address is by now', async () => {
      const test = await make();
      const [old, fresh] = [person(), person()];
      const subject = account({ email: old, email_verified: true });
      const { user } = await signIn(test, subject);
      oidc.accounts.set(subject, { email: fresh, email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({
        created: false,
        user: { id: user.id, email: old },
      });
      // Who gets the old address at the provider is somebody else there, though the mailbox is the same.
      expect(await adapter().users.findByEmail(fresh)).toBeNull();
    });

    it('C-25 is linked to the verified account of its verified address', async () => {
      const test = await make();
      const email = person();
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const { user } = await test.service.emailCode.verify({ email, code });
      const { token } = test.service.createSessionToken(user.id);
      test.clock.advance(1);
      const subject = account({ email: email.toUpperCase(), email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
      // A link, not a claim: what the owner has stays.
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('ok');
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
    });

    it('is linked as it is after a revocation that came between, not as it was before', async () => {
      const { identities, ...rest } = adapter();
      const epochs: number[] = [];
      const link: typeof identities.link = async (identity, epoch) => {
        epochs.push(epoch);
        if (epochs.length === 1) await rest.sessions.revokeAll(identity.userId, new Date());
        return identities.link(identity, epoch);
      };
      const test = await make({ adapter: { ...rest, identities: { ...identities, link } } });
      const email = person();
      await test.service.emailCode.sendCode({ email });
      const { user } = await test.service.emailCode.verify({ email, code: test.mail.lastCode(email)! });
      const subject = account({ email, email_verified: true });
      expect((await signIn(test, subject)).user.id).toBe(user.id);
      expect(epochs).toEqual([0, 1]);
      expect(await identities.listForUser(user.id)).toHaveLength(1);
    });

    it('T2 T13 C-25 claims the unverified account of its verified address, then is linked', async () => {
      const test = await make();
      const email = person();
      const planted = await test.service.emailPassword.signup({ email, password }, { startSession: true });
      const subject = account({ email, email_verified: true });
      const { user, created } = await signIn(test, subject);
      expect({ created, id: user.id, verified: user.emailVerified }).toEqual({
        created: false,
        id: planted.user.id,
        verified: true,
      });
      expect(await outcomeOf(() => test.service.getSessionUser(planted.session!.token))).toBe(
        'token_invalid',
      );
      const login = () => test.service.emailPassword.login({ email, password });
      expect(await outcomeOf(login)).toBe('invalid_credentials');
      expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
    });

    it('in the live session of the same account only verifies it and is linked', async () => {
      const test = await make();
      const email = person();
      const { session } = await test.service.emailPassword.signup(
        { email, password },
        { startSession: true },
      );
      const subject = account({ email, email_verified: true });
      const result = await signIn(test, subject, { sessionToken: session!.token });
      expect(result.user.emailVerified).toBe(true);
      expect(await outcomeOf(() => test.service.emailPassword.login({ email, password }))).toBe('ok');
    });

    it.each([
      ['unverified', { email_verified: false }],
      ['not said to be verified', {}],
      ['verified in a text', { email_verified: 'true' }],
      ['verified with 1', { email_verified: 1 }],
    ])(
      'T13 C-25 whose address is %s touches no account of that address, and has none itself',
      async (_name, claims) => {
        const test = await make();
        const verified = person();
        const unverified = person();
        await test.service.emailCode.sendCode({ email: verified });
        await test.service.emailCode.verify({ email: verified, code: test.mail.lastCode(verified)! });
        await test.service.emailPassword.signup({ email: unverified, password });
        for (const email of [verified, unverified, person()]) {
          const owner = await adapter().users.findByEmail(email);
          const subject = account({ email, ...claims });
          const { user, created, profile } = await signIn(test, subject);
          expect(created).toBe(true);
          expect(user).toMatchObject({ email: null, emailVerified: false });
          expect(profile).toMatchObject({ email, emailVerified: false });
          expect(await adapter().users.findByEmail(email)).toEqual(owner);
          // It is an account all the same, and the same one the next time.
          expect(await signIn(test, subject)).toMatchObject({ created: false, user: { id: user.id } });
        }
        expect(await outcomeOf(() => test.service.emailPassword.login({ email: unverified, password }))).toBe(
          'ok',
        );
      },
    );

    it('without an address is a user without one', async () => {
      const test = await make();
      const { user, profile } = await signIn(test, account({ name: 'Nobody' }));
      expect(user).toMatchObject({ email: null, emailVerified: false });
      expect(profile).toMatchObject({ email: null, emailVerified: false, name: 'Nobody', picture: null });
    });

    it.each([
      'victim@example.com,eve@evil.com',
      'vi\u212Atim@example.com',
      '"victim"@example.com',
      'x'.repeat(400),
    ])('T13 with an address that our grammar refuses is a user without one: %s', async (email) => {
      const test = await make();
      const { user } = await signIn(test, account({ email, email_verified: true }));
      expect(user).toMatchObject({ email: null, emailVerified: false });
    });

    it('whose verified address comes later is not moved to the account of that address', async () => {
      const test = await make();
      const email = person();
      await test.service.emailPassword.signup({ email, password });
      const subject = account({ email, email_verified: false });
      const { user } = await signIn(test, subject);
      oidc.accounts.set(subject, { email, email_verified: true });
      expect(await signIn(test, subject)).toMatchObject({
        created: false,
        user: { id: user.id, email: null },
      });
    });

    it('is made once by many sign-ins at once', async () => {
      const test = await make();
      const subject = account({ email: person(), email_verified: true });
      const ways = await Promise.all(Array.from({ length: 8 }, () => goThrough(test, subject)));
      const results = await Promise.all(
        ways.map(({ query, transaction }) => test.service.google.finishRedirect(query, transaction)),
      );
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
      expect(results.filter(({ created }) => created)).toHaveLength(1);
    });

    it('and a code for the same new address make one user', async () => {
      const test = await make();
      const email = person();
      const { query, transaction } = await goThrough(test, account({ email, email_verified: true }));
      await test.service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const results = await Promise.all([
        test.service.google.finishRedirect(query, transaction),
        test.service.emailCode.verify({ email, code }),
      ]);
      expect(new Set(results.map(({ user }) => user.id)).size).toBe(1);
    });
  });

  describe('a replay', () => {
    it('A-71 of an answer is oauth_error', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: person(), email_verified: true }),
      );
      const finish = () => test.service.google.finishRedirect(query, transaction);
      expect(await inTurn(3, finish)).toEqual(['ok', 'oauth_error', 'oauth_error']);
    });

    it('A-71 of an answer by 20 at once has one winner', async () => {
      const test = await make();
      const { query, transaction } = await goThrough(
        test,
        account({ email: person(), email_verified: true }),
      );
      const tally = await race(20, () => test.service.google.finishRedirect(query, transaction));
      expect(tally).toEqual({ ok: 1, oauth_error: 19 });
    });
  });

  if (!sql) return;
  it('whose database fails is internal_error, and the next sign-in works', async () => {
    const test = await make();
    const subject = account({ email: person(), email_verified: true });
    const { query, transaction } = await goThrough(test, subject);
    await sql('alter table svc_identities rename to svc_identities_away');
    try {
      expect(await outcomeOf(() => test.service.google.finishRedirect(query, transaction))).toBe(
        'internal_error',
      );
    } finally {
      await sql('alter table svc_identities_away rename to svc_identities');
    }
    expect(await signIn(test, subject)).toMatchObject({ created: true });
  });
});

describe('getAuthUrl', () => {
  const parameters = async (...args: Parameters<TestService['service']['google']['getAuthUrl']>) => {
    const { service } = await makeService(withGoogle());
    return new URL(await service.google.getAuthUrl(...args));
  };

  it('A-76 leads to the provider with client, redirect, code and the scopes openid, email and profile', async () => {
    const url = await parameters();
    expect(url.origin).toBe(oidc.issuer);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'acme',
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email profile',
    });
  });

  it('takes state, scopes, accessType, prompt and loginHint', async () => {
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
  ])('refuses %j, which a URL cannot contain unchanged', async (options) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.getAuthUrl(options))).toBe('invalid_request');
  });

  it('follows the configured scopes', async () => {
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
  it('A-71 A-72 has a state, a nonce and an S256 challenge of its own each time', async () => {
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

  it('A-72 keeps the verifier of 43 characters in the transaction, and its digest in the URL', async () => {
    const { service } = await makeService(withGoogle());
    const { url, transaction } = await service.google.startRedirect();
    const body = Buffer.from(transaction.split('.')[0]!, 'base64url').toString('latin1');
    const verifier = /"codeVerifier":"([\w-]+)"/.exec(body)![1]!;
    expect(verifier).toHaveLength(43);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    expect(new URL(url).searchParams.get('code_challenge')).toBe(challenge);
    expect(url).not.toContain(verifier);
  });

  it('A-71 is good for 10 minutes', async () => {
    const { service, clock } = await makeService(withGoogle());
    expect((await service.google.startRedirect()).expiresAt).toEqual(new Date(clock.now() + 10 * minute));
  });

  it.each([['x'.repeat(513)], [1], [null], [['x']], [{}]])('C-23 takes no state of %j', async (state) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.startRedirect(state as string))).toBe('invalid_request');
  });

  it('C-23 takes a state of 512 characters, and the transaction still opens and fits into a cookie', async () => {
    const test = await makeService(withGoogle());
    const appState = '😀'.repeat(256);
    const { query, transaction } = await goThrough(test, account({}), appState);
    expect(`svc_oauth=${transaction}`.length).toBeLessThan(4096);
    expect((await test.service.google.finishRedirect(query, transaction)).appState).toBe(appState);
  });
});

it.each([
  ['control characters', '\u0001'.repeat(512)],
  ['halves of characters', '\ud800'.repeat(512)],
])('C-23 startRedirect takes no state whose transaction would not open again: %s', async (_what, state) => {
  const { service } = await makeService(withGoogle());
  expect(await outcomeOf(() => service.google.startRedirect(state))).toBe('invalid_request');
});

it.each([['\ud800'], ['a\udc00b'], ['\udc00\ud800']])(
  'startRedirect refuses the state %j, which no redirect could carry back',
  async (state) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.startRedirect(state))).toBe('invalid_request');
  },
);

it.each([
  ['of three bytes each', '漢'.repeat(512)],
  ['that JSON escapes', '"'.repeat(512)],
  ['of 2048 bytes', '\u0001'.repeat(341)],
])('C-23 startRedirect takes a state of characters %s, and gets it back', async (_what, appState) => {
  const test = await makeService(withGoogle());
  const { query, transaction } = await goThrough(test, account({}), appState);
  expect(`svc_oauth=${transaction}`.length).toBeLessThan(4096);
  expect((await test.service.google.finishRedirect(query, transaction)).appState).toBe(appState);
});

describe('finishRedirect', () => {
  const verified = () => account({ email: `redirect-${people}@example.com`, email_verified: true });
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

  it('T5 A-71 without a transaction is oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query } = await goThrough(test, verified());
    for (const transaction of [undefined, '', 'x', 'x.y']) {
      expect(await finish(test, query, transaction)).toBe('oauth_error');
    }
  });

  it('T5 A-71 with the transaction of another browser is oauth_error', async () => {
    const test = await makeService(withGoogle());
    const [attacker, victim] = [await goThrough(test, verified()), await goThrough(test, verified())];
    // Login CSRF: the attacker's answer in the victim's browser.
    expect(await finish(test, attacker.query, victim.transaction)).toBe('oauth_error');
    // And with the victim's state put into it, nonce and verifier still tell.
    const state = victim.query.get('state')!;
    expect(await finish(test, changed(attacker.query, { state }), victim.transaction)).toBe('oauth_error');
    expect(await finish(test, attacker.query, attacker.transaction)).toBe('ok');
  });

  it.each([
    ['no state', { state: null }],
    ['an empty state', { state: '' }],
    ['another state', { state: 'x'.repeat(43) }],
    ['no code', { code: null }],
    ['another code', { code: 'x'.repeat(43) }],
    ['A-73 another issuer', { iss: 'https://accounts.evil.test' }],
    ['A-73 no issuer, where the provider announces it', { iss: null }],
    ['an error of the provider', { code: null, error: 'access_denied' }],
  ])('T5 A-71 with %s is oauth_error', async (_name, change) => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    expect(await finish(test, changed(query, change), transaction)).toBe('oauth_error');
  });

  it('A-83 with two states, ours among them, is oauth_error, and the answer stays good', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    for (const add of ['append', 'prepend'] as const) {
      const twice = new URLSearchParams(
        add === 'append' ? [...query, ['state', 'x']] : [['state', 'x'], ...query],
      );
      expect(await finish(test, twice, transaction)).toBe('oauth_error');
    }
    // It belongs to no sign-in, and uses none up.
    expect(await finish(test, query, transaction)).toBe('ok');
  });

  it('A-83 with two codes is oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const twice = new URLSearchParams([...query, ['code', 'x']]);
    expect(await finish(test, twice, transaction)).toBe('oauth_error');
  });

  it('A-71 after 10 minutes is oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    test.clock.advance(10 * minute);
    expect(await finish(test, query, transaction)).toBe('oauth_error');
  });

  it('A-71 after 9 minutes and 59 seconds works', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    test.clock.advance(10 * minute - 1);
    expect(await finish(test, query, transaction)).toBe('ok');
  });

  it('A-71 T14 with a transaction that we did not sign, or signed for something else, is oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const bound = JSON.stringify({ state: query.get('state'), nonce: 'n', codeVerifier: 'v' });
    const foreign = createKeyring('a secret of somebody else, 32 bytes or more');
    const expiresAt = test.clock.now() + minute;
    const forged = [
      signToken(foreign, 'oauth_transaction', bound, expiresAt).token,
      signToken(createKeyring(testSecret), 'magic_link', bound, expiresAt).token,
      test.service.createSessionToken('x').token,
      transaction.slice(0, -1),
    ];
    expect(await inTurn(4, (i) => test.service.google.finishRedirect(query, forged[i]))).toEqual(
      Array(4).fill('oauth_error'),
    );
  });

  it('A-71 the person who goes back at the provider ends in oauth_error', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, '');
    expect(query.get('error')).toBe('access_denied');
    expect(await finish(test, query, transaction)).toBe('oauth_error');
  });

  it('A-72 a stolen code is worth nothing without its verifier', async () => {
    const test = await makeService(withGoogle());
    const { query } = await goThrough(test, verified());
    expect(await outcomeOf(() => test.service.google.handleCallback(query.get('code')!))).toBe('oauth_error');
  });

  it('A-92 says nothing of the provider’s answer in its message', async () => {
    const test = await makeService(withGoogle());
    const { query, transaction } = await goThrough(test, verified());
    const evil = changed(query, { code: null, error: 'x', error_description: '<b>call 555-1234</b>' });
    const error = await errorOf(() => test.service.google.finishRedirect(evil, transaction));
    expect(error.message).not.toMatch(/555|<b>/);
  });

  it('A-69 works across a rotation of the secret', async () => {
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
  it.each([undefined, null, '', 1, ['x'], {}])('A-83 takes no code of %p', async (code) => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.handleCallback(code as string))).toBe('invalid_request');
  });

  it('answers oauth_error for a code of nobody', async () => {
    const { service } = await makeService(withGoogle());
    expect(await outcomeOf(() => service.google.handleCallback('made up'))).toBe('oauth_error');
  });
});

describe('A provider that is down', () => {
  it('is oauth_error at the start, and works again when it is back', async () => {
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

  it('is oauth_error at the callback, and the next sign-in works', async () => {
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

  it('does not keep the service from starting', async () => {
    await oidc.stop();
    try {
      expect(await outcomeOf(() => makeService(withGoogle()))).toBe('ok');
    } finally {
      await oidc.restart();
    }
  });
});
