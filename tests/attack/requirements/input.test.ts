// Every field, parameter and header of every route, with values that do not belong there.
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
import { both } from '../../support/link-pages.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';

ignorePasswords();

const json = { 'Content-Type': 'application/json' };
const withBody = everyRoute.filter(({ schema }) => schema !== undefined);
const queries = ['token', 'code', 'state', 'error', 'iss'];

const expectNoErrors = (site: FullSite) =>
  expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);

const takesNothing = ({ schema }: Route) => !JSON.stringify(schema).includes('"required"');
const kindOf = (value: unknown) =>
  Array.isArray(value) ? 'list' : typeof value === 'object' && value !== null ? 'object' : 'text';

function isPart(body: object, { path }: { path: string[] }): boolean {
  return path[0]! in body;
}

describe('Request input', () => {
  const open = fullSiteOpener();

  //
  it('returns 400 invalid_request for a value of the wrong type in any field of any route', async () => {
    const site = await open({ links: both, service: { session: { bearer: true } } });
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
          // `scopes` is a list and `device` an object, so these kinds are valid there.
          for (const value of odd.filter((each) => !(field.kind === kindOf(each)))) {
            const response = await callRoute(site, route, { cookie }, withField(schema, field.path, value));
            const about = [route.name, field.path.join('.'), value];
            expect([...about, response.status, response.json.error]).toEqual([
              ...about,
              400,
              'invalid_request',
            ]);
          }
        }
      }
      // If no field is required, an empty body is valid.
      const none = takesNothing(route) ? [] : [''];
      for (const body of ['[]', 'null', '42', '"x"', '[{}]', '{', 'x=1', ...none]) {
        const response = await callRoute(site, route, { cookie, headers: json }, body);
        expect([route.name, body, response.status]).toEqual([route.name, body, 400]);
      }
    }
    expectNoErrors(site);
  }, 120_000);

  //
  it('rejects __proto__, constructor and prototype in a body, and pollutes no prototype', async () => {
    for (const parser of [undefined, express.json()]) {
      const site = await open({
        links: both,
        service: { session: { bearer: true } },
        before: (app) => parser && app.use(parser),
      });
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
            const response = await callRoute(site, route, { cookie, headers: json }, polluting);
            if (polluting.startsWith('[') || !takesNothing(route))
              expect([route.name, response.status]).toEqual([route.name, 400]);
          }
        }
      }
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
      expectNoErrors(site);
    }
    const site = await open();
    const keys = ['__proto__', 'constructor', 'prototype', '__svc'];
    for (const metadata of keys.map(
      (key) => JSON.parse(`{"a":{"${key}":{"polluted":true}}}`) as Record<string, unknown>,
    )) {
      const email = site.uniqueEmail();
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

  //
  it('rejects a query parameter that is repeated, a list or an object', async () => {
    const site = await open();
    const email = site.uniqueEmail();
    await site.post('/magic-link/send', { email });
    const token = site.mailedToken(email);
    // The link of a notice shows a page: tests/notices.
    const isRedirect = ({ path, redirects }: (typeof everyRoute)[number]) =>
      redirects === 'back' && path !== '/not-me';
    for (const route of everyRoute.filter(isRedirect)) {
      for (const name of queries) {
        for (const query of [
          `${name}=${token}&${name}=x`,
          `${name}=x&${name}=${token}`,
          `${name}[]=${token}`,
          `${name}[a]=${token}`,
          `${name}[__proto__]=${token}`,
        ]) {
          const response = await site.send(
            route.method === 'POST' ? 'POST' : 'GET',
            `${route.path}?${query}`,
          );
          expect([
            route.name,
            query.length > 0,
            response.cookies.filter(({ value }) => value !== ''),
          ]).toEqual([route.name, true, []]);
          expect(response.location).toMatch(/^\/\?error=/);
        }
      }
    }
    for (const path of ['/google/start', '/oauth/acme/start']) {
      const { status } = await site.get(`${path}?state=a&state=b`);
      expect([path, status === 400 || status === 501]).toEqual([path, true]);
    }
    expect((await site.get(`/magic-link/verify?token=${token}`)).cookie()).toMatch(/^svc_session=/);
  });

  /** From the security advisories of nodemailer, and from Unicode normalization of addresses. */
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

  //
  it('rejects an email address that is ambiguous, lists several or contains a header, on every route that mails', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const guest = { cookie: (await site.post('/guest')).cookie() };
    const { org } = (await site.post('/orgs', { name: 'Acme' }, me)).json;
    const sent = site.mail.messages.length;
    for (const email of injections(site.uniqueEmail())) {
      for (const [path, body, by] of [
        ['/email-code/send', { email }, {}],
        ['/magic-link/send', { email }, {}],
        ['/password/signup', { email, password: 'correct horse battery' }, {}],
        ['/account/email', { email }, me],
        ['/guest/upgrade/send', { email }, guest],
        [`/orgs/${org.id}/invites`, { email }, me],
      ] as const) {
        const response = await site.post(path, body, by);
        expect([path, email, response.status, response.json.error]).toEqual([
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

  //
  it('escapes markup, line breaks and headers of a name in mails, and never includes the address in the content', async () => {
    const site = await open({ service: { appName: 'A<img src=x>&"\'B' } });
    const me = await site.signInByCode();
    const invited = site.uniqueEmail();
    for (const name of [
      '<script>x</script>',
      '"><img src=x onerror=x>',
      'x\r\nBcc: eve@evil.test',
      'https://evil.test/ <a href=x>',
    ]) {
      const { status, json: created } = await site.post('/orgs', { name }, me);
      if (status === 200) await site.post(`/orgs/${created.org.id}/invites`, { email: invited }, me);
    }
    await site.post('/magic-link/send', { email: me.email });
    await site.post('/password/request-reset', { email: me.email });
    await site.post('/account/email', { email: site.uniqueEmail() }, me);
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

  //
  it('needs little CPU time for 100,000 hostile characters in every method that takes a string', async () => {
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
      'a reset token': (token) =>
        service.emailPassword.setPassword({ token, newPassword: 'correct horse battery' }),
      'a session': (token) => service.verifyToken(token),
      'a phone number': (phone) => service.phoneOtp.sendCode({ phone }),
      'a refresh token': (token) => service.refresh.refresh(token),
      'an API key': (key) => service.apiKeys.verify(key),
      'an organization': (name) => service.orgs.create({ name, slug: name, ownerUserId: user.id }),
      'an invite token': (token) => service.orgs.acceptInvite(token, user.id),
      'a redirect': (redirectTo) => service.magicLink.sendLink({ email: 'a@example.com', redirectTo }),
      'a second factor': (code) => service.totp.verify(user.id, code),
    };
    for (const [name, take] of Object.entries(takers)) {
      for (const text of hostile) {
        const effort = await effortOf(() => outcomeOf(() => take(text)));
        expect([name, text.slice(0, 12), effort < 100 ? 'fast' : effort]).toEqual([
          name,
          text.slice(0, 12),
          'fast',
        ]);
      }
    }
  });
});
