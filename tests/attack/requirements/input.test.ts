// what is sent in: every field, parameter and header of every route, with what does not belong there.
import express from 'express';
import { ignorePasswords } from '../../support/leak-scan.js';
import {
  bodiesOf,
  callRoute,
  everyRoute,
  fieldsOf,
  type Route,
  withField,
} from '../../support/every-route.js';
import { effortOf, outcomeOf } from '../../support/outcomes.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';

ignorePasswords();

const json = { 'Content-Type': 'application/json' };
const withBody = everyRoute.filter(({ schema }) => schema !== undefined);
const queries = ['token', 'code', 'state', 'error', 'iss'];

const unharmed = (site: WholeSite) => expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);

const takesNothing = ({ schema }: Route) => !JSON.stringify(schema).includes('"required"');
const kindOf = (value: unknown) =>
  Array.isArray(value) ? 'list' : typeof value === 'object' && value !== null ? 'object' : 'text';

function isPart(body: object, { path }: { path: string[] }): boolean {
  return path[0]! in body;
}

describe('Input', () => {
  const open = wholeProduct();

  it('A-80 A-83 a list, an object, a number or nothing in any field of any route is 400 invalid_request', async () => {
    const site = await open();
    const { cookie, email } = await site.signInByCode();
    const odd: unknown[] = [
      [email],
      [email, email],
      { 0: email },
      { email },
      [[email]],
      42,
      true,
      null,
      { toString: email },
      { length: 1 },
    ];
    for (const route of withBody) {
      for (const schema of bodiesOf(route.schema!)) {
        for (const field of fieldsOf(route.schema!).filter((each) => isPart(schema, each))) {
          // `scopes` is a list and `device` an object: what fits there is not odd.
          for (const value of odd.filter((each) => !(field.kind === kindOf(each)))) {
            const answer = await callRoute(site, route, { cookie }, withField(schema, field.path, value));
            const about = [route.name, field.path.join('.'), value];
            expect([...about, answer.status, answer.json.error]).toEqual([...about, 400, 'invalid_request']);
          }
        }
      }
      // Where nothing is required, no body is as good as an empty one.
      const none = takesNothing(route) ? [] : [''];
      for (const body of ['[]', 'null', '42', '"x"', '[{}]', '{', 'x=1', ...none]) {
        const answer = await callRoute(site, route, { cookie, headers: json }, body);
        expect([route.name, body, answer.status]).toEqual([route.name, body, 400]);
      }
    }
    unharmed(site);
  }, 120_000);

  it('A-82 __proto__, constructor and prototype in a body bring no field in, and reach no prototype', async () => {
    for (const parser of [undefined, express.json()]) {
      const site = await open({ before: (app) => parser && app.use(parser) });
      const { cookie } = await site.signInByCode();
      for (const route of withBody) {
        for (const body of bodiesOf(route.schema!)) {
          const text = JSON.stringify(body);
          for (const polluting of [
            `{"__proto__":${text}}`,
            `{"constructor":{"prototype":${text}}}`,
            `{"prototype":${text},"__proto__":{"polluted":true}}`,
            `[{"__proto__":{"polluted":true}}]`,
          ]) {
            const answer = await callRoute(site, route, { cookie, headers: json }, polluting);
            if (polluting.startsWith('[') || !takesNothing(route))
              expect([route.name, answer.status]).toEqual([route.name, 400]);
          }
        }
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      unharmed(site);
    }
    const site = await open();
    const keys = ['__proto__', 'constructor', 'prototype', '__svc'];
    for (const metadata of keys.map(
      (key) => JSON.parse(`{"a":{"${key}":{"polluted":true}}}`) as Record<string, unknown>,
    )) {
      const email = site.address();
      for (const call of [
        () => site.service.emailCode.sendCode({ email, metadata }),
        () => site.service.magicLink.sendLink({ email, metadata }),
        () => site.service.emailPassword.signup({ email, password: 'correct horse battery', metadata }),
        () => site.service.createSessionToken('x', { claims: metadata }),
      ]) {
        expect(await outcomeOf(call)).toBe('invalid_request');
      }
    }
  });

  it('A-83 a parameter of a query that comes twice, as a list or as an object signs nobody in', async () => {
    const site = await open();
    const email = site.address();
    await site.post('/magic-link/send', { email });
    const token = site.mailedToken(email);
    for (const route of everyRoute.filter(({ redirects }) => redirects === 'back')) {
      for (const name of queries) {
        for (const query of [
          `${name}=${token}&${name}=x`,
          `${name}=x&${name}=${token}`,
          `${name}[]=${token}`,
          `${name}[a]=${token}`,
          `${name}[__proto__]=${token}`,
        ]) {
          const answer = await site.send(route.method === 'POST' ? 'POST' : 'GET', `${route.path}?${query}`);
          expect([route.name, query.length > 0, answer.cookies.filter(({ value }) => value !== '')]).toEqual([
            route.name,
            true,
            [],
          ]);
          expect(answer.location).toMatch(/^\/\?error=/);
        }
      }
    }
    for (const path of ['/google/start', '/oauth/acme/start']) {
      const { status } = await site.get(`${path}?state=a&state=b`);
      expect([path, status === 400 || status === 501]).toEqual([path, true]);
    }
    expect((await site.get(`/magic-link/verify?token=${token}`)).cookie()).toMatch(/^svc_session=/);
  });

  /** From nodemailer's advisories, and from what Unicode makes of an address. */
  const injections = (email: string) => [
    `${email},eve@evil.test`,
    `eve@evil.test,${email}`,
    `${email};eve@evil.test`,
    `${email} <eve@evil.test>`,
    `"${email}" <eve@evil.test>`,
    `<${email}>`,
    `${email}\r\nBcc: eve@evil.test`,
    `${email}\nBcc: eve@evil.test`,
    `${email}\0@evil.test`,
    `${email}%0d%0aBcc:eve@evil.test`,
    `"a b"@example.com`,
    `=?utf-8?q?x?=@example.com`,
    email.replace('@', '\uff20'),
    email.replace('.com', '\u3002com'),
    email.replace('.com', '\uff0ecom'),
    email.replace('example', 'ex\u00adample'),
    email.replace('example.com', '[127.0.0.1]'),
    email.replace('example.com', '0x7f.1'),
    email.replace('p', '\u212a'),
  ];

  it('A-85 no route mails to an address that could mean another, or more than one, or a header', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const guest = { cookie: (await site.post('/guest')).cookie() };
    const { org } = (await site.post('/orgs', { name: 'Acme' }, me)).json;
    const sent = site.mail.messages.length;
    for (const email of injections(site.address())) {
      for (const [path, body, by] of [
        ['/email-code/send', { email }, {}],
        ['/magic-link/send', { email }, {}],
        ['/password/signup', { email, password: 'correct horse battery' }, {}],
        ['/account/email', { email }, me],
        ['/guest/upgrade/send', { email }, guest],
        [`/orgs/${org.id}/invites`, { email }, me],
      ] as const) {
        const answer = await site.post(path, body, by);
        expect([path, email, answer.status, answer.json.error]).toEqual([
          path,
          email,
          400,
          'invalid_request',
        ]);
      }
      expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
    }
    await site.settle();
    expect(site.mail.messages).toHaveLength(sent);
  });

  it('A-85 A-86 a name with markup, a line break or a header in it is escaped in mails, and an address is in none', async () => {
    const site = await open({ service: { appName: 'A<img src=x>&"\'B' } });
    const me = await site.signInByCode();
    const invited = site.address();
    for (const name of [
      '<script>x</script>',
      '"><img src=x onerror=x>',
      'x\r\nBcc: eve@evil.test',
      'https://evil.test/ <a href=x>',
    ]) {
      const { status, json: founded } = await site.post('/orgs', { name }, me);
      if (status === 200) await site.post(`/orgs/${founded.org.id}/invites`, { email: invited }, me);
    }
    await site.post('/magic-link/send', { email: me.email });
    await site.post('/password/request-reset', { email: me.email });
    await site.post('/account/email', { email: site.address() }, me);
    await site.settle();
    const kinds = new Set(site.mail.messages.map(({ kind }) => kind));
    expect([...kinds].sort()).toEqual(['email_code', 'magic_link', 'org_invite', 'password_reset']);
    for (const { to, subject, html, text } of site.mail.messages) {
      expect(html).not.toMatch(/<(script|img)|onerror=x>|href=x/i);
      expect(html.match(/href="[^"]*"/g) ?? []).toEqual(
        html.match(/href="https:\/\/app\.test\/[^"]*"/g) ?? [],
      );
      expect(subject).not.toMatch(/[\r\n]/);
      expect(subject.length).toBeLessThanOrEqual(200);
      expect(html + text.replace(/^https:.*$/gm, '')).not.toContain(to);
    }
  });

  it('A-87 a hundred thousand characters of the worst kind cost no more than a glance, wherever a text is taken', async () => {
    const { service } = await open();
    const user = (
      await service.emailPassword.signup({ email: 'a@example.com', password: 'correct horse battery' })
    ).user;
    const size = 100_000;
    const hostile = [
      'a',
      'a.',
      '@',
      'a@',
      '-',
      ' ',
      '\t',
      '+1',
      '0',
      '.',
      '_',
      'svc_',
      '\u0301',
      '\ud83d\ude00',
      'A-',
      '%',
      '(',
      '=?',
    ].flatMap((part) => [
      part.repeat(size / part.length),
      `a@${part.repeat(size / part.length)}`,
      `${part.repeat(size / part.length)}@x!`,
    ]);
    const takers: Record<string, (text: string) => unknown> = {
      'an address': (email) => service.emailCode.sendCode({ email }),
      'a code': (code) => service.emailCode.verify({ email: 'a@example.com', code }),
      'a link': (token) => service.magicLink.verify(token),
      'a reset': (token) =>
        service.emailPassword.setPassword({ token, newPassword: 'correct horse battery' }),
      'a session': (token) => service.verifyToken(token),
      'a number': (phone) => service.phoneOtp.sendCode({ phone }),
      'a refresh token': (token) => service.refresh.refresh(token),
      'an API key': (key) => service.apiKeys.verify(key),
      'an organisation': (name) => service.orgs.create({ name, slug: name, ownerUserId: user.id }),
      'an invite': (token) => service.orgs.acceptInvite(token, user.id),
      'a redirect': (redirectTo) => service.magicLink.sendLink({ email: 'a@example.com', redirectTo }),
      'a second factor': (code) => service.totp.verify(user.id, code),
    };
    for (const [name, take] of Object.entries(takers)) {
      for (const text of hostile) {
        const effort = await effortOf(() => outcomeOf(() => take(text)));
        expect([name, text.slice(0, 12), effort < 100 ? 'a glance' : effort]).toEqual([
          name,
          text.slice(0, 12),
          'a glance',
        ]);
      }
    }
  });
});
