// Codes, links and other single-use secrets, at every route that accepts one.
import { validPassword } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { isAccepted, secretKinds, startMfaSignIn } from '../secrets.js';
import { day, minute } from '../../support/make-pro-service.js';
import {
  logIn,
  requestResetToken,
  uniquePhone,
  differentCode,
  outcome,
  tallyResponses,
} from '../../support/site-actions.js';
import { describeAttacks } from '../../support/full-site.js';
import { doorsFor } from '../doors.js';

const expiringKinds = secretKinds
  .filter(({ ttlMs }) => ttlMs !== undefined)
  .map((kind) => [kind.name, kind] as const);
const guessableKinds = secretKinds
  .filter(({ guesses }) => guesses !== undefined)
  .map((kind) => [kind.name, kind] as const);
const allKinds = secretKinds.map((kind) => [kind.name, kind] as const);

describeAttacks('Codes and links', ({ on, open }) => {
  const openWithLongFreshness = () => open({ pro: { freshMs: day } });

  //
  it.each(allKinds)('accepts a secret only once under concurrent attempts: %s', async (_name, { make }) => {
    const site = await openWithLongFreshness();
    const { use } = await make(site);
    const responses = await Promise.all([use(), use(), use(), use()]);
    expect(responses.filter(isAccepted)).toHaveLength(1);
    for (const response of responses) expect(response.status).toBeLessThan(500);
    expect(isAccepted(await use())).toBe(false);
  });

  //
  it.each(expiringKinds)(
    'rejects a secret from the last millisecond of its lifetime on: %s',
    async (_name, { make, ttlMs }) => {
      const site = await openWithLongFreshness();
      const early = await make(site);
      site.clock.advance(ttlMs! - 1);
      expect(isAccepted(await early.use())).toBe(true);
      const late = await make(site);
      site.clock.advance(ttlMs!);
      expect(isAccepted(await late.use())).toBe(false);
      site.clock.advance(1);
      expect(isAccepted(await late.use())).toBe(false);
    },
  );

  //
  it.each(guessableKinds)(
    'evaluates five of 20 concurrent guesses, then rejects even the correct code: %s',
    async (_name, kind) => {
      const site = await openWithLongFreshness();
      const { text, use } = await kind.make(site);
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          use(String((Number(text) + 1 + i * 7) % 1_000_000).padStart(6, '0')),
        ),
      );
      const counts = tallyResponses(responses);
      expect(counts['401 code_invalid']).toBe(kind.guesses);
      expect(
        Object.keys(counts).filter(
          (outcomeName) => !/code_invalid|max_attempts_exceeded|rate_limit/.test(outcomeName),
        ),
      ).toEqual([]);
      const right = await use();
      expect(isAccepted(right)).toBe(false);
      expect(outcome(right)).toMatch(/max_attempts_exceeded|rate_limit_exceeded/);
    },
  );

  //
  it('limits guesses across all codes of a mailbox or phone number, so a new code allows no further guesses', async () => {
    const site = await open();
    const [email, phone] = [site.uniqueEmail(), uniquePhone()];
    for (const [send, verify, newest] of [
      [
        () => site.post('/email-code/send', { email }),
        (code: string) => site.post('/email-code/verify', { email, code }),
        () => site.mail.lastCode(email)!,
      ],
      [
        () => site.post('/phone/send', { phone }),
        (code: string) => site.post('/phone/verify', { phone, code }),
        () => site.sms.lastCode(phone)!,
      ],
    ] as const) {
      let evaluated = 0;
      for (let codes = 0; codes < 4; codes += 1) {
        await send();
        for (let i = 0; i < 5; i += 1)
          if (outcome(await verify(differentCode(newest()))) === '401 code_invalid') evaluated += 1;
      }
      expect(evaluated).toBe(10);
      expect(outcome(await verify(newest()))).toBe('429 rate_limit_exceeded');
    }
  });

  //
  it('allows 50 guesses a day on one mailbox, however slowly they are made', async () => {
    const site = await open();
    const email = site.uniqueEmail();
    let evaluated = 0;
    // A day allows five windows of ten guesses; the loop goes through seven.
    for (let window = 0; window < 7; window += 1) {
      for (let codes = 0; codes < 2; codes += 1) {
        await site.post('/email-code/send', { email });
        const code = differentCode(site.mail.lastCode(email));
        for (let i = 0; i < 5; i += 1)
          if (outcome(await site.post('/email-code/verify', { email, code })) === '401 code_invalid')
            evaluated += 1;
      }
      site.clock.advance(15 * minute);
    }
    expect(evaluated).toBe(50);
  });

  //
  it('rejects the previous code once a new one has been sent, and accepts the new one', async () => {
    const site = await open();
    const [email, upgraded, moved] = [site.uniqueEmail(), site.uniqueEmail(), site.uniqueEmail()];
    const phone = uniquePhone();
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
        () => site.sms.lastCode(phone)!,
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

  //
  it('accepts no code, link, token or cookie at a route made for another kind', async () => {
    const site = await open();
    const { email, cookie } = await site.signInByCode();
    const phone = uniquePhone();
    const guest = (await site.post('/guest')).cookie();
    const pending = await startMfaSignIn(site);
    const unverified = await site.signUp();
    const secrets: Record<string, string> = {};
    for (const kind of secretKinds) secrets[kind.name] = (await kind.make(site)).text;
    const pair = (await site.post('/token/issue', {}, { cookie })).json;
    secrets['an access token'] = pair.accessToken;
    secrets['a refresh token'] = pair.refreshToken;
    secrets['an API key'] = (await site.post('/api-keys', { name: 'x', scopes: [] }, { cookie })).json.key;
    secrets['a session'] = cookie.slice('svc_session='.length);
    secrets['a TOTP secret'] = pending.app.secret;
    const newPassword = 'of a thief';
    const doors = doorsFor({ site, email, phone, cookie, guest, unverified, pending, newPassword });
    for (const [door, show, own] of doors) {
      for (const [name, text] of Object.entries(secrets)) {
        if (own?.test(name)) continue;
        const response = await show(text);
        expect([door, name, isAccepted(response), response.status < 500]).toEqual([door, name, false, true]);
      }
      // Keeps the limits of one route from rejecting the attempts at the next.
      site.clock.advance(1_000);
    }
    // Each secret is still valid at its own route.
    expect(isAccepted(await site.get(`/magic-link/verify?token=${secrets['a magic link']}`))).toBe(true);
    expect(
      isAccepted(await site.post('/password/reset', { token: secrets['a reset token'], newPassword })),
    ).toBe(true);
  });

  //
  it('binds the stored digest of a code to its purpose, so a row moved to another purpose accepts nothing', async () => {
    const site = await open();
    const { adapter, clock, service } = site;
    const { id: userId } = (await service.sessionsProvider.createGuest()).user;
    const email = site.uniqueEmail();
    await service.emailCode.sendUpgradeCode({ userId, email });
    const code = site.mail.lastCode(email)!;
    const guess = { purpose: 'guest_upgrade', subject: userId, codeHashes: [], maxAttempts: 5 } as const;
    const outcome = await adapter.oneTimeCodes.attempt({ ...guess, now: new Date(clock.now()) });
    if (outcome.status !== 'wrong') throw new Error(`the code is ${outcome.status}`);
    await service.emailPassword.upgradeGuest({ userId, email, password: validPassword });
    await adapter.oneTimeCodes.replace({ ...outcome.code, purpose: 'email_verification' });
    expect(await outcomeOf(() => service.account.verifyEmail({ userId, code }))).toBe('code_invalid');
  });

  //
  it('rejects a code used with another email address, phone number or account', async () => {
    const site = await open();
    const [ada, eve] = [await site.signInByCode(), await site.signInByCode()];
    const [mine, theirs] = [uniquePhone(), uniquePhone()];
    await site.post('/email-code/send', { email: ada.email });
    const code = site.mail.lastCode(ada.email)!;
    await site.post('/phone/send', { phone: mine });
    const text = site.sms.lastCode(mine)!;
    const fails = async (route: string, body: object, cookie?: string) =>
      expect([route, (await site.post(route, body, { cookie })).status]).toEqual([route, 401]);
    await fails('/email-code/verify', { email: eve.email, code });
    await fails('/phone/verify', { phone: theirs, code: text });
    // A change of address, confirmed in another user's session or to another address.
    const [wanted, wished] = [site.uniqueEmail(), site.uniqueEmail()];
    await site.post('/account/email', { email: wanted }, { cookie: ada.cookie });
    const codes = { code: site.mail.lastCode(wanted), currentCode: site.mail.lastCode(ada.email) };
    await fails('/account/email/confirm', { email: wanted, ...codes }, eve.cookie);
    await fails('/account/email/confirm', { email: wished, ...codes }, ada.cookie);
    // A guest's code, used by another guest or for another address.
    const [guest, stranger] = [(await site.post('/guest')).cookie(), (await site.post('/guest')).cookie()];
    await site.post('/guest/upgrade/send', { email: wished }, { cookie: guest });
    const upgrade = { email: wished, code: site.mail.lastCode(wished) };
    await fails('/guest/upgrade', upgrade, stranger);
    await fails('/guest/upgrade', { ...upgrade, email: site.uniqueEmail() }, guest);
    // The verification code of one signup, used by another.
    const pending = await site.signUp();
    await site.post('/account/verify-email/send', undefined, { cookie: pending.cookie });
    await fails(
      '/account/verify-email',
      { code: site.mail.lastCode(pending.email) },
      (await site.signUp()).cookie,
    );
  });

  //
  it('stores single-use secrets, tokens and passwords only as digests', async () => {
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
    secrets.push(['a refresh token', pair.refreshToken], ['an API key', key], ['a TOTP secret', secret]);
    secrets.push(['the secret part of an API key', key.split('_').at(-1)!], ['a password', validPassword]);
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
    const leaked = secrets.filter(([, secret]) =>
      /^\d{6}$/.test(secret)
        ? new RegExp(`(?<![\\w.-])${secret}(?![\\w.-])`).test(text)
        : text.includes(secret),
    );
    // Nor is any part of a secret stored, ids excepted.
    for (const [name, each] of secrets)
      for (const part of each.split('.'))
        if (part.length > 36 && text.includes(part)) leaked.push([name, part]);
    expect(leaked.map(([name]) => name)).toEqual([]);
  });

  //
  it('rejects codes, links and reset tokens as passwords', async () => {
    const site = await open();
    const { email } = await site.signUp();
    await site.post('/email-code/send', { email });
    const code = site.mail.lastCode(email)!;
    await site.post('/magic-link/send', { email });
    const link = site.mailedToken(email);
    const reset = await requestResetToken(site, email);
    for (const password of [code, link, reset])
      expect(outcome(await logIn(site, email, password))).toBe('401 invalid_credentials');
    const { cookie } = await site.signInByCode(email);
    // Nor are they accepted as the current password on the account page.
    for (const currentPassword of [code, link, reset])
      expect(
        (await site.post('/account/password', { currentPassword, newPassword: 'of a thief' }, { cookie }))
          .status,
      ).toBe(401);
  });
});
