// What responses reveal about accounts, and the limits on attempts and on sends.
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { day, minute } from '../../support/make-pro-service.js';
import {
  enrollTotp,
  logIn,
  requestResetToken,
  uniquePhone,
  differentCode,
  outcome,
  tallyResponses,
} from '../../support/site-actions.js';
import { describeAttacks, type SiteWithProviders } from '../../support/full-site.js';

const from = (ip: string) => ({ headers: { 'X-Forwarded-For': ip } });
/** Status, headers in their order, and body; the date header is the clock's and left out. */
function bytesOf({ status, headers, text }: HttpResponse): string {
  const { date: _, ...others } = headers;
  return JSON.stringify([status, others, text]);
}

/** A route that sends to a recipient of the caller's choice: the request, and how many messages have arrived. */
interface Sends {
  send: () => Promise<HttpResponse>;
  sent: () => number;
}

const sends: readonly (readonly [string, (site: SiteWithProviders) => Promise<Sends>])[] = [
  ...['/email-code/send', '/magic-link/send', '/password/request-reset'].map(
    (route) =>
      [
        route,
        async (site: SiteWithProviders) => {
          const { email } = await site.signUp();
          // The mail that verifies the address has a separate limit.
          await site.settle();
          site.mail.clear();
          return { send: () => site.post(route, { email }), sent: () => mailsTo(site, email) };
        },
      ] as const,
  ),
  [
    '/phone/send',
    async (site) => {
      const phone = uniquePhone();
      const sent = () => site.sms.messages.filter(({ to }) => to === phone).length;
      return { send: () => site.post('/phone/send', { phone }), sent };
    },
  ],
  [
    '/guest/upgrade/send',
    async (site) => {
      const cookie = (await site.post('/guest')).cookie();
      const email = site.uniqueEmail();
      return {
        send: () => site.post('/guest/upgrade/send', { email }, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
  // The mail of the sign-up counts too.
  ...['/account/verify-email/send', '/password/verify-email/send'].map(
    (route) =>
      [
        route,
        async (site: SiteWithProviders) => {
          const { email, cookie } = await site.signUp();
          return {
            send: () => site.post(route, undefined, { cookie }),
            sent: () => mailsTo(site, email),
          };
        },
      ] as const,
  ),
  [
    '/account/email',
    async (site) => {
      const { cookie } = await site.signUp();
      const email = site.uniqueEmail();
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
      const email = site.uniqueEmail();
      return {
        send: () => site.post(`/orgs/${org.id}/invites`, { email }, { cookie }),
        sent: () => mailsTo(site, email),
      };
    },
  ],
];
const mailsTo = (site: SiteWithProviders, email: string) =>
  site.mail.messages.filter(({ to }) => to === email).length;

describeAttacks('Uniform responses and limits', ({ open }) => {
  //
  it('returns byte-identical responses for known and unknown email addresses', async () => {
    const site = await open();
    const known = (await site.signUp()).email;
    const passwordless = (await site.signInByCode()).email;
    const enrolled = await site.signUp();
    await enrollTotp(site, enrolled.cookie);
    const emails = [known, passwordless, enrolled.email, site.uniqueEmail()];
    const requests: [string, (email: string) => object][] = [
      ['/password/login', (email) => ({ email, password: 'a wrong password' })],
      ['/password/login', (email) => ({ email, password: '' })],
      ['/password/login', (email) => ({ email, password: 'x'.repeat(2_000) })],
      ['/password/request-reset', (email) => ({ email })],
      ['/email-code/send', (email) => ({ email })],
      ['/email-code/verify', (email) => ({ email, code: differentCode(site.mail.lastCode(email)) })],
      ['/magic-link/send', (email) => ({ email })],
    ];
    for (const [route, body] of requests) {
      const responses = [];
      for (const email of emails) responses.push(bytesOf(await site.post(route, body(email))));
      expect([route, new Set(responses).size]).toEqual([route, 1]);
    }
    await site.settle();
    // Nor does a request by a guest, or by a user who changes the address, reveal an account.
    const guest = (await site.post('/guest')).cookie();
    const me = (await site.signInByCode()).cookie;
    for (const [route, cookie] of [
      ['/guest/upgrade/send', guest],
      ['/account/email', me],
    ] as const) {
      const responses = [];
      for (const email of [known, site.uniqueEmail()])
        responses.push(bytesOf(await site.post(route, { email }, { cookie })));
      expect([route, new Set(responses).size]).toEqual([route, 1]);
    }
  });

  //
  it('returns identical responses for known and unknown phone numbers', async () => {
    const site = await open();
    const [known, unknown] = [uniquePhone(), uniquePhone()];
    await site.post('/phone/send', { phone: known });
    await site.post('/phone/verify', { phone: known, code: site.sms.lastCode(known) });
    const responses: string[][] = [];
    for (const phone of [known, unknown]) {
      const nothing = await site.post('/phone/verify', { phone, code: '000000' });
      const sent = await site.post('/phone/send', { phone });
      const code = differentCode(site.sms.lastCode(phone));
      const wrong = await site.post('/phone/verify', { phone, code });
      responses.push([nothing, sent, wrong].map(bytesOf));
    }
    expect(responses[0]).toEqual(responses[1]);
  });

  //
  it('reveals an existing account only by 409 email_exists on signup', async () => {
    const site = await open();
    for (const { email } of [await site.signUp(), await site.signInByCode()])
      expect(outcome(await site.post('/password/signup', { email, password: validPassword }))).toBe(
        '409 email_exists',
      );
  });

  //
  it('rejects the eleventh wrong login of an address, known or not, in any spelling', async () => {
    const site = await open();
    const { email } = await site.signUp();
    for (const address of [email, site.uniqueEmail()]) {
      const written = [address, address.toUpperCase(), ` ${address}`, `${address} `];
      const responses = [];
      for (let i = 0; i < 11; i += 1) responses.push(await logIn(site, written[i % 4]!, `guess ${i}`));
      expect(responses.map(({ status }) => status)).toEqual([...Array<number>(10).fill(401), 429]);
      expect(outcome(await logIn(site, address, validPassword))).toBe('429 rate_limit_exceeded');
    }
  });

  //
  it('evaluates ten of 30 concurrent wrong logins', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const guesses = Array.from({ length: 30 }, (_, i) => logIn(site, email, `guess ${i}`));
    expect(tallyResponses(await Promise.all(guesses))).toEqual({
      '401 invalid_credentials': 10,
      '429 rate_limit_exceeded': 20,
    });
  });

  //
  it('allows 100 failed logins a day on one address, from any number of clients', async () => {
    const site = await open({ trustProxy: true });
    const { email } = await site.signUp();
    const guess = (ip: string) => site.post('/password/login', { email, password: 'a guess' }, from(ip));
    for (let client = 1; client <= 10; client += 1)
      await Promise.all(Array.from({ length: 10 }, () => guess(`203.0.113.${client}`)));
    expect(outcome(await guess('198.51.100.1'))).toBe('429 rate_limit_exceeded');
    site.clock.advance(day);
    expect(outcome(await guess('198.51.100.1'))).toBe('401 invalid_credentials');
  });

  //
  it('allows 200 failed logins of one client over all addresses, and counts an IPv6 network as one client', async () => {
    const site = await open({ trustProxy: true });
    const guess = (host: number, email = site.uniqueEmail()) =>
      site.post(
        '/password/login',
        { email, password: 'a guess' },
        from(`2001:db8:1:2::${host.toString(16)}`),
      );
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(i + 1)));
    for (let i = 0; i < 3; i += 1)
      responses.push(...(await Promise.all(Array.from({ length: 50 }, () => guess(i + 99)))));
    expect(tallyResponses(responses)).toEqual({ '401 invalid_credentials': 200 });
    expect(outcome(await guess(4_000))).toBe('429 rate_limit_exceeded');
  });

  //
  it('locks out the guessing client only: the owner signs in from elsewhere, and by code, link or reset', async () => {
    const site = await open({ trustProxy: true });
    const { email } = await site.signUp();
    const attacker = from('203.0.113.7');
    const login = (options: object) =>
      site.post('/password/login', { email, password: validPassword }, options);
    for (let i = 0; i < 10; i += 1)
      await site.post('/password/login', { email, password: 'a guess' }, attacker);
    expect(outcome(await login(attacker))).toBe('429 rate_limit_exceeded');
    expect((await login(from('198.51.100.4'))).status).toBe(200);
    const token = await requestResetToken(site, email);
    await site.post('/magic-link/send', { email }, attacker);
    const link = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, attacker);
    expect(link.location).toBe('/');
    await site.signInByCode(email, attacker);
    // The link was the first verification of the mailbox and removed the password; the reset sets a new one.
    expect(
      outcome(await site.post('/password/reset', { token, newPassword: validPassword }, attacker)),
    ).toMatch(/^(200|401 token_invalid)$/);
    const secondToken = await requestResetToken(site, email);
    expect(
      (await site.post('/password/reset', { token: secondToken, newPassword: validPassword }, attacker))
        .status,
    ).toBe(200);
    expect((await login(from('198.51.100.4'))).status).toBe(200);
  });

  //
  it('keeps password login available when the guesses at codes are used up', async () => {
    const site = await open();
    const { email } = await site.signUp();
    for (let codes = 0; codes < 2; codes += 1) {
      await site.post('/email-code/send', { email });
      const code = differentCode(site.mail.lastCode(email));
      for (let i = 0; i < 5; i += 1) await site.post('/email-code/verify', { email, code });
    }
    expect((await site.post('/email-code/verify', { email, code: '000000' })).status).toBe(429);
    expect((await logIn(site, email, validPassword)).status).toBe(200);
  });

  //
  it.each(sends)(
    'sends at most five messages in 15 minutes, also of 12 concurrent requests: %s',
    async (_route, make) => {
      const site = await open({ pro: { freshMs: day } });
      const { send, sent } = await make(site);
      const responses = await Promise.all(Array.from({ length: 12 }, send));
      await site.settle();
      expect(sent()).toBe(5);
      for (const response of responses) expect(outcome(response)).toMatch(/^(200|429 rate_limit_exceeded)$/);
      site.clock.advance(15 * minute);
      expect((await send()).status).toBe(200);
      await site.settle();
      expect(sent()).toBe(6);
    },
  );

  //
  it('counts address tags and dots as one mailbox, and one client over all routes', async () => {
    const site = await open();
    const [name, domain] = site.uniqueEmail().split('@');
    const responses = await Promise.all(
      Array.from({ length: 14 }, (_, i) =>
        site.post('/email-code/send', { email: `${name}+${i}@${domain}` }),
      ),
    );
    expect(tallyResponses(responses)).toEqual({ '200': 10, '429 rate_limit_exceeded': 4 });
    const more = [];
    for (let i = 0; i < 92; i += 1)
      more.push(
        await site.post(i % 2 ? '/email-code/send' : '/magic-link/send', { email: site.uniqueEmail() }),
      );
    // 10 above, and 90 here.
    expect(tallyResponses(more)).toEqual({ '200': 90, '429 rate_limit_exceeded': 2 });
  });
});
