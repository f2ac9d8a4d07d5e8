// identity providers that lie, browsers that are led somewhere, and answers that are another's, over the routes of both
// kinds of provider.
import { createHash, createHmac } from 'node:crypto';
import {
  mockIdentityProvider,
  type MockAccount,
  type MockIdentityProvider,
  type MockLies,
} from 'svc-auth/testing';
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Answer } from '../../support/http-client.js';
import type { Site } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import { callbackOf, isIn, wholeProduct, type WholeSite } from '../../support/whole-product.js';

const refused = '/?error=oauth_error';
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
const idps: Record<'google' | 'acme' | 'other', MockIdentityProvider | undefined> = {
  ...{ google: undefined, acme: undefined, other: undefined },
};
let people = 0;

beforeAll(async () => {
  idps.google = await mockIdentityProvider({ redirectUri: callbackOf('/google') });
  idps.acme = await mockIdentityProvider({ redirectUri: callbackOf('/oauth/acme') });
  idps.other = await mockIdentityProvider({ redirectUri: callbackOf('/oauth/other') });
});

afterEach(() => Object.values(idps).forEach((idp) => idp!.lie({})));
afterAll(() => Promise.all(Object.values(idps).map((idp) => idp!.close())));

/** The routes of each provider: the built-in one answers at two places. */
const providers = [
  ['/google', 'google'],
  ['/idp', 'google'],
  ['/oauth/acme', 'acme'],
] as const;
const kinds = [providers[0], providers[2]] as const;
/** It does not speak OpenID: all of its word is a userinfo answer. */
const plain = ['/oauth/other', 'other'] as const;

function personAt(
  name: keyof typeof idps,
  account: MockAccount = {},
  subject = `person-${(people += 1)}-at-provider`,
) {
  idps[name]!.accounts.set(subject, { email: `${subject}@example.com`, email_verified: true, ...account });
  return subject;
}

/** Up to the answer of the provider, which is at the callback next. */
async function started(site: Site, at: string, name: keyof typeof idps, subject: string, query = '') {
  const start = await site.get(`${at}/start${query}`);
  const url = new URL(start.location!);
  const { searchParams } = await idps[name]!.signIn(url, subject);
  return { url, answer: searchParams, cookie: start.cookie('svc_oauth') };
}

const callback = (site: Site, at: string, answer: URLSearchParams, cookie?: string) =>
  site.get(`${at}/callback?${answer.toString()}`, { cookie });

async function signIn(site: Site, at: string, name: keyof typeof idps, subject: string): Promise<Answer> {
  const { answer, cookie } = await started(site, at, name, subject);
  return callback(site, at, answer, cookie);
}

/** How often a code was sent to any provider. */
const tokenRequests = () =>
  Object.values(idps).flatMap((idp) => idp!.requests.filter(({ path }) => path === '/token')).length;

function expectRefused(answer: Answer, about: unknown): void {
  const given = answer.cookies.filter(({ value }) => value !== '').map(({ name }) => name);
  expect([about, answer.status, answer.location, given]).toEqual([about, 302, refused, []]);
}

const lies: Record<string, MockLies> = {
  'an audience of somebody else': { audience: 'another-client' },
  'two audiences and no azp': { audience: ['mock-client', 'another-client'] },
  'an azp of somebody else': {
    audience: ['mock-client', 'another-client'],
    claims: { azp: 'another-client' },
  },
  'no audience': { claims: { aud: undefined } },
  'another issuer': { issuer: 'https://accounts.evil.test' },
  'its issuer with a slash': { claims: { iss: 'http://127.0.0.1/' } },
  'no issuer': { claims: { iss: undefined } },
  'another nonce': { nonce: 'another' },
  'no nonce': { claims: { nonce: undefined } },
  'a nonce in a list': { claims: { nonce: ['x'] } },
  'an end an hour ago': { expired: true },
  'no end': { claims: { exp: undefined } },
  'an end that is a text': { claims: { exp: '9999999999' } },
  'a beginning in the future': { claims: { nbf: 9_999_999_999 } },
  'no time of issue': { claims: { iat: undefined } },
  'no signature': { signature: 'none' },
  'the signature of a key that is nobody’s': { signature: 'unknown-key' },
  'no subject': { claims: { sub: undefined } },
  'an empty subject': { claims: { sub: '' } },
  'a subject that is a number': { claims: { sub: 42 } },
  'a subject that is a list': { claims: { sub: ['x'] } },
  'no ID token': { tokens: { id_token: undefined } },
  'an ID token that is none': { tokens: { id_token: 'a.b.c' } },
  'an ID token that is an object': { tokens: { id_token: {} } },
  'no access token': { tokens: { access_token: undefined } },
  'a token type that is no bearer': { tokens: { token_type: 'mac' } },
  'the userinfo of somebody else': { claims: { email: undefined }, userInfo: { sub: 'somebody else' } },
  'userinfo of nobody': { claims: { email: undefined }, userInfo: { sub: undefined } },
  'another issuer at discovery': {
    faults: { discovery: { body: '{"issuer":"https://accounts.evil.test"}' } },
  },
  'keys that are secrets': {
    faults: { jwks: { body: '{"keys":[{"kty":"oct","k":"c2VjcmV0","kid":"mock"}]}' } },
  },
  'no keys': { faults: { jwks: { body: '{"keys":[]}' } } },
  'keys that are no JSON': { faults: { jwks: { body: 'keys' } } },
};

const onLoopback = () => idps as Record<keyof typeof idps, MockIdentityProvider>;

describeAdapters('An answer of an identity provider', (on) => {
  const open = wholeProduct(on.adapter, onLoopback);

  it.each(providers)(
    'A-71 at %s, an answer counts in the browser that asked, once, for ten minutes',
    async (at, name) => {
      const site = await open();
      const victim = await site.signInByCode();
      const attacker = await started(site, at, name, personAt(name));
      const own = (await site.get(`${at}/start`)).cookie('svc_oauth');
      // The attacker's own good answer in the browser of a victim, who is signed in and may have begun a sign-in too.
      for (const cookie of [
        undefined,
        victim.cookie,
        `${victim.cookie}; ${own}`,
        'svc_oauth=x',
        attacker.cookie.slice(0, -2),
      ]) {
        expectRefused(await callback(site, at, attacker.answer, cookie), cookie);
      }
      expect(await isIn(site, victim.cookie)).toBe(true);
      const state = attacker.answer.get('state')!;
      const answers = ['', 'x', `${state}x`, state.slice(0, -1), state.toUpperCase()].map((value) => {
        const changed = new URLSearchParams(attacker.answer);
        changed.set('state', value);
        return changed;
      });
      const [twice, none] = [new URLSearchParams(attacker.answer), new URLSearchParams(attacker.answer)];
      twice.append('state', state);
      none.delete('state');
      for (const answer of [...answers, twice, none]) {
        expectRefused(await callback(site, at, answer, attacker.cookie), answer.toString());
      }
      // Refused by the state alone: nothing was used up that way, neither here nor at the provider.
      expect((await callback(site, at, attacker.answer, attacker.cookie)).location).toBe('/');
      const late = await started(site, at, name, personAt(name));
      site.clock.advance(10 * minute);
      expectRefused(await callback(site, at, late.answer, late.cookie), 'late');
      const good = await started(site, at, name, personAt(name));
      const before = tokenRequests();
      const both = await Promise.all([1, 2, 3].map(() => callback(site, at, good.answer, good.cookie)));
      expect(both.map(({ location }) => location).sort()).toEqual(['/', refused, refused]);
      expectRefused(await callback(site, at, good.answer, good.cookie), 'again');
      // Here, and not only because a provider takes its codes once: some do not.
      expect(tokenRequests() - before).toBe(1);
    },
  );

  it.each(kinds)(
    'A-75 at %s, people are who the provider numbers them as, whatever they call themselves',
    async (at, name) => {
      const site = await open();
      const victim = await site.signInByCode();
      const userAt = async (subject: string, place: string = at, idp: keyof typeof idps = name) => {
        const answer = await signIn(site, place, idp, subject);
        if (answer.location !== '/') return answer.location;
        return (await site.get('/session', { cookie: answer.cookie() })).json.user as {
          id: string;
          email: string | null;
        };
      };
      // An account at the provider that says it has the victim's address, in every way but truly.
      for (const email_verified of [false, 'true', 'false', 1, null, undefined, {}, ['true']]) {
        const user = await userAt(personAt(name, { email: victim.email, email_verified }));
        expect([email_verified, user]).toEqual([email_verified, expect.objectContaining({ email: null })]);
      }
      for (const email of [
        [victim.email],
        { 0: victim.email },
        `${victim.email},eve@evil.test`,
        `${victim.email}\0`,
      ]) {
        const user = await userAt(personAt(name, { email, email_verified: true }));
        expect([email, user]).toEqual([email, expect.objectContaining({ email: null })]);
      }
      const subject = personAt(name);
      const user = (await userAt(subject)) as { id: string };
      personAt(name, { email: victim.email }, subject);
      expect(await userAt(subject)).toMatchObject({ id: user.id });
      // The same number elsewhere, and numbers that only look alike.
      personAt('other', { email: undefined }, subject);
      const ids = [user.id, ((await userAt(subject, '/oauth/other', 'other')) as { id: string }).id];
      for (const like of [
        subject.toUpperCase(),
        `${subject} `,
        ` ${subject}`,
        `${subject}%`,
        `${subject}_`,
      ]) {
        personAt(name, { email: undefined }, like);
        ids.push(((await userAt(like)) as { id: string }).id);
      }
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it.each([...kinds, plain])(
    'A-75 at %s, a number that no storage can hold is a refusal and no failure',
    async (at, name) => {
      const site = await open();
      for (const odd of ['x\0', '\ud800', 'é', '', 'x'.repeat(100_000), "'; drop table svc_users; --"]) {
        const subject = personAt(name);
        const begun = await started(site, at, name, subject);
        const said = {
          sub: odd,
          name: `\0${odd}`,
          picture: odd,
          email: `${odd}@example.com`,
          email_verified: true,
        };
        idps[name]!.lie({ claims: said, userInfo: said });
        const { location } = await callback(site, at, begun.answer, begun.cookie);
        const isText = odd.startsWith("'");
        expect([odd.slice(0, 9), location]).toEqual([odd.slice(0, 9), isText ? '/' : refused]);
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );
});

describe('An identity provider', () => {
  const open = wholeProduct(undefined, onLoopback);
  const traces = async (site: WholeSite, provider: string, subject: string) => [
    await site.adapter.identities.findUser(provider, subject),
    await site.adapter.users.findByEmail(`${subject}@example.com`),
  ];

  it.each(kinds)(
    'A-72 at %s, a code is bound to its browser by PKCE with S256, and worth nothing without it',
    async (at, name) => {
      const site = await open();
      const { url, answer, cookie } = await started(site, at, name, personAt(name));
      const { code_challenge: challenge, code_challenge_method: method } = Object.fromEntries(
        url.searchParams,
      );
      expect([method, challenge]).toEqual(['S256', expect.stringMatching(/^[\w-]{43}$/)]);
      expect((await callback(site, at, answer, cookie)).location).toBe('/');
      const asked = idps[name]!.requests.filter(({ path }) => path === '/token').at(-1)!;
      const verifier = asked.fields['code_verifier']!;
      expect(verifier).toMatch(/^[\w.~-]{43,128}$/);
      expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
      // The verifier stays here until then: neither the provider's page nor the address bar has seen it.
      expect(url.href + answer.toString()).not.toContain(verifier);
      // A code that was stolen on its way, put into a sign-in of the thief's own.
      const [stolen, thief] = [
        await started(site, at, name, personAt(name)),
        await started(site, at, name, personAt(name)),
      ];
      const mixed = new URLSearchParams(thief.answer);
      mixed.set('code', stolen.answer.get('code')!);
      expectRefused(await callback(site, at, mixed, thief.cookie), 'stolen');
      const made = await site.service.oauth('acme').getAuthUrl();
      expect(made).toMatchObject({ codeVerifier: expect.stringMatching(/^[\w.~-]{43,128}$/) as string });
    },
  );

  it.each(kinds)('A-73 at %s, the answer of one provider is never taken for another’s', async (at, name) => {
    const site = await open();
    const [mine, other] = [
      await started(site, at, name, personAt(name)),
      await started(site, '/oauth/other', 'other', personAt('other')),
    ];
    const elsewhere = at === '/google' ? '/oauth/acme' : '/google';
    const before = tokenRequests();
    expectRefused(await callback(site, elsewhere, mine.answer, mine.cookie), 'at another place');
    expectRefused(await callback(site, at, other.answer, other.cookie), 'of another');
    // The transaction names its provider, whatever issuer the answer names.
    const led = await started(site, at, name, personAt(name));
    led.answer.set('iss', idps[elsewhere === '/google' ? 'google' : 'acme']!.issuer);
    expectRefused(await callback(site, elsewhere, led.answer, led.cookie), 'in the name of that place');
    const foreign = await started(site, '/oauth/other', 'other', personAt('other'));
    foreign.answer.set('iss', idps[name]!.issuer);
    expectRefused(await callback(site, at, foreign.answer, foreign.cookie), 'in the name of this one');
    for (const issuers of [
      [idps.other!.issuer],
      [],
      ['https://evil.test'],
      [idps[name]!.issuer, idps.other!.issuer],
    ]) {
      const { answer, cookie } = await started(site, at, name, personAt(name));
      answer.delete('iss');
      for (const issuer of issuers) answer.append('iss', issuer);
      expectRefused(await callback(site, at, answer, cookie), issuers);
    }
    // Its code goes to nobody: the token endpoint that it would be sent to may be the attacker's.
    expect(tokenRequests()).toBe(before);
  });

  it.each(kinds)('A-74 at %s, a lie of any kind signs nobody in, and leaves no trace', async (at, name) => {
    for (const [what, lie] of Object.entries(lies)) {
      // Discovery and keys are kept, so each lie meets somebody who has not asked yet.
      const site = await open();
      const subject = personAt(name);
      const begun = lie.faults?.discovery ? null : await started(site, at, name, subject);
      idps[name]!.lie(lie);
      const answer = begun
        ? await callback(site, at, begun.answer, begun.cookie)
        : await site.get(`${at}/start`);
      if (begun) expectRefused(answer, what);
      else expect([what, answer.status, answer.json.error]).toEqual([what, 400, 'oauth_error']);
      expect([what, await traces(site, name, subject)]).toEqual([what, [null, null]]);
      idps[name]!.lie({});
      // Keys are asked for again after a minute of the world's time.
      if (lie.faults?.jwks) continue;
      expect([what, (await signIn(site, at, name, subject)).location]).toEqual([what, '/']);
    }
  });

  it.each(kinds)('A-74 at %s, an ID token by HMAC is refused, whatever secret made it', async (at, name) => {
    const site = await open();
    const { client, issuer } = idps[name]!;
    for (const key of [client.clientSecret, 'mock', '', 'secret']) {
      const subject = personAt(name);
      const { url, answer, cookie } = await started(site, at, name, subject);
      const now = Math.floor(Date.now() / 1000);
      const claims = {
        iss: issuer,
        aud: client.clientId,
        sub: subject,
        iat: now,
        exp: now + 600,
        nonce: url.searchParams.get('nonce'),
      };
      const text = `${encode({ alg: 'HS256', kid: 'mock' })}.${encode(claims)}`;
      idps[name]!.lie({
        tokens: { id_token: `${text}.${createHmac('sha256', key).update(text).digest('base64url')}` },
      });
      expectRefused(await callback(site, at, answer, cookie), key);
      expect(await traces(site, name, subject)).toEqual([null, null]);
    }
  });

  it.each(kinds)(
    'A-76 A-77 at %s, it is asked for openid, email and profile, and no parameter leads the browser elsewhere',
    async (at, name) => {
      const site = await open();
      const target = 'https://evil.test/';
      const names = [
        'redirect_uri',
        'redirectTo',
        'next',
        'return_to',
        'successRedirect',
        'scope',
        'client_id',
        'prompt',
        'response_type',
      ];
      const query = `?${new URLSearchParams([...names.map((each): [string, string] => [each, target]), ['state', target]]).toString()}`;
      const { url, answer, cookie } = await started(site, at, name, personAt(name), query);
      expect(url.href).not.toContain('evil.test');
      expect(url.searchParams.get('scope')?.split(' ').sort()).toEqual(['email', 'openid', 'profile']);
      expect(url.searchParams.get('redirect_uri')).toBe(callbackOf(at));
      for (const each of names.slice(0, 5)) answer.append(each, target);
      const headers = { Host: 'evil.test', 'X-Forwarded-Host': 'evil.test', Referer: target };
      const done = await site.get(`${at}/callback?${answer.toString()}`, { cookie, headers });
      expect(done.location).toBe(`/?state=${encodeURIComponent(target)}`);
      const failed = await site.get(`${at}/callback?error=${encodeURIComponent(target)}&state=${target}`, {
        headers,
      });
      expect(failed.location).toBe(refused);
    },
  );

  it('A-77 the form of a provider leads to the address that is configured, whatever it and its request say', async () => {
    const site = await open();
    const form = new URLSearchParams({
      code: 'x',
      state: 'https://evil.test',
      redirect_uri: 'https://evil.test',
      user: '{}',
    });
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      Host: 'evil.test',
      'X-Forwarded-Host': 'evil.test',
    };
    const { location } = await site.send('POST', '/oauth/acme/callback', form.toString(), { headers });
    expect(location).toBe(`${callbackOf('/oauth/acme')}?code=x&state=https%3A%2F%2Fevil.test`);
  });

  it.each([...kinds, plain])(
    'A-78 at %s, no redirect of its is followed, no answer read without end, and its failures are ours to name',
    async (at, name) => {
      const site = await open();
      const idp = idps[name]!;
      const subject = personAt(name);
      const spoken = name === 'other' ? [] : (['discovery', 'jwks'] as const);
      for (const endpoint of [...spoken, 'token', 'userinfo'] as const) {
        const bodies = ['', '{', 'null', '[]', '"x"', '<html>', '{"error":{"a":1}}'];
        const faults = [
          'redirect',
          'oversize',
          'error',
          'error-200',
          'missing',
          { status: 500, body: 'secret reason' },
        ] as const;
        for (const fault of [...faults, ...bodies.map((body) => ({ body }))]) {
          const fresh = endpoint === 'discovery' || endpoint === 'jwks' ? await open() : site;
          const begun = endpoint === 'discovery' ? null : await started(fresh, at, name, subject);
          const before = idp.requests.length;
          // Without an address in the ID token the userinfo endpoint is asked as well.
          idp.lie({ claims: { email: undefined }, faults: { [endpoint]: fault } });
          const answer = begun
            ? await callback(fresh, at, begun.answer, begun.cookie)
            : await fresh.get(`${at}/start`);
          if (begun) expectRefused(answer, [endpoint, fault]);
          else expect([fault, answer.status, answer.json.error]).toEqual([fault, 400, 'oauth_error']);
          expect(answer.text).not.toContain('secret reason');
          expect(idp.requests.slice(before).filter(({ path }) => path === '/elsewhere')).toEqual([]);
          idp.lie({});
        }
      }
    },
  );

  it.each([...kinds, plain])(
    'A-78 at %s, an answer that is right in everything but two megabytes long is not read to its end',
    async (at, name) => {
      const site = await open();
      const padded = (padding: string): MockLies[] => [
        { tokens: { padding } },
        { claims: { email: undefined }, userInfo: { padding } },
      ];
      for (const lie of padded('x'.repeat(1000))) {
        idps[name]!.lie(lie);
        expect((await signIn(site, at, name, personAt(name))).location).toBe('/');
      }
      for (const lie of padded('x'.repeat(2 * 1024 * 1024))) {
        idps[name]!.lie(lie);
        expectRefused(await signIn(site, at, name, personAt(name)), Object.keys(lie));
      }
    },
  );

  it.each([...kinds, plain])(
    'A-79 at %s, what the provider hands over is in no cookie, redirect, answer, log or export',
    async (at, name) => {
      const site = await open();
      const subject = personAt(name);
      idps[name]!.lie({
        claims: { email: undefined },
        tokens: { refresh_token: 'the-refresh-token-of-the-provider' },
      });
      const { answer, cookie } = await started(site, at, name, subject);
      const done = await callback(site, at, answer, cookie);
      const requests = idps[name]!.requests;
      const accessToken = requests.at(-1)!.headers.authorization!.replace('Bearer ', '');
      const secrets = [
        'the-refresh-token-of-the-provider',
        accessToken,
        answer.get('code')!,
        idps[name]!.client.clientSecret,
      ];
      const me = { cookie: done.cookie() };
      const told = [
        done,
        await site.get('/session', me),
        await site.get('/identities', me),
        await site.get('/account/export', me),
      ];
      const shown = JSON.stringify([
        told.map(({ text, headers, location }) => [text, headers, location]),
        site.log,
      ]);
      for (const secret of secrets)
        expect([secret.length > 8, shown.includes(secret)]).toEqual([true, false]);
    },
  );
});
