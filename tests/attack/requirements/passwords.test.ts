// Passwords, on every route that sets or verifies one, on each storage.
import type { PasswordHasher } from 'svc-auth';
import { countingHasher, gate } from '../../support/password-accounts.js';
import { validPassword } from '../../support/http-site.js';
import { passwordSetters } from './password-setters.js';
import { day } from '../../support/make-pro-service.js';
import { logIn, requestResetToken, outcome, tallyResponses } from '../../support/site-actions.js';
import { describeAttacks } from '../../support/full-site.js';

const withHasher = (hasher: PasswordHasher) => ({ service: { providers: { emailPassword: { hasher } } } });

describeAttacks('Passwords', ({ on, open }) => {
  //
  it.each(passwordSetters)('requires eight code points: %s', async (_name, make) => {
    const { email, set } = await make(await open());
    for (const short of ['', '1234567', '👍👍👍👍', 'é'.normalize('NFD').repeat(3), '👩‍👩‍👧'])
      expect([email, short, outcome(await set(short))]).toEqual([email, short, '400 weak_password']);
    for (const invalid of [undefined, null, 12345678, true, ['12345678'], { length: 8 }])
      expect(outcome(await set(invalid))).toBe('400 invalid_request');
    expect((await set('b7 !x🙂k9')).status).toBe(200);
  });

  //
  it.each(passwordSetters)('accepts any characters as typed, for years: %s', async (_name, make) => {
    const site = await open();
    for (const password of [
      '        ',
      'пароль-на-8',
      '70361948',
      '\t\n\r\u2028\u200b\u202eab',
      '"><script>1',
    ]) {
      const { email, set } = await make(site);
      expect([password, outcome(await set(password))]).toEqual([password, '200']);
      // Exactly as typed: neither trimmed nor folded.
      expect((await logIn(site, email, password.toUpperCase().trim())).status).toBe(
        password.toUpperCase().trim() === password ? 200 : 401,
      );
      site.clock.advance(3 * 365 * day);
      const login = await logIn(site, email, password);
      expect([login.status, Object.keys(login.json)]).toEqual([200, ['user']]);
    }
  });

  //
  it.each(passwordSetters)(
    'rejects a password that could not be stored as typed, and sets none: %s',
    async (_name, make) => {
      const site = await open();
      const { email, set } = await make(site);
      for (const password of [
        'null\0byte',
        'surrogate\ud800',
        'a'.repeat(1025),
        '😀'.repeat(257),
        'a'.repeat(10_000),
      ]) {
        expect(outcome(await set(password))).toBe('400 invalid_request');
        expect((await logIn(site, email, password)).status).toBe(401);
      }
      expect((await set('a'.repeat(1024))).status).toBe(200);
      expect((await logIn(site, email, 'a'.repeat(1024))).status).toBe(200);
    },
  );

  //
  it.each(passwordSetters)(
    'passes the password to checkPassword and accepts it only if that returns true: %s',
    async (_name, make) => {
      const calls: unknown[] = [];
      let verdict: unknown = true;
      const checkPassword = (password: string, { email }: { email: string | null }) => {
        calls.push([password, email]);
        return verdict as boolean;
      };
      const site = await open({ service: { providers: { emailPassword: { checkPassword } } } });
      const { email, set } = await make(site);
      for (verdict of [false, 0, '', 'false', undefined, null, Promise.resolve(false)]) {
        const rejected = await set('a fine password');
        expect([outcome(rejected), rejected.cookies]).toEqual(['400 weak_password', []]);
        expect(calls.pop()).toEqual(['a fine password', email]);
      }
      expect((await logIn(site, email, 'a fine password')).status).toBe(401);
      verdict = true;
      expect((await set('a fine password')).status).toBe(200);
    },
  );

  //
  it.each<[string, () => unknown]>([
    ['Promise<false>', async () => false],
    ['the string "no"', () => 'no'],
    ['a promise of the string "true"', async () => 'true'],
    ['1', () => 1],
    ['an object', () => ({})],
    ['nothing', () => undefined],
    [
      'a synchronous error',
      () => {
        throw new Error('the hasher is broken');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('the hasher is broken'))],
  ])('accepts a password only if the hasher returns true: %s', async (_name, verify) => {
    const hasher = { hash: async () => 'kept', verify: verify as PasswordHasher['verify'] };
    const site = await open(withHasher(hasher));
    const { email, cookie } = await site.signUp();
    const body = { currentPassword: validPassword, newPassword: 'of a thief' };
    for (const response of [
      await logIn(site, email, validPassword),
      await site.post('/account/password', body, { cookie }),
    ]) {
      expect([401, 500]).toContain(response.status);
      expect(response.cookies).toEqual([]);
    }
    expect((await on.adapter().users.findByEmail(email))!.passwordHash).toBe('kept');
  });

  //
  it('passes no value to the hasher that is longer than 1024 bytes or not a string', async () => {
    const { hasher, verified, hashed } = countingHasher();
    const site = await open(withHasher(hasher));
    const { email, cookie } = await site.signUp();
    const [before, hashesBefore] = [verified.length, hashed.length];
    const invalid = ['x'.repeat(1025), '😀'.repeat(300), 'x'.repeat(10_000), '\0', '\ud800'];
    for (const password of invalid) {
      expect(outcome(await logIn(site, email, password))).toBe('401 invalid_credentials');
      const body = { currentPassword: password, newPassword: 'another one' };
      const response = await site.post('/account/password', body, { cookie });
      expect(outcome(response)).toMatch(/^4(01 invalid_credentials|29 rate_limit_exceeded)$/);
    }
    for (const password of [['x'], { toString: 'x' }, 1, null, undefined, true])
      expect(outcome(await site.post('/password/login', { email, password }))).toBe('400 invalid_request');
    expect(hashed).toHaveLength(hashesBefore);
    expect(new Set(verified.slice(before).map(({ plain }) => plain))).toEqual(new Set(['']));
  });

  //
  it('hashes at most 64 passwords concurrently over all routes, rejects the rest with 429 and keeps serving other requests', async () => {
    const { opened, open: release } = gate();
    const slow = async () => {
      await opened;
      return false;
    };
    let flooded = false;
    const hasher = { hash: async () => (flooded ? (await slow(), 'slow') : 'kept'), verify: slow };
    const site = await open(withHasher(hasher));
    const { cookie } = await site.signInByCode();
    const owner = await site.signUp();
    const token = await requestResetToken(site, owner.email);
    flooded = true;
    const statuses: number[] = [];
    const flood = Array.from({ length: 100 }, (_, index) => {
      const email = site.uniqueEmail();
      const request = [
        () => logIn(site, email, validPassword),
        () => site.post('/password/signup', { email, password: validPassword }),
        () => site.post('/password/reset', { token, newPassword: validPassword }),
        () => site.post('/account/password', { newPassword: validPassword }, { cookie }),
      ][index % 4]!;
      return request().then((response) => (statuses.push(response.status), response));
    });
    while (statuses.length < 36) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(statuses)).toEqual(new Set([429]));
    for (let i = 0; i < 5; i += 1) expect((await site.get('/session', { cookie })).status).toBe(200);
    expect((await site.post('/email-code/send', { email: site.uniqueEmail() })).status).toBe(200);
    release();
    const counts = tallyResponses(await Promise.all(flood));
    expect(counts['429 rate_limit_exceeded']).toBe(36);
  });

  //
  it('does not change a password with a stolen session alone, on any route', async () => {
    const site = await open();
    const { email, cookie, user } = await site.signUp();
    const thief = await site.signUp();
    const newPassword = 'of a thief';
    const tries: [string, string, object?][] = [
      ['POST', '/account/password', { newPassword }],
      ['POST', '/account/password', { newPassword, currentPassword: '' }],
      ['POST', '/account/password', { newPassword, currentPassword: null }],
      ['POST', '/account/password', { newPassword, currentPassword: newPassword }],
      ['POST', '/password/signup', { email, password: newPassword }],
      ['POST', '/guest/upgrade', { email: site.uniqueEmail(), password: newPassword }],
      ['POST', '/password/reset', { token: cookie.slice('svc_session='.length), newPassword }],
      ...['POST', 'PUT', 'PATCH'].flatMap((method): [string, string, object][] =>
        ['/password', '/password/change', '/password/set', '/account', '/user', `/users/${user.id}`].map(
          (path) => [method, path, { newPassword, password: newPassword }],
        ),
      ),
    ];
    for (const [method, path, body] of tries) {
      const response = await site.send(method, path, body, { cookie });
      expect([method, path, response.status >= 400]).toEqual([method, path, true]);
      expect(response.cookies).toEqual([]);
    }
    // Nor does the attacker's own session and password change the password of another user.
    const body = { currentPassword: validPassword, newPassword, userId: user.id, email };
    await site.post('/account/password', body, { cookie: thief.cookie });
    expect((await logIn(site, email, newPassword)).status).toBe(401);
    expect((await logIn(site, email, validPassword)).status).toBe(200);
  });

  //
  it('shares one limit on wrong passwords between the account page and the login', async () => {
    const site = await open();
    const { email, cookie } = await site.signUp();
    const guess = { currentPassword: 'a guess of it', newPassword: 'of a thief' };
    for (let i = 0; i < 5; i += 1) {
      expect((await site.post('/account/password', guess, { cookie })).status).toBe(401);
      expect((await logIn(site, email, 'a guess of it')).status).toBe(401);
    }
    const right = { ...guess, currentPassword: validPassword };
    expect((await site.post('/account/password', right, { cookie })).status).toBe(429);
    expect((await logIn(site, email, validPassword)).status).toBe(429);
  });

  //
  it('keeps the password hash out of responses, events, mails, logs and errors', async () => {
    let hashes = 0;
    const hasher: PasswordHasher = {
      hash: async () => `stored-hash-${(hashes += 1)}`,
      verify: async (plain) => plain === validPassword,
    };
    const site = await open(withHasher(hasher));
    const outputs: unknown[] = [];
    site.service.on('*', (name, payload) => void outputs.push(name, payload));
    const { email, cookie } = await site.signUp();
    for (const route of [
      '/session',
      '/account',
      '/account/export',
      '/devices',
      '/identities',
      '/passkeys',
      '/api-keys',
      '/orgs',
    ])
      outputs.push(await site.get(route, { cookie }));
    outputs.push(await logIn(site, email, validPassword), await logIn(site, email, 'wrong password'));
    outputs.push(await site.post('/password/signup', { email, password: validPassword }));
    const token = await requestResetToken(site, email);
    outputs.push(await site.post('/password/reset', { token, newPassword: validPassword }));
    const again = (await logIn(site, email, validPassword)).cookie();
    const body = { currentPassword: validPassword, newPassword: validPassword };
    const changed = await site.post('/account/password', body, { cookie: again });
    outputs.push(changed, await site.post('/token/issue', {}, { cookie: changed.cookie() }));
    const user = await site.service.getSessionUser(changed.cookie().slice('svc_session='.length));
    outputs.push(user, Object.getOwnPropertyNames(user), await site.service.account.exportData(user.id));
    await site.settle();
    outputs.push(site.mail.messages, site.log);
    expect(hashes).toBeGreaterThan(2);
    expect(JSON.stringify(outputs)).not.toMatch(/stored-hash|passwordHash|password_hash/);
  });
});
