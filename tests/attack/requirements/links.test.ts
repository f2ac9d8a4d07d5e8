// Links that are forged, prefetched, leaked or built for another host, on each storage.
import { recordCalls } from '../../support/describe-adapters.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword } from '../../support/http-site.js';
import { startMfaSignIn } from '../secrets.js';
import { requestResetToken, outcome } from '../../support/site-actions.js';
import { describeAttacks, type SiteWithProviders } from '../../support/full-site.js';

const flipped = (token: string, at: number) =>
  token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);

/** Returns every signed token with the route that accepts it. */
async function signedTokens(site: SiteWithProviders) {
  const { email, cookie } = await site.signInByCode();
  await site.post('/magic-link/send', { email });
  const link = site.mailedToken(email);
  const reset = await requestResetToken(site, email);
  const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie })).json;
  const guest = await site.signInByCode();
  await site.post(`/orgs/${org.id}/invites`, { email: guest.email }, { cookie });
  const invite = site.mailedToken(guest.email);
  const { refreshToken } = (await site.post('/token/issue', {}, { cookie })).json;
  const { waiting } = await startMfaSignIn(site);
  const transaction = (await site.get('/google/start')).cookie('svc_oauth');
  const valueOf = (pair: string) => pair.slice(pair.indexOf('=') + 1);
  const newPassword = validPassword;
  return [
    ['a link', link, (token) => site.get(`/magic-link/verify?token=${token}`)],
    ['a reset token', reset, (token) => site.post('/password/reset', { token, newPassword })],
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
  ] as [name: string, token: string, show: (token: string) => Promise<HttpResponse>][];
}

describeAttacks('Links', ({ open }) => {
  //
  it('rejects a token with any changed character by its MAC, before any lookup', async () => {
    const calls: string[] = [];
    const site = await open({ wrapAdapter: (adapter) => recordCalls(adapter, calls) });
    for (const [name, token, show] of await signedTokens(site)) {
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
        const response = await show(forged);
        expect([name, forged, response.status < 500]).toEqual([name, forged, true]);
        expect(response.json?.error ?? response.location).toMatch(
          /token_invalid|refresh_token_invalid|oauth_error|invite_invalid|org_error/,
        );
        // The session that accepts an invite is looked up first; a refresh token contains its family id in clear, under the MAC.
        const lookups = calls.filter(
          (call) => !/^sessions\.(findWithUser|renew)$/.test(call) && call !== 'users.findById',
        );
        expect([name, forged, lookups]).toEqual([name, forged, []]);
        if (name !== 'an invite') expect([name, calls]).toEqual([name, []]);
      }
    }
  });

  //
  it('rejects a magic link that combines parts of two links', async () => {
    const site = await open();
    const [ada, eve] = [site.uniqueEmail(), site.uniqueEmail()];
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
    const response = await site.get(`/magic-link/verify?token=${tokens[1]}`);
    expect((await site.get('/session', { cookie: response.cookie() })).json.user.email).toBe(eve);
  });

  //
  it('leaks the token of a link through no header, body, cookie or redirect, valid or not', async () => {
    const site = await open({ pro: { successRedirect: '/in' }, router: { successRedirect: '/in' } });
    const email = site.uniqueEmail();
    await site.post('/magic-link/send', { email });
    const token = site.mailedToken(email);
    const path = `/magic-link/verify?token=${token}`;
    const oauthStart = await site.get('/google/start');
    const callback = '/google/callback?code=the-code-of-the-provider&state=the-state-of-the-provider';
    const cookie = oauthStart.cookie('svc_oauth');
    for (const [method, route] of [
      ['HEAD', path],
      ['GET', `${path}x`],
      ['GET', path],
      ['GET', path],
      ['GET', callback],
      ['GET', callback.replace('google', 'oauth/acme')],
    ] as const) {
      const response = await site.send(method, route, undefined, { cookie });
      expect(response.headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(response.text).toBe('');
      const exposed = JSON.stringify([response.headers, response.location]);
      for (const secret of [token, token.split('.')[0]!, 'the-code-of', 'the-state-of'])
        expect(exposed).not.toContain(secret);
    }
    await site.settle();
    expect(JSON.stringify(site.log)).not.toMatch(/the-code-of|the-state-of|token=/);
  });

  //
  it('does not use up a link by HEAD, prefetch or preview, and changes nothing by any other GET', async () => {
    const site = await open();
    const email = site.uniqueEmail();
    await site.post('/magic-link/send', { email });
    const link = `/magic-link/verify?token=${site.mailedToken(email)}`;
    site.google.accounts.set('prefetched', { email: site.uniqueEmail(), email_verified: true });
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
        const response = await site.get(path, { headers, cookie });
        expect([path, response.status, response.cookies]).toEqual([path, 204, []]);
      }
      const head = await site.send('HEAD', path, undefined, { cookie });
      expect([head.status, head.cookies, head.location]).toEqual([200, [], undefined]);
    }
    expect((await site.get(link)).location).toBe('/');
    expect((await site.get(paths[2]!, { cookie })).location).toBe('/');
    // Routes that change state do not respond to GET.
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

  //
  it.each(['Host', 'X-Forwarded-Host', 'X-Forwarded-Server', 'Forwarded', 'X-Original-Host', 'X-Host'])(
    'builds links from the configuration, regardless of the %s header',
    async (name) => {
      const site = await open({ trustProxy: true });
      const value = name === 'Forwarded' ? 'host=evil.test;proto=http' : 'evil.test';
      const headers = { [name]: value, 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '8443' };
      const { email, cookie } = await site.signInByCode();
      const { org } = (await site.post('/orgs', { name: 'Acme' }, { cookie })).json;
      await site.post('/magic-link/send', { email }, { headers });
      await site.post('/password/request-reset', { email }, { headers });
      await site.post(`/orgs/${org.id}/invites`, { email: site.uniqueEmail() }, { headers, cookie });
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

  //
  it('redirects only to configured targets, regardless of the fields and query of a request', async () => {
    const site = await open();
    const { email } = await site.signUp();
    const evil = 'https://evil.test/take';
    const targets = {
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
    const query = `${new URLSearchParams(targets).toString()}`;
    await site.post(`/magic-link/send?${query}`, { email, ...targets });
    const token = site.mailedToken(email);
    await site.post(`/password/request-reset?${query}`, { email, ...targets });
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
    // The application's state is a string in the query, never a target.
    site.google.accounts.set('stateful', { email: site.uniqueEmail(), email_verified: true });
    const started = await site.get(`/google/start?state=${encodeURIComponent('//evil.test/?a=b&error=#x')}`);
    const { search } = await site.google.signIn(started.location!, 'stateful');
    const response = await site.get(`/google/callback${search}`, { cookie: started.cookie('svc_oauth') });
    expect(response.location).toBe(`/?state=${encodeURIComponent('//evil.test/?a=b&error=#x')}`);
  });

  //
  it('adds the token as one parameter of the configured URL, and keeps its other parts', async () => {
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
          newPassword: validPassword,
        }),
      ),
    ).toMatch(/^200|token_invalid/);
  });
});
