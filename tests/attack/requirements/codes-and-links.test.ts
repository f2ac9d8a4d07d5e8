// codes, links and whatever else works once, at every door there is.
import { goodPassword } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { half, opened, secretKinds } from '../secrets.js';
import { day, minute } from '../../support/make-pro-service.js';
import { logIn, mailedReset, newNumber, otherThan, outcome, tally } from '../../support/people.js';
import { describeAttacks } from '../../support/whole-product.js';
import { doorsFor } from '../doors.js';

const lasting = secretKinds
  .filter(({ ttlMs }) => ttlMs !== undefined)
  .map((kind) => [kind.name, kind] as const);
const guessable = secretKinds
  .filter(({ guesses }) => guesses !== undefined)
  .map((kind) => [kind.name, kind] as const);
const all = secretKinds.map((kind) => [kind.name, kind] as const);

describeAttacks('Codes and links', ({ on, open }) => {
  const openPatient = () => open({ pro: { freshMs: day } });

  it.each(all)('A-22 works once, however many try at once: %s', async (_name, { make }) => {
    const site = await openPatient();
    const { use } = await make(site);
    const answers = await Promise.all([use(), use(), use(), use()]);
    expect(answers.filter(opened)).toHaveLength(1);
    for (const answer of answers) expect(answer.status).toBeLessThan(500);
    expect(opened(await use())).toBe(false);
  });

  it.each(lasting)('A-25 ends with its last millisecond: %s', async (_name, { make, ttlMs }) => {
    const site = await openPatient();
    const early = await make(site);
    site.clock.advance(ttlMs! - 1);
    expect(opened(await early.use())).toBe(true);
    const late = await make(site);
    site.clock.advance(ttlMs!);
    expect(opened(await late.use())).toBe(false);
    site.clock.advance(1);
    expect(opened(await late.use())).toBe(false);
  });

  it.each(guessable)(
    'A-26 has five guesses looked at, of 20 at once, and then not even the right one: %s',
    async (_name, kind) => {
      const site = await openPatient();
      const { text, use } = await kind.make(site);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          use(String((Number(text) + 1 + i * 7) % 1_000_000).padStart(6, '0')),
        ),
      );
      const counts = tally(answers);
      expect(counts['401 code_invalid']).toBe(kind.guesses);
      expect(
        Object.keys(counts).filter((each) => !/code_invalid|max_attempts_exceeded|rate_limit/.test(each)),
      ).toEqual([]);
      const right = await use();
      expect(opened(right)).toBe(false);
      expect(outcome(right)).toMatch(/max_attempts_exceeded|rate_limit_exceeded/);
    },
  );

  it('A-26 A-29 has a budget over all codes of a mailbox or a number: a new one gives no further guesses', async () => {
    const site = await open();
    const [email, phone] = [site.address(), newNumber()];
    for (const [send, verify, newest] of [
      [
        () => site.post('/email-code/send', { email }),
        (code: string) => site.post('/email-code/verify', { email, code }),
        () => site.mail.lastCode(email)!,
      ],
      [
        () => site.post('/phone/send', { phone }),
        (code: string) => site.post('/phone/verify', { phone, code }),
        () => site.texts.lastCode(phone)!,
      ],
    ] as const) {
      let looked = 0;
      for (let codes = 0; codes < 4; codes += 1) {
        await send();
        for (let i = 0; i < 5; i += 1)
          if (outcome(await verify(otherThan(newest()))) === '401 code_invalid') looked += 1;
      }
      expect(looked).toBe(10);
      expect(outcome(await verify(newest()))).toBe('429 rate_limit_exceeded');
    }
  });

  it('A-26 allows 50 guesses a day on one mailbox, however patient they are', async () => {
    const site = await open();
    const email = site.address();
    let looked = 0;
    // Five windows of ten in a day, and more windows than that.
    for (let window = 0; window < 7; window += 1) {
      for (let codes = 0; codes < 2; codes += 1) {
        await site.post('/email-code/send', { email });
        const code = otherThan(site.mail.lastCode(email));
        for (let i = 0; i < 5; i += 1)
          if (outcome(await site.post('/email-code/verify', { email, code })) === '401 code_invalid')
            looked += 1;
      }
      site.clock.advance(15 * minute);
    }
    expect(looked).toBe(50);
  });

  it('A-29 dies when the next one is sent, and may be guessed anew only as a new one', async () => {
    const site = await open();
    const [email, upgraded, moved] = [site.address(), site.address(), site.address()];
    const phone = newNumber();
    const guest = (await site.post('/guest')).cookie();
    const me = await site.signUp();
    const mover = await site.signUp();
    const mailed = (to: string) => () => site.mail.lastCode(to)!;
    for (const [send, verify, newest] of [
      [
        () => site.post('/email-code/send', { email }),
        (code: string) => site.post('/email-code/verify', { email, code }),
        mailed(email),
      ],
      [
        () => site.post('/phone/send', { phone }),
        (code: string) => site.post('/phone/verify', { phone, code }),
        () => site.texts.lastCode(phone)!,
      ],
      [
        () => site.post('/guest/upgrade/send', { email: upgraded }, { cookie: guest }),
        (code: string) => site.post('/guest/upgrade', { email: upgraded, code }, { cookie: guest }),
        mailed(upgraded),
      ],
      [
        () => site.post('/account/verify-email/send', undefined, { cookie: me.cookie }),
        (code: string) => site.post('/account/verify-email', { code }, { cookie: me.cookie }),
        mailed(me.email),
      ],
      [
        () => site.post('/account/email', { email: moved }, { cookie: mover.cookie }),
        (code: string) =>
          site.post('/account/email/confirm', { email: moved, code }, { cookie: mover.cookie }),
        mailed(moved),
      ],
    ] as const) {
      await send();
      const first = newest();
      do await send();
      while (newest() === first && site.clock.advance(minute) !== undefined);
      expect(outcome(await verify(first))).toBe('401 code_invalid');
      expect((await verify(newest())).status).toBe(200);
    }
  });

  it('A-27 opens one door: no code, link, token or cookie passes for another', async () => {
    const site = await open();
    const { email, cookie } = await site.signInByCode();
    const phone = newNumber();
    const guest = (await site.post('/guest')).cookie();
    const pending = await half(site);
    const unverified = await site.signUp();
    const secrets: Record<string, string> = {};
    for (const kind of secretKinds) secrets[kind.name] = (await kind.make(site)).text;
    const pair = (await site.post('/token/issue', {}, { cookie })).json;
    secrets['an access token'] = pair.accessToken;
    secrets['a refresh token'] = pair.refreshToken;
    secrets['an API key'] = (await site.post('/api-keys', { name: 'x', scopes: [] }, { cookie })).json.key;
    secrets['a session'] = cookie.slice('svc_session='.length);
    secrets['a secret of an app'] = pending.app.secret;
    const newPassword = 'of a thief';
    const doors = doorsFor({ site, email, phone, cookie, guest, unverified, pending, newPassword });
    for (const [door, show, own] of doors) {
      for (const [name, text] of Object.entries(secrets)) {
        if (own?.test(name)) continue;
        const answer = await show(text);
        expect([door, name, opened(answer), answer.status < 500]).toEqual([door, name, false, true]);
      }
      // The limits of one door are not what closes the next.
      site.clock.advance(1_000);
    }
    // Each is still good at its own.
    expect(opened(await site.get(`/magic-link/verify?token=${secrets['a magic link']}`))).toBe(true);
    expect(opened(await site.post('/password/reset', { token: secrets['a reset'], newPassword }))).toBe(true);
  });

  it('A-27 has its door in what is hashed: a kept code that is moved to another one opens nothing', async () => {
    const site = await open();
    const { adapter, clock, service } = site;
    const { id: userId } = (await service.sessionsProvider.createGuest()).user;
    const email = site.address();
    await service.emailCode.sendUpgradeCode({ userId, email });
    const code = site.mail.lastCode(email)!;
    const kept = await adapter.oneTimeCodes.reserveAttempt('guest_upgrade', userId, 5, new Date(clock.now()));
    if (kept.status !== 'reserved') throw new Error(`the code is ${kept.status}`);
    await service.emailPassword.upgradeGuest({ userId, email, password: goodPassword });
    await adapter.oneTimeCodes.replace({ ...kept.code, purpose: 'email_verification' });
    expect(await outcomeOf(() => service.account.verifyEmail({ userId, code }))).toBe('code_invalid');
  });

  it('A-27 A-31 is good for whom it was made: with another address, number or account it is worth nothing', async () => {
    const site = await open();
    const [ada, eve] = [await site.signInByCode(), await site.signInByCode()];
    const [mine, theirs] = [newNumber(), newNumber()];
    await site.post('/email-code/send', { email: ada.email });
    const code = site.mail.lastCode(ada.email)!;
    await site.post('/phone/send', { phone: mine });
    const text = site.texts.lastCode(mine)!;
    const fails = async (route: string, body: object, cookie?: string) =>
      expect([route, (await site.post(route, body, { cookie })).status]).toEqual([route, 401]);
    await fails('/email-code/verify', { email: eve.email, code });
    await fails('/phone/verify', { phone: theirs, code: text });
    // A change of address, confirmed in somebody else's session or to another address.
    const [wanted, wished] = [site.address(), site.address()];
    await site.post('/account/email', { email: wanted }, { cookie: ada.cookie });
    const codes = { code: site.mail.lastCode(wanted), currentCode: site.mail.lastCode(ada.email) };
    await fails('/account/email/confirm', { email: wanted, ...codes }, eve.cookie);
    await fails('/account/email/confirm', { email: wished, ...codes }, ada.cookie);
    // A guest's code, taken by another guest or for another address.
    const [guest, stranger] = [(await site.post('/guest')).cookie(), (await site.post('/guest')).cookie()];
    await site.post('/guest/upgrade/send', { email: wished }, { cookie: guest });
    const upgrade = { email: wished, code: site.mail.lastCode(wished) };
    await fails('/guest/upgrade', upgrade, stranger);
    await fails('/guest/upgrade', { ...upgrade, email: site.address() }, guest);
    // A signup's code, after the address was changed.
    const pending = await site.signUp();
    await site.post('/account/verify-email/send', undefined, { cookie: pending.cookie });
    await fails(
      '/account/verify-email',
      { code: site.mail.lastCode(pending.email) },
      (await site.signUp()).cookie,
    );
  });

  it('A-28 reaches the store as a digest: nothing that works once, and no token, is there to be read', async () => {
    const written: unknown[] = [];
    const recorded = <T extends object>(target: T): T =>
      new Proxy(target, {
        get(object, key, receiver) {
          const value: unknown = Reflect.get(object, key, receiver);
          if (typeof value === 'function')
            return (...args: unknown[]) => (
              written.push(args),
              (value as (...all: unknown[]) => unknown).apply(object, args)
            );
          return typeof value === 'object' && value !== null ? recorded(value) : value;
        },
      });
    const site = await open({ wrapAdapter: recorded, pro: { freshMs: day } });
    const secrets: [string, string][] = [];
    for (const { name, make } of secretKinds) {
      const { text, use } = await make(site);
      secrets.push([name, text]);
      await use();
    }
    const { cookie, user } = await site.signUp();
    await site.adapter.users.markEmailVerified(user.id as string, new Date(site.clock.now()));
    const pair = (await site.post('/token/issue', {}, { cookie })).json;
    const key = (await site.post('/api-keys', { name: 'x', scopes: [] }, { cookie })).json.key as string;
    const { secret } = (await site.post('/totp/enroll', undefined, { cookie })).json;
    secrets.push(['a refresh token', pair.refreshToken], ['an API key', key], ['a secret of an app', secret]);
    secrets.push(['the secret part of an API key', key.split('_').at(-1)!], ['a password', goodPassword]);
    secrets.push(['a session', cookie.slice('svc_session='.length)], ['an access token', pair.accessToken]);
    const dump = [JSON.stringify(written)];
    if (on.sql) {
      const tables = await on.sql(`select tablename from pg_tables where tablename like 'svc\\_%'`);
      expect(tables.length).toBeGreaterThan(10);
      for (const { tablename } of tables)
        dump.push(JSON.stringify(await on.sql(`select * from ${String(tablename)}`)));
    }
    const text = dump.join('\n');
    expect(written.length).toBeGreaterThan(100);
    const found = secrets.filter(([, each]) =>
      /^\d{6}$/.test(each) ? new RegExp(`(?<![\\w.-])${each}(?![\\w.-])`).test(text) : text.includes(each),
    );
    // Nor a part of one, ids aside.
    for (const [name, each] of secrets)
      for (const part of each.split('.'))
        if (part.length > 36 && text.includes(part)) found.push([name, part]);
    expect(found.map(([name]) => name)).toEqual([]);
  });

  it('A-36 is no password: neither code nor link nor reset, whoever they were sent to', async () => {
    const site = await open();
    const { email } = await site.signUp();
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email)!;
    await site.post('/magic-link/send', { email });
    const link = site.mailedToken(email);
    const reset = await mailedReset(site, email);
    for (const password of [code, link, reset])
      expect(outcome(await logIn(site, email, password))).toBe('401 invalid_credentials');
    const { cookie } = await site.signInByCode(email);
    // Nor the current one on the account page.
    for (const currentPassword of [code, link, reset])
      expect(
        (await site.post('/account/password', { currentPassword, newPassword: 'of a thief' }, { cookie }))
          .status,
      ).toBe(401);
  });
});
