// passwords, over every route that sets or asks for one, on each storage.
import type { PasswordHasher } from 'svc-auth';
import { countingHasher, gate } from '../../support/password-accounts.js';
import { goodPassword } from '../../support/http-site.js';
import { passwordSetters } from './password-setters.js';
import { day } from '../../support/make-pro-service.js';
import { logIn, mailedReset, outcome, tally } from '../../support/people.js';
import { describeAttacks } from '../../support/whole-product.js';

const withHasher = (hasher: PasswordHasher) => ({ service: { providers: { emailPassword: { hasher } } } });

describeAttacks('Passwords', ({ on, open }) => {
  it.each(passwordSetters)('A-01 has eight code points at least: %s', async (_name, make) => {
    const { email, set } = await make(await open());
    for (const short of ['', '1234567', '👍👍👍👍', 'é'.normalize('NFD').repeat(3), '👩‍👩‍👧'])
      expect([email, short, outcome(await set(short))]).toEqual([email, short, '400 weak_password']);
    for (const none of [undefined, null, 12345678, true, ['12345678'], { length: 8 }])
      expect(outcome(await set(none))).toBe('400 invalid_request');
    expect((await set('12345678')).status).toBe(200);
  });

  it.each(passwordSetters)(
    'A-04 A-11 may be made of anything, and stays good for years: %s',
    async (_name, make) => {
      const site = await open();
      for (const password of [
        '        ',
        'пароль-на-8',
        '12345678',
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
    },
  );

  it.each(passwordSetters)(
    'A-04 refuses what could not be kept as typed, and nothing is set: %s',
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

  it.each(passwordSetters)(
    'A-05 is asked for in checkPassword, and only true lets it pass: %s',
    async (_name, make) => {
      const asked: unknown[] = [];
      let answer: unknown = true;
      const checkPassword = (password: string, { email }: { email: string | null }) => {
        asked.push([password, email]);
        return answer as boolean;
      };
      const site = await open({ service: { providers: { emailPassword: { checkPassword } } } });
      const { email, set } = await make(site);
      for (answer of [false, 0, '', 'false', undefined, null, Promise.resolve(false)]) {
        const refused = await set('password1');
        expect([outcome(refused), refused.cookies]).toEqual(['400 weak_password', []]);
        expect(asked.pop()).toEqual(['password1', email]);
      }
      expect((await logIn(site, email, 'password1')).status).toBe(401);
      answer = true;
      expect((await set('password1')).status).toBe(200);
    },
  );

  it.each<[string, () => unknown]>([
    ['Promise<false>', async () => false],
    ['the text no', () => 'no'],
    ['the text true', async () => 'true'],
    ['1', () => 1],
    ['an object', () => ({})],
    ['nothing', () => undefined],
    [
      'a throw',
      () => {
        throw new Error('the hasher is broken');
      },
    ],
    ['a rejection', () => Promise.reject(new Error('the hasher is broken'))],
  ])('A-07 takes nothing but true from a hasher: %s', async (_name, verify) => {
    const hasher = { hash: async () => 'kept', verify: verify as PasswordHasher['verify'] };
    const site = await open(withHasher(hasher));
    const { email, cookie } = await site.signUp();
    const body = { currentPassword: goodPassword, newPassword: 'of a thief' };
    for (const answer of [
      await logIn(site, email, goodPassword),
      await site.post('/account/password', body, { cookie }),
    ]) {
      expect([401, 500]).toContain(answer.status);
      expect(answer.cookies).toEqual([]);
    }
    expect((await on.adapter().users.findByEmail(email))!.passwordHash).toBe('kept');
  });

  it('A-07 hands a hasher nothing that is longer than 1024 bytes or no text', async () => {
    const { hasher, verified, hashed } = countingHasher();
    const site = await open(withHasher(hasher));
    const { email, cookie } = await site.signUp();
    const [before, hashesBefore] = [verified.length, hashed.length];
    const odd = ['x'.repeat(1025), '😀'.repeat(300), 'x'.repeat(10_000), '\0', '\ud800'];
    for (const password of odd) {
      expect(outcome(await logIn(site, email, password))).toBe('401 invalid_credentials');
      const body = { currentPassword: password, newPassword: 'another one' };
      const answer = await site.post('/account/password', body, { cookie });
      expect(outcome(answer)).toMatch(/^4(01 invalid_credentials|29 rate_limit_exceeded)$/);
    }
    for (const password of [['x'], { toString: 'x' }, 1, null, undefined, true])
      expect(outcome(await site.post('/password/login', { email, password }))).toBe('400 invalid_request');
    expect(hashed).toHaveLength(hashesBefore);
    expect(new Set(verified.slice(before).map(({ plain }) => plain))).toEqual(new Set(['']));
  });

  it('A-08 is hashed 64 at a time, whichever routes are flooded: the others are told to wait, and everybody else is served', async () => {
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
    const token = await mailedReset(site, owner.email);
    flooded = true;
    const answered: number[] = [];
    const flood = Array.from({ length: 100 }, (_, index) => {
      const email = site.address();
      const request = [
        () => logIn(site, email, goodPassword),
        () => site.post('/password/signup', { email, password: goodPassword }),
        () => site.post('/password/reset', { token, newPassword: goodPassword }),
        () => site.post('/account/password', { newPassword: goodPassword }, { cookie }),
      ][index % 4]!;
      return request().then((answer) => (answered.push(answer.status), answer));
    });
    while (answered.length < 36) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(answered)).toEqual(new Set([429]));
    for (let i = 0; i < 5; i += 1) expect((await site.get('/session', { cookie })).status).toBe(200);
    expect((await site.post('/email-code/send', { email: site.address() })).status).toBe(200);
    release();
    const counts = tally(await Promise.all(flood));
    expect(counts['429 rate_limit_exceeded']).toBe(36);
  });

  it('A-09 is changed by who knows it: a stolen session alone sets none, on no route', async () => {
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
      ['POST', '/guest/upgrade', { email: site.address(), password: newPassword }],
      ['POST', '/password/reset', { token: cookie.slice('svc_session='.length), newPassword }],
      ...['POST', 'PUT', 'PATCH'].flatMap((method): [string, string, object][] =>
        ['/password', '/password/change', '/password/set', '/account', '/user', `/users/${user.id}`].map(
          (path) => [method, path, { newPassword, password: newPassword }],
        ),
      ),
    ];
    for (const [method, path, body] of tries) {
      const answer = await site.send(method, path, body, { cookie });
      expect([method, path, answer.status >= 400]).toEqual([method, path, true]);
      expect(answer.cookies).toEqual([]);
    }
    // Nor does a session of their own, with their own password, reach somebody else's.
    const body = { currentPassword: goodPassword, newPassword, userId: user.id, email };
    await site.post('/account/password', body, { cookie: thief.cookie });
    expect((await logIn(site, email, newPassword)).status).toBe(401);
    expect((await logIn(site, email, goodPassword)).status).toBe(200);
  });

  it('A-09 is guessed on the account page no more often than at the login: one budget', async () => {
    const site = await open();
    const { email, cookie } = await site.signUp();
    const guess = { currentPassword: 'a guess of it', newPassword: 'of a thief' };
    for (let i = 0; i < 5; i += 1) {
      expect((await site.post('/account/password', guess, { cookie })).status).toBe(401);
      expect((await logIn(site, email, 'a guess of it')).status).toBe(401);
    }
    const right = { ...guess, currentPassword: goodPassword };
    expect((await site.post('/account/password', right, { cookie })).status).toBe(429);
    expect((await logIn(site, email, goodPassword)).status).toBe(429);
  });

  it('A-12 leaves no trace of its hash in answers, events, mails, logs and errors', async () => {
    let hashes = 0;
    const hasher: PasswordHasher = {
      hash: async () => `stored-hash-${(hashes += 1)}`,
      verify: async (plain) => plain === goodPassword,
    };
    const site = await open(withHasher(hasher));
    const seen: unknown[] = [];
    site.service.on('*', (name, payload) => void seen.push(name, payload));
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
      seen.push(await site.get(route, { cookie }));
    seen.push(await logIn(site, email, goodPassword), await logIn(site, email, 'wrong password'));
    seen.push(await site.post('/password/signup', { email, password: goodPassword }));
    const token = await mailedReset(site, email);
    seen.push(await site.post('/password/reset', { token, newPassword: goodPassword }));
    const again = (await logIn(site, email, goodPassword)).cookie();
    const body = { currentPassword: goodPassword, newPassword: goodPassword };
    const changed = await site.post('/account/password', body, { cookie: again });
    seen.push(changed, await site.post('/token/issue', {}, { cookie: changed.cookie() }));
    const user = await site.service.getSessionUser(changed.cookie().slice('svc_session='.length));
    seen.push(user, Object.getOwnPropertyNames(user), await site.service.account.exportData(user.id));
    await site.settle();
    seen.push(site.mail.messages, site.log);
    expect(hashes).toBeGreaterThan(2);
    expect(JSON.stringify(seen)).not.toMatch(/stored-hash|passwordHash|password_hash/);
  });
});
