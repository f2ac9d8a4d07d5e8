// links: forged, prefetched, handed on, and built for another host, on each storage.
import { noting } from '../../support/describe-adapters.js';
import type { Answer } from '../../support/http-client.js';
import { goodPassword } from '../../support/http-site.js';
import { half } from '../secrets.js';
import { mailedReset, outcome } from '../../support/people.js';
import { describeAttacks, type Product } from '../../support/whole-product.js';

const flipped = (token: string, at: number) =>
  token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);

/** Every signed text, and the door it is shown at. */
async function signedTexts(site: Product) {
  const { email, cookie } = await site.signInByCode();
  await site.post('/magic-link/send', { email });
  const link = site.mailedToken(email);
  const reset = await mailedReset(site, email);
  const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie })).json;
  const guest = await site.signInByCode();
  await site.post(`/orgs/${org.id}/invites`, { email: guest.email }, { cookie });
  const invite = site.mailedToken(guest.email);
  const { refreshToken } = (await site.post('/token/issue', {}, { cookie })).json;
  const { waiting } = await half(site);
  const transaction = (await site.get('/google/start')).cookie('svc_oauth');
  const valueOf = (pair: string) => pair.slice(pair.indexOf('=') + 1);
  const newPassword = goodPassword;
  return [
    ['a link', link, (token) => site.get(`/magic-link/verify?token=${token}`)],
    ['a reset', reset, (token) => site.post('/password/reset', { token, newPassword })],
    ['a refresh token', refreshToken, (token) => site.post('/token/refresh', { refreshToken: token })],
    [
      'a pending sign-in',
      valueOf(waiting),
      (token) => site.post('/mfa/verify', { code: '000000' }, { cookie: `svc_mfa=${token}` }),
    ],
    [
      'a transaction',
      valueOf(transaction),
      (token) => site.get('/google/callback?code=x&state=x', { cookie: `svc_oauth=${token}` }),
    ],
    ['an invite', invite, (token) => site.post('/orgs/invites/accept', { token }, { cookie: guest.cookie })],
  ] as [name: string, token: string, show: (token: string) => Promise<Answer>][];
}

describeAttacks('Links', ({ open }) => {
  it('A-30 A-31 is refused by its MAC before anything is looked up, whichever letter of it was changed', async () => {
    const calls: string[] = [];
    const site = await open({ wrapAdapter: (adapter) => noting(adapter, calls) });
    for (const [name, token, show] of await signedTexts(site)) {
      const dot = token.lastIndexOf('.');
      const changed = [0, 1, dot >> 1, dot - 1, dot + 1, (dot + token.length) >> 1, token.length - 2].map(
        (at) => flipped(token, at),
      );
      const shortened = [
        token.slice(0, -1),
        token.slice(0, dot),
        token.slice(dot + 1),
        `${token}A`,
        `${token}.`,
        `.${token}`,
        `${token.slice(0, dot)}.`,
      ];
      for (const forged of [...changed, ...shortened]) {
        calls.length = 0;
        const answer = await show(forged);
        expect([name, forged, answer.status < 500]).toEqual([name, forged, true]);
        expect(answer.json?.error ?? answer.location).toMatch(
          /token_invalid|refresh_token_invalid|oauth_error|invite_invalid|org_error/,
        );
        // Whose session it is that accepts an invite is looked up first; a refresh token has its family’s id in clear, under the MAC.
        const lookups = calls.filter(
          (call) => !/^sessions\.(findWithUser|renew)$/.test(call) && call !== 'users.findById',
        );
        expect([name, forged, lookups]).toEqual([name, forged, []]);
        if (name !== 'an invite') expect([name, calls]).toEqual([name, []]);
      }
    }
  });

  it('A-31 has the address and the random part of one link only together', async () => {
    const site = await open();
    const [ada, eve] = [site.address(), site.address()];
    const tokens = [];
    for (const email of [ada, eve]) {
      await site.post('/magic-link/send', { email });
      tokens.push(site.mailedToken(email));
    }
    const [mine, theirs] = tokens.map((token) => token.split('.')) as [string[], string[]];
    const bytes = (text: string) => Buffer.from(text, 'base64url').toString('latin1');
    const forged = Buffer.from(bytes(theirs[0]!).replace(eve, ada), 'latin1').toString('base64url');
    expect(forged).not.toBe(theirs[0]);
    for (const token of [
      `${mine[0]}.${theirs[1]}`,
      `${theirs[0]}.${mine[1]}`,
      `${forged}.${theirs[1]}`,
      `${forged}.${mine[1]}`,
    ])
      expect((await site.get(`/magic-link/verify?token=${token}`)).location).toBe('/?error=token_invalid');
    const answer = await site.get(`/magic-link/verify?token=${tokens[1]}`);
    expect((await site.get('/session', { cookie: answer.cookie() })).json.user.email).toBe(eve);
  });

  it('A-32 hands its token on to nobody: by no header, no body, no cookie and no target, right or wrong', async () => {
    const site = await open({ pro: { successRedirect: '/in' }, router: { successRedirect: '/in' } });
    const email = site.address();
    await site.post('/magic-link/send', { email });
    const token = site.mailedToken(email);
    const path = `/magic-link/verify?token=${token}`;
    const idp = await site.get('/google/start');
    const callback = '/google/callback?code=the-code-of-the-provider&state=the-state-of-the-provider';
    const cookie = idp.cookie('svc_oauth');
    for (const [method, route] of [
      ['HEAD', path],
      ['GET', `${path}x`],
      ['GET', path],
      ['GET', path],
      ['GET', callback],
      ['GET', callback.replace('google', 'oauth/acme')],
    ] as const) {
      const answer = await site.send(method, route, undefined, { cookie });
      expect(answer.headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
      expect(answer.text).toBe('');
      const told = JSON.stringify([answer.headers, answer.location]);
      for (const secret of [token, token.split('.')[0]!, 'the-code-of', 'the-state-of'])
        expect(told).not.toContain(secret);
    }
    await site.settle();
    expect(JSON.stringify(site.log)).not.toMatch(/the-code-of|the-state-of|token=/);
  });

  it('A-33 is used up by no HEAD, prefetch or preview; and no other GET changes anything', async () => {
    const site = await open();
    const email = site.address();
    await site.post('/magic-link/send', { email });
    const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
    site.google.accounts.set('prefetched', { email: site.address(), email_verified: true });
    const started = await site.get('/google/start');
    const { search } = await site.google.signIn(started.location!, 'prefetched');
    const cookie = started.cookie('svc_oauth');
    const paths = [link, '/google/start', `/google/callback${search}`];
    for (const path of paths) {
      for (const headers of [
        { 'Sec-Purpose': 'prefetch' },
        { 'Sec-Purpose': 'prefetch;prerender' },
        { Purpose: 'prefetch' },
        { 'X-Moz': 'prefetch' },
      ] as Record<string, string>[]) {
        const answer = await site.get(path, { headers, cookie });
        expect([path, answer.status, answer.cookies]).toEqual([path, 204, []]);
      }
      const head = await site.send('HEAD', path, undefined, { cookie });
      expect([head.status, head.cookies, head.location]).toEqual([200, [], undefined]);
    }
    expect((await site.get(link)).location).toBe('/');
    expect((await site.get(paths[2]!, { cookie })).location).toBe('/');
    // What changes something is no GET.
    const posts = [
      '/logout',
      '/password/reset',
      '/email-code/verify',
      '/account/password',
      '/totp/disable',
      '/mfa/verify',
      '/token/revoke',
      '/guest',
      '/devices/revoke-others',
      '/account/email/confirm',
      '/orgs/invites/accept',
    ];
    const { cookie: session } = await site.signInByCode();
    for (const path of posts)
      expect([path, (await site.get(path, { cookie: session })).status]).toEqual([path, 404]);
    expect((await site.get('/session', { cookie: session })).status).toBe(200);
  });

  it.each(['Host', 'X-Forwarded-Host', 'X-Forwarded-Server', 'Forwarded', 'X-Original-Host', 'X-Host'])(
    'A-34 is built from the configuration, whatever %s says',
    async (name) => {
      const site = await open({ trustProxy: true });
      const value = name === 'Forwarded' ? 'host=evil.test;proto=http' : 'evil.test';
      const headers = { [name]: value, 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '8443' };
      const { email, cookie } = await site.signInByCode();
      const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie })).json;
      await site.post('/magic-link/send', { email }, { headers });
      await site.post('/password/request-reset', { email }, { headers });
      await site.post(`/orgs/${org.id}/invites`, { email: site.address() }, { headers, cookie });
      await site.post('/email-code/send', { email }, { headers });
      await site.settle();
      const starts = [];
      for (const path of ['/google/start', '/idp/start', '/oauth/acme/start'])
        starts.push((await site.get(path, { headers })).location);
      const link = (await site.post('/oauth/acme/link', {}, { headers, cookie })).json;
      expect(site.mail.messages.length).toBeGreaterThan(3);
      const links = site.mail.messages.flatMap(({ text }) => text.match(/https?:\/\/\S+/g) ?? []);
      expect(links.length).toBeGreaterThan(2);
      for (const each of links) expect(new URL(each).origin).toBe('https://app.test');
      expect(JSON.stringify([site.mail.messages, starts, link])).not.toContain('evil.test');
    },
  );

  it('A-35 goes where the configuration says: no field and no query of a request is a target', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const evil = 'https://evil.test/take';
    const wishes = {
      redirectTo: evil,
      redirect: evil,
      redirect_uri: evil,
      returnTo: evil,
      next: evil,
      url: evil,
      baseUrl: evil,
      resetUrl: evil,
      callbackURL: evil,
    };
    const query = `${new URLSearchParams(wishes).toString()}`;
    await site.post(`/magic-link/send?${query}`, { email, ...wishes });
    const token = site.mailedToken(email);
    await site.post(`/password/request-reset?${query}`, { email, ...wishes });
    await site.settle();
    expect(JSON.stringify(site.mail.messages)).not.toContain('evil.test');
    expect((await site.get(`/magic-link/verify?${query}&token=x`)).location).toBe('/?error=token_invalid');
    expect((await site.get(`/magic-link/verify?${query}&token=${token}`)).location).toBe('/');
    for (const path of ['/google', '/idp', '/oauth/acme']) {
      const start = new URL((await site.get(`${path}/start?${query}`)).location!);
      expect(
        start.searchParams.getAll('redirect_uri').every((each) => each.startsWith('https://app.test/')),
      ).toBe(true);
      expect((await site.get(`${path}/callback?${query}&code=x&state=x`)).location).toBe(
        '/?error=oauth_error&reason=expired',
      );
    }
    // A state of the application is text in a query, never a target.
    site.google.accounts.set('stateful', { email: site.address(), email_verified: true });
    const started = await site.get(`/google/start?state=${encodeURIComponent('//evil.test/?a=b&error=#x')}`);
    const { search } = await site.google.signIn(started.location!, 'stateful');
    const answer = await site.get(`/google/callback${search}`, { cookie: started.cookie('svc_oauth') });
    expect(answer.location).toBe(`/?state=${encodeURIComponent('//evil.test/?a=b&error=#x')}`);
  });

  it('A-35 carries its token as one parameter of the configured address, whatever that holds', async () => {
    const site = await open({
      service: {
        providers: {
          magicLink: { baseUrl: 'https://app.test/in?keep=1&token=old#part' },
          emailPassword: { resetUrl: 'https://app.test/reset?a=%26b' },
        },
      },
    });
    const { email } = await site.signUp();
    await site.post('/magic-link/send', { email });
    const link = new URL(site.mail.lastLink(email)!);
    expect([link.origin, link.pathname, link.hash, link.searchParams.get('keep')]).toEqual([
      'https://app.test',
      '/in',
      '#part',
      '1',
    ]);
    expect(link.searchParams.getAll('token')).toEqual([site.mailedToken(email)]);
    expect((await site.get(`/magic-link/verify?token=${link.searchParams.get('token')}`)).location).toBe('/');
    await site.post('/password/request-reset', { email });
    await site.settle();
    const reset = new URL(site.mail.lastLink(email)!);
    expect([...reset.searchParams.keys()]).toEqual(['a', 'token']);
    expect(
      outcome(
        await site.post('/password/reset', {
          token: reset.searchParams.get('token'),
          newPassword: goodPassword,
        }),
      ),
    ).toMatch(/^200|token_invalid/);
  });
});
