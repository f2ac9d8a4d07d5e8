// what answers give away, how often anybody may try, and how often anything is sent.
import type { Answer } from '../../support/http-client.js';
import { goodPassword } from '../../support/http-site.js';
import { day, minute } from '../../support/make-pro-service.js';
import { enrolTotp, logIn, mailedReset, newNumber, otherThan, outcome, tally } from '../../support/people.js';
import { describeAttacks, type Product } from '../../support/whole-product.js';

const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
/** Status, headers in their order, and body, byte by byte; the date is the clock's. */
function bytesOf({ status, headers, text }: Answer): string {
  const { date: _, ...others } = headers;
  return JSON.stringify([status, others, text]);
}

/** Everything that sends something to where its caller says: the request, and how many have arrived. */
interface Sends {
  send: () => Promise<Answer>;
  sent: () => number;
}

const sends: readonly (readonly [string, (site: Product) => Promise<Sends>])[] = [
  ...['/email-code/send', '/magic-link/send', '/password/request-reset'].map(
    (route) =>
      [
        route,
        async (site: Product) => {
          const { email } = await site.signUp();
          return { send: () => site.post(route, { email }), sent: () => mailsTo(site, email) };
        },
      ] as const,
  ),
  [
    '/phone/send',
    async (site) => {
      const phone = newNumber();
      const sent = () => site.texts.messages.filter(({ to }) => to === phone).length;
      return { send: () => site.post('/phone/send', { phone }), sent };
    },
  ],
  [
    '/guest/upgrade/send',
    async (site) => {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.address();
      return {
        send: () => site.post('/guest/upgrade/send', { email }, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
  [
    '/account/verify-email/send',
    async (site) => {
      const { email, cookie } = await site.signUp();
      return {
        send: () => site.post('/account/verify-email/send', undefined, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
  [
    '/account/email',
    async (site) => {
      const { cookie } = await site.signUp();
      const email = site.address();
      return {
        send: () => site.post('/account/email', { email }, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
  [
    '/orgs/:id/invites',
    async (site) => {
      const { cookie } = await site.signInByCode();
      const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie })).json;
      const email = site.address();
      return {
        send: () => site.post(`/orgs/${org.id}/invites`, { email }, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
];
const mailsTo = (site: Product, email: string) => site.mail.messages.filter(({ to }) => to === email).length;

describeAttacks('Uniformity and limits', ({ open }) => {
  it('A-13 tells nobody who has an account: every answer is the same for one and for none, byte by byte', async () => {
    const site = await open();
    const known = (await site.signUp()).email;
    const passwordless = (await site.signInByCode()).email;
    const enrolled = await site.signUp();
    await enrolTotp(site, enrolled.cookie);
    const emails = [known, passwordless, enrolled.email, site.address()];
    const asks: [string, (email: string) => object][] = [
      ['/password/login', (email) => ({ email, password: 'a wrong password' })],
      ['/password/login', (email) => ({ email, password: '' })],
      ['/password/login', (email) => ({ email, password: 'x'.repeat(2_000) })],
      ['/password/request-reset', (email) => ({ email })],
      ['/email-code/send', (email) => ({ email })],
      ['/email-code/verify', (email) => ({ email, code: otherThan(site.mail.lastCode(email)) })],
      ['/magic-link/send', (email) => ({ email })],
    ];
    for (const [route, body] of asks) {
      const answers = [];
      for (const email of emails) answers.push(bytesOf(await site.post(route, body(email))));
      expect([route, new Set(answers).size]).toEqual([route, 1]);
    }
    await site.settle();
    // Nor does asking in the name of a guest, or of a user who wants another address.
    const guest = (await site.post('/guest')).cookie();
    const me = (await site.signInByCode()).cookie;
    for (const [route, cookie] of [
      ['/guest/upgrade/send', guest],
      ['/account/email', me],
    ] as const) {
      const answers = [];
      for (const email of [known, site.address()])
        answers.push(bytesOf(await site.post(route, { email }, { cookie })));
      expect([route, new Set(answers).size]).toEqual([route, 1]);
    }
  });

  it('A-13 tells nobody which number has an account', async () => {
    const site = await open();
    const [known, unknown] = [newNumber(), newNumber()];
    await site.post('/phone/send', { phone: known });
    await site.post('/phone/verify', { phone: known, code: site.texts.lastCode(known) });
    const answers: string[][] = [];
    for (const phone of [known, unknown]) {
      const nothing = await site.post('/phone/verify', { phone, code: '000000' });
      const sent = await site.post('/phone/send', { phone });
      const code = otherThan(site.texts.lastCode(phone));
      const wrong = await site.post('/phone/verify', { phone, code });
      answers.push([nothing, sent, wrong].map(bytesOf));
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('A-13 says by the 409 of a signup alone that there is an account, whatever kind it is', async () => {
    const site = await open();
    for (const { email } of [await site.signUp(), await site.signInByCode()])
      expect(outcome(await site.post('/password/signup', { email, password: goodPassword }))).toBe(
        '409 email_exists',
      );
  });

  it('A-14 refuses the eleventh wrong login, for an account and for none, however the address is written', async () => {
    const site = await open();
    const { email } = await site.signUp();
    for (const address of [email, site.address()]) {
      const written = [address, address.toUpperCase(), ` ${address}`, `${address} `];
      const answers = [];
      for (let i = 0; i < 11; i += 1) answers.push(await logIn(site, written[i % 4]!, `guess ${i}`));
      expect(answers.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429]);
      expect(outcome(await logIn(site, address, goodPassword))).toBe('429 rate_limit_exceeded');
    }
  });

  it('A-14 lets nobody have more by trying all at once', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const guesses = Array.from({ length: 30 }, (_, i) => logIn(site, email, `guess ${i}`));
    expect(tally(await Promise.all(guesses))).toEqual({
      '401 invalid_credentials': 10,
      '429 rate_limit_exceeded': 20,
    });
  });

  it('A-14 allows 100 failures a day for one address, from however many clients', async () => {
    const site = await open({ trustProxy: true });
    const { email } = await site.signUp();
    const guess = (ip: string) => site.post('/password/login', { email, password: 'a guess' }, from(ip));
    for (let client = 1; client <= 10; client += 1)
      await Promise.all(Array.from({ length: 10 }, () => guess(`203.0.113.${client}`)));
    expect(outcome(await guess('198.51.100.1'))).toBe('429 rate_limit_exceeded');
    site.clock.advance(day);
    expect(outcome(await guess('198.51.100.1'))).toBe('401 invalid_credentials');
  });

  it('A-14 allows 200 failures of one client over all addresses, and takes a whole IPv6 network for one', async () => {
    const site = await open({ trustProxy: true });
    const guess = (host: number, email = site.address()) =>
      site.post(
        '/password/login',
        { email, password: 'a guess' },
        from(`2001:db8:1:2::${host.toString(16)}`),
      );
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i + 1)));
    for (let i = 0; i < 3; i += 1)
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => guess(i + 99)))));
    expect(tally(answers)).toEqual({ '401 invalid_credentials': 200 });
    expect(outcome(await guess(4_000))).toBe('429 rate_limit_exceeded');
  });

  it('A-15 locks out whoever guesses, not the owner: who signs in elsewhere, and by code, link and reset from there', async () => {
    const site = await open({ trustProxy: true });
    const { email } = await site.signUp();
    const attacker = from('203.0.113.7');
    const login = (where: object) => site.post('/password/login', { email, password: goodPassword }, where);
    for (let i = 0; i < 10; i += 1)
      await site.post('/password/login', { email, password: 'a guess' }, attacker);
    expect(outcome(await login(attacker))).toBe('429 rate_limit_exceeded');
    expect((await login(from('198.51.100.4'))).status).toBe(200);
    const token = await mailedReset(site, email);
    await site.post('/magic-link/send', { email }, attacker);
    const link = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, attacker);
    expect(link.location).toBe('/');
    await site.signInByCode(email, attacker);
    // The link was the first proof of the mailbox, and took the password away; the reset gives another.
    expect(
      outcome(await site.post('/password/reset', { token, newPassword: goodPassword }, attacker)),
    ).toMatch(/^(200|401 token_invalid)$/);
    const anew = await mailedReset(site, email);
    expect(
      (await site.post('/password/reset', { token: anew, newPassword: goodPassword }, attacker)).status,
    ).toBe(200);
    expect((await login(from('198.51.100.4'))).status).toBe(200);
  });

  it('A-15 lets the password in while somebody has used up the codes, and the reverse', async () => {
    const site = await open();
    const { email } = await site.signUp();
    for (let codes = 0; codes < 2; codes += 1) {
      await site.post('/email-code/send', { email });
      const code = otherThan(site.mail.lastCode(email));
      for (let i = 0; i < 5; i += 1) await site.post('/email-code/verify', { email, code });
    }
    expect((await site.post('/email-code/verify', { email, code: '000000' })).status).toBe(429);
    expect((await logIn(site, email, goodPassword)).status).toBe(200);
  });

  it.each(sends)(
    'A-20 sends five in 15 minutes at most, also of 12 that are asked for at once: %s',
    async (_route, make) => {
      const site = await open({ pro: { freshMs: day } });
      const { send, sent } = await make(site);
      const answers = await Promise.all(Array.from({ length: 12 }, send));
      await site.settle();
      expect(sent()).toBe(5);
      for (const answer of answers) expect(outcome(answer)).toMatch(/^(200|429 rate_limit_exceeded)$/);
      site.clock.advance(15 * minute);
      expect((await send()).status).toBe(200);
      await site.settle();
      expect(sent()).toBe(6);
    },
  );

  it('A-20 takes tags and dots for one mailbox, and a client for one whatever it asks for', async () => {
    const site = await open();
    const [name, domain] = site.address().split('@');
    const answers = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        site.post('/email-code/send', { email: `${name}+${i}@${domain}` }),
      ),
    );
    expect(tally(answers)).toEqual({ '200': 10, '429 rate_limit_exceeded': 4 });
    const more = [];
    for (let i = 0; i < 92; i += 1)
      more.push(await site.post(i % 2 ? '/email-code/send' : '/magic-link/send', { email: site.address() }));
    // 10 above, and 90 here.
    expect(tally(more)).toEqual({ '200': 90, '429 rate_limit_exceeded': 2 });
  });
});
