// What a stranger's attempts do to the owner of an account, and which requests count as one client.
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { day, minute } from '../../support/make-pro-service.js';
import {
  logIn,
  requestResetToken,
  uniquePhone,
  differentCode,
  outcome,
  tallyResponses,
} from '../../support/site-actions.js';
import { describeAttacks, type SiteWithProviders } from '../../support/full-site.js';

const quarter = 15 * minute;
const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
const deviceOf = ({ cookies }: HttpResponse) => {
  const { name, value } = cookies.find((cookie) => cookie.name === 'svc_device') ?? {
    name: 'none',
    value: '',
  };
  return `${name}=${value}`;
};
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

describeAttacks('Lockouts', ({ open }) => {
  const openBehindProxy = () => open({ trustProxy: true });

  /** Creates an account with a verified address and a password; returns it with the device cookie of a browser that signed in. */
  async function owner(site: SiteWithProviders) {
    const { email, user } = await site.signInByCode();
    const token = await requestResetToken(site, email);
    await site.post('/password/reset', { token, newPassword: validPassword });
    const device = deviceOf(await logIn(site, email, validPassword));
    site.clock.advance(day);
    return { email, user, device };
  }

  /** Makes up to `count` wrong guesses by strangers, at codes that they request. */
  async function guessCodes(site: SiteWithProviders, email: string, count: number) {
    for (let guesses = 0; guesses < count; guesses += 5) {
      await site.post('/email-code/send', { email });
      const code = differentCode(site.mail.lastCode(email));
      await Promise.all(times(5).map(() => site.post('/email-code/verify', { email, code })));
    }
  }

  /** Tries a hundred wrong passwords from ten clients, which uses up the daily limit of an address. */
  async function guessPasswords(site: SiteWithProviders, email: string) {
    const input = { email, password: 'a guess' };
    for (const client of times(10))
      await Promise.all(
        times(10).map(() => site.post('/password/login', input, from(`203.0.113.${client}`))),
      );
  }

  //
  it('mails codes, links and resets to a known browser after strangers have used up the limits on sends', async () => {
    const site = await openBehindProxy();
    const { email, device } = await owner(site);
    for (const route of ['/email-code/send', '/magic-link/send', '/password/request-reset']) {
      const ask = (options: object) => site.post(route, { email }, options);
      const strangers = await Promise.all(times(7).map((i) => ask(from(`203.0.113.${i}`))));
      await site.settle();
      const mailed = site.mail.messages.length;
      if (!route.includes('reset'))
        expect(tallyResponses(strangers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 2 });
      const answers = [];
      for (let i = 0; i < 6; i += 1) answers.push(await ask({ cookie: device }));
      await site.settle();
      expect(site.mail.messages.length - mailed).toBe(5);
      if (!route.includes('reset'))
        expect(tallyResponses(answers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 1 });
    }
  });

  //
  it('signs a known browser in by code after strangers have guessed codes all day', async () => {
    const site = await openBehindProxy();
    const { email, device } = await owner(site);
    for (let window = 0; window < 6; window += 1) {
      await guessCodes(site, email, 10);
      site.clock.advance(quarter);
    }
    await site.post('/email-code/send', { email }, { cookie: device });
    const input = { email, code: site.mail.lastCode(email) };
    expect(outcome(await site.post('/email-code/verify', input))).toBe('429 rate_limit_exceeded');
    expect((await site.post('/email-code/verify', input, { cookie: device })).status).toBe(200);
  });

  //
  it('signs a known browser in by password after 100 wrong passwords from ten clients', async () => {
    const site = await openBehindProxy();
    const { email, device } = await owner(site);
    await guessPasswords(site, email);
    expect(outcome(await logIn(site, email, validPassword))).toBe('429 rate_limit_exceeded');
    const input = { email, password: validPassword };
    expect((await site.post('/password/login', input, { cookie: device })).status).toBe(200);
  });

  //
  it('mails a code to a new client although another client keeps using up the limit of the address', async () => {
    const site = await openBehindProxy();
    const { email } = await owner(site);
    const ask = (ip: string) => site.post('/email-code/send', { email }, from(ip));
    for (let at = 0; at < day; at += 5 * minute) {
      await ask('203.0.113.7');
      site.clock.advance(5 * minute);
    }
    // Uses up the send at the end of a wait, if there is one.
    await ask('203.0.113.7');
    expect(outcome(await ask('203.0.113.7'))).toBe('429 rate_limit_exceeded');
    expect((await ask('198.51.100.4')).status).toBe(200);
    expect(outcome(await ask('198.51.100.4'))).toBe('429 rate_limit_exceeded');
  });

  //
  it('computes at most 100 hashes for one reset link, however often it is used again', async () => {
    const site = await openBehindProxy();
    const { email } = await owner(site);
    const token = await requestResetToken(site, email);
    const reset = () => site.post('/password/reset', { token, newPassword: validPassword });
    expect((await reset()).status).toBe(200);
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push(...(await Promise.all(times(20).map(reset))));
    expect(tallyResponses(answers)).toEqual({ '401 token_invalid': 99, '429 rate_limit_exceeded': 21 });
  });

  //
  it('sends no more text messages to one client that has device cookies for many numbers', async () => {
    const site = await openBehindProxy();
    const client = from('203.0.113.7');
    const devices: [string, string][] = [];
    for (const i of times(6)) {
      const phone = uniquePhone();
      const ownClient = from(`198.51.100.${i}`);
      await site.post('/phone/send', { phone }, ownClient);
      const signedIn = await site.post('/phone/verify', { phone, code: site.sms.lastCode(phone) }, ownClient);
      devices.push([phone, deviceOf(signedIn)]);
    }
    site.clock.advance(day);
    const answers = [];
    for (const [phone, cookie] of devices)
      for (let i = 0; i < 5; i += 1)
        answers.push(await site.post('/phone/send', { phone }, { ...client, cookie }));
    expect(tallyResponses(answers)).toEqual({ '200': 20, '429 rate_limit_exceeded': 10 });
  });

  //
  it('gives a known browser limits of the same size, without using up those of others', async () => {
    const site = await openBehindProxy();
    const { email, device } = await owner(site);
    const input = { email, password: 'a guess' };
    const answers = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await site.post('/password/login', input, { cookie: device }));
    expect(tallyResponses(answers)).toEqual({ '401 invalid_credentials': 10, '429 rate_limit_exceeded': 2 });
    expect((await logIn(site, email, validPassword)).status).toBe(200);
    await site.post('/email-code/send', { email }, { cookie: device });
    const code = differentCode(site.mail.lastCode(email));
    const guesses = [];
    for (let i = 0; i < 12; i += 1)
      guesses.push(await site.post('/email-code/verify', { email, code }, { cookie: device }));
    // Five guesses evaluated, five at a used-up code, and none beyond the tenth.
    expect(tallyResponses(guesses)).toEqual({
      '401 code_invalid': 5,
      '401 max_attempts_exceeded': 5,
      '429 rate_limit_exceeded': 2,
    });
  });

  //
  it('ignores a device cookie that is forged, of another account or older than a sign-out everywhere', async () => {
    const site = await openBehindProxy();
    const { email, device, user } = await owner(site);
    const other = (await owner(site)).device;
    await guessPasswords(site, email);
    const loginOutcome = async (cookie: string) => {
      const input = { email, password: validPassword };
      return outcome(await site.post('/password/login', input, { cookie }));
    };
    const forged = [
      device.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      'svc_device=',
      'svc_device=x.y',
      'svc_device=j:{"a":1}',
    ];
    for (const cookie of [other, ...forged])
      expect(await loginOutcome(cookie)).toBe('429 rate_limit_exceeded');
    await site.service.sessionsProvider.revokeAll(user.id);
    expect(await loginOutcome(device)).toBe('429 rate_limit_exceeded');
  });

  //
  it('ignores a device cookie after 90 days', async () => {
    const site = await openBehindProxy();
    const { email, device } = await owner(site);
    site.clock.advance(89 * day);
    await guessPasswords(site, email);
    expect(outcome(await logIn(site, email, validPassword))).toBe('429 rate_limit_exceeded');
    site.clock.advance(minute);
    const input = { email, password: validPassword };
    expect(outcome(await site.post('/password/login', input, { cookie: device }))).toBe(
      '429 rate_limit_exceeded',
    );
  });

  //
  it('keeps the four most recent accounts of one browser in its device cookie', async () => {
    const site = await openBehindProxy();
    const people = [];
    let cookie = '';
    for (let i = 0; i < 5; i += 1) {
      const person = await owner(site);
      people.push(person);
      const input = { email: person.email, password: validPassword };
      cookie = deviceOf(await site.post('/password/login', input, { cookie }));
    }
    for (const i of [0, 1, 4]) {
      const { email } = people[i]!;
      await guessPasswords(site, email);
      const answer = await site.post('/password/login', { email, password: validPassword }, { cookie });
      expect([i, answer.status]).toEqual([i, i === 0 ? 429 : 200]);
    }
  });

  //
  it('grants no further mail to an address through a sign-up by someone else', async () => {
    const site = await openBehindProxy();
    const email = site.uniqueEmail();
    const signUp = await site.post('/password/signup', { email, password: validPassword });
    const cookie = deviceOf(signUp);
    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push(await site.post('/email-code/send', { email }));
    answers.push(await site.post('/email-code/send', { email }, { cookie }));
    expect(tallyResponses(answers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 1 });
  });

  //
  it('sends a text message to a known browser after strangers have used up the limit on sends', async () => {
    const site = await openBehindProxy();
    const phone = uniquePhone();
    await site.post('/phone/send', { phone });
    const signedIn = await site.post('/phone/verify', { phone, code: site.sms.lastCode(phone) });
    site.clock.advance(quarter);
    for (let i = 0; i < 6; i += 1) await site.post('/phone/send', { phone });
    expect(outcome(await site.post('/phone/send', { phone }))).toBe('429 rate_limit_exceeded');
    const cookie = deviceOf(signedIn);
    expect((await site.post('/phone/send', { phone }, { cookie })).status).toBe(200);
    const input = { phone, code: site.sms.lastCode(phone) };
    expect((await site.post('/phone/verify', input, { cookie })).status).toBe(200);
  });

  //
  it.each(['a code', 'a link', 'a reset'])(
    'resets the limits on passwords, codes and mails that strangers have used up: sign-in with %s',
    async (proof) => {
      const site = await openBehindProxy();
      const { email } = await owner(site);
      await site.post('/magic-link/send', { email });
      const link = site.mailedToken(email);
      const reset = await requestResetToken(site, email);
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      if (proof !== 'a code') {
        await guessCodes(site, email, 10);
        expect((await site.post('/email-code/verify', { email, code: '000000' })).status).toBe(429);
      }
      await guessPasswords(site, email);
      for (let i = 0; i < 6; i += 1) await site.post('/email-code/send', { email: email.toUpperCase() });
      expect(outcome(await logIn(site, email, validPassword))).toBe('429 rate_limit_exceeded');
      expect(outcome(await site.post('/email-code/send', { email }))).toBe('429 rate_limit_exceeded');
      if (proof === 'a link') await site.get(`/magic-link/verify?token=${link}`);
      else if (proof === 'a reset')
        await site.post('/password/reset', { token: reset, newPassword: validPassword });
      else {
        const last = site.mail.lastCode(email) ?? code;
        expect((await site.post('/email-code/verify', { email, code: last })).status).toBe(200);
      }
      expect((await logIn(site, email, validPassword)).status).toBe(200);
      expect((await site.signInByCode(email)).response.status).toBe(200);
    },
  );

  //
  it('limits mail that strangers request to 40 a day per mailbox and a wait to two hours', async () => {
    const site = await openBehindProxy();
    const email = site.uniqueEmail();
    const routes = ['/email-code/send', '/magic-link/send', '/password/request-reset'];
    let longest = 0;
    for (let at = 0; at < day; at += 20 * minute) {
      for (const [i, route] of routes.entries()) {
        const { json } = await site.post(route, { email }, from(`203.0.113.${i + (at % 200)}`));
        longest = Math.max(longest, (json.retryAfterMs as number | undefined) ?? 0);
      }
      site.clock.advance(20 * minute);
    }
    await site.settle();
    const mails = site.mail.messages.filter(({ to }) => to === email);
    expect(mails.length).toBeLessThanOrEqual(40);
    expect(mails.length).toBeGreaterThanOrEqual(25);
    expect(longest).toBeGreaterThan(60 * minute);
    expect(longest).toBeLessThanOrEqual(120 * minute);
  });

  //
  it('counts a guess without a pending code against the client, not the address', async () => {
    const site = await openBehindProxy();
    const { email } = await owner(site);
    const attacker = from('203.0.113.7');
    const guess = (to: string, options: object) =>
      site.post('/email-code/verify', { email: to, code: '000000' }, options);
    const answers = [];
    for (let i = 0; i < 10; i += 1)
      answers.push(...(await Promise.all(times(20).map(() => guess(email, attacker)))));
    expect(tallyResponses(answers)).toEqual({ '401 code_not_found': 200 });
    expect(outcome(await guess(email, attacker))).toBe('429 rate_limit_exceeded');
    expect(outcome(await guess(site.uniqueEmail(), attacker))).toBe('429 rate_limit_exceeded');
    expect(outcome(await guess(email, from('198.51.100.4')))).toBe('401 code_not_found');
  });

  //
  it.each([
    ['with another port each time', (i: number) => `203.0.113.7:${1024 + i}`],
    ['in brackets, with another port each time', (i: number) => `[2001:db8:1:2::${i + 1}]:${1024 + i}`],
    [
      'behind NAT64, in three forms',
      (i: number) => ['192.0.2.33', '64:ff9b::c000:221', '[64:ff9b::c000:221]:99'][i % 3]!,
    ],
  ])('counts one client as the same %s', async (_how, ip) => {
    const site = await openBehindProxy();
    const { email } = await site.signUp();
    const answers = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await site.post('/password/login', { email, password: 'a guess' }, from(ip(i))));
    expect(tallyResponses(answers)).toEqual({ '401 invalid_credentials': 10, '429 rate_limit_exceeded': 2 });
  });

  //
  it('logs the client address in one form for refused requests and sign-ins', async () => {
    const site = await openBehindProxy();
    const { email } = await site.signUp();
    const client = from('[2001:db8:1:2::9]:443');
    await site.post('/password/login', { email, password: 'a guess' }, client);
    await site.post('/password/login', { email, password: validPassword }, client);
    const entries = site.log.filter(({ fields }) =>
      ['refused', 'sign_in_failed', 'signed_in'].includes(fields['event'] as string),
    );
    const logged = entries.slice(-3).map(({ fields }) => [fields['event'], fields['ip']]);
    expect(logged).toEqual([
      ['sign_in_failed', '2001:db8:1:2::/64'],
      ['refused', '2001:db8:1:2::/64'],
      ['signed_in', '2001:db8:1:2::/64'],
    ]);
  });
});
