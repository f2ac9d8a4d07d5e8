// what a stranger's tries do to the owner of an account, and who counts as one client.
import type { Answer } from '../../support/http-client.js';
import { goodPassword } from '../../support/http-site.js';
import { day, minute } from '../../support/make-pro-service.js';
import { logIn, mailedReset, newNumber, otherThan, outcome, tally } from '../../support/people.js';
import { describeAttacks, type Product } from '../../support/whole-product.js';

const quarter = 15 * minute;
const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
const deviceOf = ({ cookies }: Answer) => {
  const { name, value } = cookies.find((cookie) => cookie.name === 'svc_device') ?? {
    name: 'none',
    value: '',
  };
  return `${name}=${value}`;
};
const times = (count: number) => Array.from({ length: count }, (_, i) => i);

describeAttacks('Lock-outs', ({ open }) => {
  const proxied = () => open({ trustProxy: true });

  /** An account with a proven address and a password, and the cookie of a browser that has signed in to it. */
  async function owner(site: Product) {
    const { email, user } = await site.signInByCode();
    const token = await mailedReset(site, email);
    await site.post('/password/reset', { token, newPassword: goodPassword });
    const device = deviceOf(await logIn(site, email, goodPassword));
    site.clock.advance(day);
    return { email, user, device };
  }

  /** Up to `count` wrong guesses by strangers, at codes that they ask for. */
  async function guessCodes(site: Product, email: string, count: number) {
    for (let made = 0; made < count; made += 5) {
      await site.post('/email-code/send', { email });
      const code = otherThan(site.mail.lastCode(email));
      await Promise.all(times(5).map(() => site.post('/email-code/verify', { email, code })));
    }
  }

  /** A hundred wrong passwords from ten clients: all that an address has for a day. */
  async function guessPasswords(site: Product, email: string) {
    const input = { email, password: 'a guess' };
    for (const client of times(10))
      await Promise.all(
        times(10).map(() => site.post('/password/login', input, from(`203.0.113.${client}`))),
      );
  }

  it('A-15 a browser that has signed in before gets its codes, links and resets after strangers have used up theirs', async () => {
    const site = await proxied();
    const { email, device } = await owner(site);
    for (const route of ['/email-code/send', '/magic-link/send', '/password/request-reset']) {
      const ask = (options: object) => site.post(route, { email }, options);
      const strangers = await Promise.all(times(7).map((i) => ask(from(`203.0.113.${i}`))));
      await site.settle();
      const mailed = site.mail.messages.length;
      if (!route.includes('reset'))
        expect(tally(strangers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 2 });
      const answers = [];
      for (let i = 0; i < 6; i += 1) answers.push(await ask({ cookie: device }));
      await site.settle();
      expect(site.mail.messages.length - mailed).toBe(5);
      if (!route.includes('reset'))
        expect(tally(answers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 1 });
    }
  });

  it('A-15 a browser that has signed in before signs in by code after strangers have guessed all day', async () => {
    const site = await proxied();
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

  it('A-15 a browser that has signed in before signs in by password after 100 wrong ones from ten clients', async () => {
    const site = await proxied();
    const { email, device } = await owner(site);
    await guessPasswords(site, email);
    expect(outcome(await logIn(site, email, goodPassword))).toBe('429 rate_limit_exceeded');
    const input = { email, password: goodPassword };
    expect((await site.post('/password/login', input, { cookie: device })).status).toBe(200);
  });

  it('A-15 a client that has not asked before gets a mail in spite of one that takes the end of every wait', async () => {
    const site = await proxied();
    const { email } = await owner(site);
    const ask = (ip: string) => site.post('/email-code/send', { email }, from(ip));
    for (let at = 0; at < day; at += 5 * minute) {
      await ask('203.0.113.7');
      site.clock.advance(5 * minute);
    }
    // Takes the end of a wait, if there is one.
    await ask('203.0.113.7');
    expect(outcome(await ask('203.0.113.7'))).toBe('429 rate_limit_exceeded');
    expect((await ask('198.51.100.4')).status).toBe(200);
    expect(outcome(await ask('198.51.100.4'))).toBe('429 rate_limit_exceeded');
  });

  it('A-14 a reset link makes a hundred hashes at most, however often it is tried after its use', async () => {
    const site = await proxied();
    const { email } = await owner(site);
    const token = await mailedReset(site, email);
    const reset = () => site.post('/password/reset', { token, newPassword: goodPassword });
    expect((await reset()).status).toBe(200);
    const answers = [];
    for (let i = 0; i < 6; i += 1) answers.push(...(await Promise.all(times(20).map(reset))));
    expect(tally(answers)).toEqual({ '401 token_invalid': 99, '429 rate_limit_exceeded': 21 });
  });

  it('A-25 cookies of many numbers give one client no more text messages', async () => {
    const site = await proxied();
    const client = from('203.0.113.7');
    const devices: [string, string][] = [];
    for (const i of times(6)) {
      const phone = newNumber();
      const own = from(`198.51.100.${i}`);
      await site.post('/phone/send', { phone }, own);
      const signedIn = await site.post('/phone/verify', { phone, code: site.texts.lastCode(phone) }, own);
      devices.push([phone, deviceOf(signedIn)]);
    }
    site.clock.advance(day);
    const answers = [];
    for (const [phone, cookie] of devices)
      for (let i = 0; i < 5; i += 1)
        answers.push(await site.post('/phone/send', { phone }, { ...client, cookie }));
    expect(tally(answers)).toEqual({ '200': 20, '429 rate_limit_exceeded': 10 });
  });

  it('A-14 a browser that has signed in before has limits of the same size, and cannot use up those of others', async () => {
    const site = await proxied();
    const { email, device } = await owner(site);
    const input = { email, password: 'a guess' };
    const answers = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await site.post('/password/login', input, { cookie: device }));
    expect(tally(answers)).toEqual({ '401 invalid_credentials': 10, '429 rate_limit_exceeded': 2 });
    expect((await logIn(site, email, goodPassword)).status).toBe(200);
    await site.post('/email-code/send', { email }, { cookie: device });
    const code = otherThan(site.mail.lastCode(email));
    const guesses = [];
    for (let i = 0; i < 12; i += 1)
      guesses.push(await site.post('/email-code/verify', { email, code }, { cookie: device }));
    // Five at the code, five that find it used up, and none beyond the tenth.
    expect(tally(guesses)).toEqual({
      '401 code_invalid': 5,
      '401 max_attempts_exceeded': 5,
      '429 rate_limit_exceeded': 2,
    });
  });

  it('A-15 the cookie of another account, of before a sign-out everywhere, or forged is worth nothing', async () => {
    const site = await proxied();
    const { email, device, user } = await owner(site);
    const other = (await owner(site)).device;
    await guessPasswords(site, email);
    const answers = async (cookie: string) => {
      const input = { email, password: goodPassword };
      return outcome(await site.post('/password/login', input, { cookie }));
    };
    const forged = [
      device.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      'svc_device=',
      'svc_device=x.y',
      'svc_device=j:{"a":1}',
    ];
    for (const cookie of [other, ...forged]) expect(await answers(cookie)).toBe('429 rate_limit_exceeded');
    await site.service.sessionsProvider.revokeAll(user.id);
    expect(await answers(device)).toBe('429 rate_limit_exceeded');
  });

  it('A-15 the cookie ends after 90 days', async () => {
    const site = await proxied();
    const { email, device } = await owner(site);
    site.clock.advance(89 * day);
    await guessPasswords(site, email);
    expect(outcome(await logIn(site, email, goodPassword))).toBe('429 rate_limit_exceeded');
    site.clock.advance(minute);
    const input = { email, password: goodPassword };
    expect(outcome(await site.post('/password/login', input, { cookie: device }))).toBe(
      '429 rate_limit_exceeded',
    );
  });

  it('A-15 one cookie serves four accounts of one browser, the latest ones', async () => {
    const site = await proxied();
    const people = [];
    let cookie = '';
    for (let i = 0; i < 5; i += 1) {
      const person = await owner(site);
      people.push(person);
      const input = { email: person.email, password: goodPassword };
      cookie = deviceOf(await site.post('/password/login', input, { cookie }));
    }
    for (const i of [0, 1, 4]) {
      const { email } = people[i]!;
      await guessPasswords(site, email);
      const answer = await site.post('/password/login', { email, password: goodPassword }, { cookie });
      expect([i, answer.status]).toEqual([i, i === 0 ? 429 : 200]);
    }
  });

  it('A-20 a sign-up with an address of somebody else gives no more mail to it', async () => {
    const site = await proxied();
    const email = site.address();
    const signUp = await site.post('/password/signup', { email, password: goodPassword });
    const cookie = deviceOf(signUp);
    const answers = [];
    for (let i = 0; i < 5; i += 1) answers.push(await site.post('/email-code/send', { email }));
    answers.push(await site.post('/email-code/send', { email }, { cookie }));
    expect(tally(answers)).toEqual({ '200': 5, '429 rate_limit_exceeded': 1 });
  });

  it('A-15 a text message reaches a browser that has signed in before, after strangers have used up theirs', async () => {
    const site = await proxied();
    const phone = newNumber();
    await site.post('/phone/send', { phone });
    const signedIn = await site.post('/phone/verify', { phone, code: site.texts.lastCode(phone) });
    site.clock.advance(quarter);
    for (let i = 0; i < 6; i += 1) await site.post('/phone/send', { phone });
    expect(outcome(await site.post('/phone/send', { phone }))).toBe('429 rate_limit_exceeded');
    const cookie = deviceOf(signedIn);
    expect((await site.post('/phone/send', { phone }, { cookie })).status).toBe(200);
    const input = { phone, code: site.texts.lastCode(phone) };
    expect((await site.post('/phone/verify', input, { cookie })).status).toBe(200);
  });

  it.each(['a code', 'a link', 'a reset'])(
    'A-15 %s forgives wrong passwords, wrong codes and mails that strangers asked for',
    async (proof) => {
      const site = await proxied();
      const { email } = await owner(site);
      await site.post('/magic-link/send', { email });
      const link = site.mailedToken(email);
      const reset = await mailedReset(site, email);
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email);
      if (proof !== 'a code') {
        await guessCodes(site, email, 10);
        expect((await site.post('/email-code/verify', { email, code: '000000' })).status).toBe(429);
      }
      await guessPasswords(site, email);
      for (let i = 0; i < 6; i += 1) await site.post('/email-code/send', { email: email.toUpperCase() });
      expect(outcome(await logIn(site, email, goodPassword))).toBe('429 rate_limit_exceeded');
      expect(outcome(await site.post('/email-code/send', { email }))).toBe('429 rate_limit_exceeded');
      if (proof === 'a link') await site.get(`/magic-link/verify?token=${link}`);
      else if (proof === 'a reset')
        await site.post('/password/reset', { token: reset, newPassword: goodPassword });
      else {
        const last = site.mail.lastCode(email) ?? code;
        expect((await site.post('/email-code/verify', { email, code: last })).status).toBe(200);
      }
      expect((await logIn(site, email, goodPassword)).status).toBe(200);
      expect((await site.signInByCode(email)).answer.status).toBe(200);
    },
  );

  it('A-20 strangers have one mailbox sent 40 mails in a day at most, and no wait is longer than two hours', async () => {
    const site = await proxied();
    const email = site.address();
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
  }, 60_000);

  it('A-20 a guess at nothing counts for its client, and not for the address', async () => {
    const site = await proxied();
    const { email } = await owner(site);
    const attacker = from('203.0.113.7');
    const guess = (to: string, where: object) =>
      site.post('/email-code/verify', { email: to, code: '000000' }, where);
    const answers = [];
    for (let i = 0; i < 10; i += 1)
      answers.push(...(await Promise.all(times(20).map(() => guess(email, attacker)))));
    expect(tally(answers)).toEqual({ '401 code_not_found': 200 });
    expect(outcome(await guess(email, attacker))).toBe('429 rate_limit_exceeded');
    expect(outcome(await guess(site.address(), attacker))).toBe('429 rate_limit_exceeded');
    expect(outcome(await guess(email, from('198.51.100.4')))).toBe('401 code_not_found');
  });

  it.each([
    ['with another port each time', (i: number) => `203.0.113.7:${1024 + i}`],
    ['in brackets, with another port each time', (i: number) => `[2001:db8:1:2::${i + 1}]:${1024 + i}`],
    [
      'behind NAT64, in three forms',
      (i: number) => ['192.0.2.33', '64:ff9b::c000:221', '[64:ff9b::c000:221]:99'][i % 3]!,
    ],
  ])('A-90 one client is one client %s', async (_how, ip) => {
    const site = await proxied();
    const { email } = await site.signUp();
    const answers = [];
    for (let i = 0; i < 12; i += 1)
      answers.push(await site.post('/password/login', { email, password: 'a guess' }, from(ip(i))));
    expect(tally(answers)).toEqual({ '401 invalid_credentials': 10, '429 rate_limit_exceeded': 2 });
  });

  it('A-90 the log has one form of the client, whether a request is refused or signs in', async () => {
    const site = await proxied();
    const { email } = await site.signUp();
    const client = from('[2001:db8:1:2::9]:443');
    await site.post('/password/login', { email, password: 'a guess' }, client);
    await site.post('/password/login', { email, password: goodPassword }, client);
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
