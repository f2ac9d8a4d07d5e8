/**
 * The second factor, for every sign-in method (docs/security-requirements.md ).
 * tests/pro/totp-sign-in.test.ts calls the second step from code; these tests check what a browser
 * receives.
 */
import type { Express } from 'express';
import { isServiceError } from 'svc-auth';
import { testLicense } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import type { Overrides, TestService } from '../../support/make-service.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import type { OpenSite } from '../matrix.js';
import { asInProduction } from '../../support/refusal-reason.js';

const second = 1_000;
const minute = 60 * second;
const step = 30 * second;
const license = testLicense({ expiresAt: new Date('2199-12-31') });
const redirectUri = 'https://app.test/api/auth/google/callback';

/** A user with an enrolled authenticator app. */
interface Person {
  email: string;
  userId: string;
  secret: string;
  recoveryCodes: string[];
}

/** A sign-in method, up to its last response. `cookie`: the cookies of the browser. */
type SignIn = (site: Site, person: Person, cookie?: string) => Promise<HttpResponse>;

export function secondFactor(open: OpenSite): void {
  let oidc: OidcServer;

  const withTotp = ({ providers, ...overrides }: Overrides = {}): Overrides => ({
    ...license,
    encryptionKey,
    ...overrides,
    providers: { totp: true, sessions: true, google: oidc.client, ...providers },
  });
  const openWithTotp = (options: SiteOptions = {}) =>
    open({ ...options, service: withTotp(options.service), before: options.before ?? ownRoute });

  /**
   * Creates a verified user who is also known to the identity provider and has enrolled an
   * authenticator app.
   */
  async function enrollUser(site: Site, { withPassword = true } = {}): Promise<Person> {
    const { email, user } = await site.signInByCode();
    oidc.accounts.set(email, { email, email_verified: true });
    if (withPassword) {
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: validPassword });
    }
    const { secret } = await site.service.totp.beginEnrollment(user.id);
    const code = codeAt(secret, site.clock.now());
    const { recoveryCodes } = await site.service.totp.confirmEnrollment(user.id, code);
    site.clock.advance(step);
    return { email, userId: user.id, secret, recoveryCodes };
  }

  const byEmailCode: SignIn = async (site, { email }, cookie) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, { cookie });
  };
  const byMagicLink: SignIn = async (site, { email }, cookie) => {
    await site.post('/magic-link/send', { email });
    return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
  };
  const byPassword: SignIn = (site, { email }, cookie) =>
    site.post('/password/login', { email, password: validPassword }, { cookie });
  const byGoogle: SignIn = async (site, { email }, cookie = 'theme=dark') => {
    const started = await site.get('/google/start');
    const { search } = await oidc.signIn(started.location!, email);
    return site.get(`/google/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
  };

  const signInMethods: [string, SignIn, isRedirect: boolean][] = [
    ['an email code', byEmailCode, false],
    ['a magic link', byMagicLink, true],
    ['a password', byPassword, false],
    ['google', byGoogle, true],
  ];

  function expectMfaRequired(
    response: HttpResponse,
    isRedirect: boolean,
    target = '/?error=mfa_required',
  ): void {
    if (isRedirect) expect([response.status, response.location, response.text]).toEqual([302, target, '']);
    else {
      expect(response.status).toBe(403);
      const secondStep = { methods: ['totp', 'recovery'], preferred: 'totp' };
      const message = expect.any(String) as string;
      expect(asInProduction(response.json)).toEqual({ error: 'mfa_required', message, ...secondStep });
    }
    const cookiesSet = response.cookies.filter(({ value }) => value !== '');
    expect(cookiesSet).toMatchObject([
      { name: 'svc_mfa', attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '300' } },
    ]);
    // The earlier session, if any, is not ended either.
    expect(response.cookies.filter(({ name }) => name === 'svc_session')).toEqual([]);
  }

  const devicesOf = (site: Site, { userId }: Person) => site.service.sessionsProvider.listDevices(userId);
  const rightCode = (site: Site, { secret }: Person) => codeAt(secret, site.clock.now());

  const finish = (site: Site, body: object, cookie?: string) =>
    site.send('POST', '/app/second-factor', body, { cookie });

  describe('the second factor', () => {
    beforeAll(async () => {
      oidc = await startOidcServer(redirectUri);
    });

    afterAll(() => oidc.stop());

    // A-16, T11
    it.each(signInMethods)(
      '%s alone returns mfa_required and svc_mfa, without a session or an event',
      async (_name, signIn, isRedirect) => {
        const site = await openWithTotp();
        const person = await enrollUser(site);
        const events: string[] = [];
        site.service.on('*', (name) => void events.push(name));
        expectMfaRequired(await signIn(site, person), isRedirect);
        await site.settle();
        expect(events.filter((name) => /^(session|user)\./.test(name))).toEqual([]);
        expect(await devicesOf(site, person)).toEqual([]);
      },
    );

    //
    it.each(signInMethods)(
      '%s followed by a code starts the session, and ends the earlier one of the browser only then',
      async (_name, signIn, isRedirect) => {
        const site = await openWithTotp();
        const person = await enrollUser(site);
        const earlier = await site.signUp();
        const response = await signIn(site, person, earlier.cookie);
        expectMfaRequired(response, isRedirect);
        expect((await site.get('/session', { cookie: earlier.cookie })).status).toBe(200);
        const cookie = `${earlier.cookie}; ${response.cookie('svc_mfa')}`;
        const finished = await finish(site, { code: rightCode(site, person) }, cookie);
        expect(finished.status).toBe(200);
        const session = await site.get('/session', { cookie: finished.cookie() });
        expect(session.json.user.id).toBe(person.userId);
        expect((await site.get('/session', { cookie: earlier.cookie })).status).toBe(401);
        expect(await devicesOf(site, person)).toHaveLength(1);
        site.clock.advance(step);
        const again = await finish(site, { code: rightCode(site, person) }, cookie);
        expect([again.status, again.cookies]).toEqual([401, []]);
        expect(again.json.error).toBe('token_invalid');
      },
    );

    //
    it('POST /password/signup sets a first password only with a session of the account, and starts no second session', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site, { withPassword: false });
      const first = await byEmailCode(site, person);
      const code = rightCode(site, person);
      const session = (await finish(site, { code }, first.cookie('svc_mfa'))).cookie();
      const { email } = person;
      const signup = { email, password: validPassword };
      expect((await site.post('/password/signup', signup)).json.error).toBe('email_exists');
      expect(
        (await site.post('/password/signup', signup, { cookie: first.cookie('svc_mfa') })).json.error,
      ).toBe('email_exists');
      const added = await site.post('/password/signup', signup, { cookie: session });
      expect([added.status, added.cookies, Object.keys(added.json)]).toEqual([200, [], ['user']]);
      expect(added.json.user.id).toBe(person.userId);
      expectMfaRequired(await byPassword(site, person), false);
      expect((await site.get('/session', { cookie: session })).status).toBe(200);
      expect(await devicesOf(site, person)).toHaveLength(1);
    });

    //
    it.each(signInMethods)(
      '%s with a second factor redirects to the failureRedirect of the application',
      async (_name, signIn, isRedirect) => {
        const site = await openWithTotp({
          router: { failureRedirect: ({ code }) => `/sign-in/second-step?because=${code}` },
        });
        expectMfaRequired(
          await signIn(site, await enrollUser(site)),
          isRedirect,
          '/sign-in/second-step?because=mfa_required',
        );
      },
    );

    it('svc_mfa is Secure over HTTPS and has the path and domain of the session cookie', async () => {
      const site = await openWithTotp({
        trustProxy: true,
        service: { session: { cookie: { path: '/api', domain: 'app.test', sameSite: 'strict' } } },
      });
      const { email } = await enrollUser(site);
      const headers = { 'X-Forwarded-Proto': 'https' };
      const response = await site.post('/password/login', { email, password: validPassword }, { headers });
      expect(response.cookies).toMatchObject([
        {
          name: 'svc_mfa',
          attributes: { httponly: true, secure: true, samesite: 'Strict', path: '/api', domain: 'app.test' },
        },
      ]);
    });

    it('svc_mfa is not a session and is accepted only by the second step', async () => {
      const site = await openWithTotp();
      const response = await byPassword(site, await enrollUser(site));
      const token = response.cookie('svc_mfa').slice('svc_mfa='.length);
      for (const options of [
        { cookie: `svc_mfa=${token}` },
        { cookie: `svc_session=${token}` },
        { headers: { Authorization: `Bearer ${token}` } },
      ]) {
        expect((await site.get('/session', options)).status).toBe(401);
      }
      const link = await site.get(`/magic-link/verify?token=${token}`);
      expect(link.location).toBe('/?error=token_invalid');
    });

    //
    it('five wrong codes lock the second step, even after a new first step; wrong codes return 401 code_invalid', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const cookie = (await byPassword(site, person)).cookie('svc_mfa');
      const wrong = { code: wrongCodeAt(person.secret, site.clock.now()) };
      for (let i = 0; i < 5; i += 1) {
        const response = await finish(site, wrong, cookie);
        expect([response.status, response.json.error, response.cookies]).toEqual([401, 'code_invalid', []]);
      }
      const right = { code: rightCode(site, person) };
      expect((await finish(site, right, cookie)).json.error).toBe('max_attempts_exceeded');
      const newCookie = (await byEmailCode(site, person)).cookie('svc_mfa');
      expect((await finish(site, right, newCookie)).json.error).toBe('max_attempts_exceeded');
      const recovery = { recoveryCode: person.recoveryCodes[0] };
      expect((await finish(site, recovery, newCookie)).json.error).toBe('max_attempts_exceeded');
      site.clock.advance(15 * minute);
      const later = (await byPassword(site, person)).cookie('svc_mfa');
      expect((await finish(site, recovery, later)).status).toBe(200);
    });

    //
    it('the second step returns 401 token_invalid for an invalid, altered or expired svc_mfa', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const { cookie: session } = await site.signUp();
      const response = await byPassword(site, person);
      const cookie = response.cookie('svc_mfa');
      const tampered = cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      const disguised = session.replace('svc_session', 'svc_mfa');
      const others = [undefined, 'svc_mfa=', 'svc_mfa=x', 'svc_mfa=j:{"a":1}', session, disguised, tampered];
      for (const other of others) {
        const refused = await finish(site, { code: rightCode(site, person) }, other);
        expect([other, refused.json.error]).toEqual([other, 'token_invalid']);
      }
      site.clock.advance(5 * minute);
      const late = await finish(site, { code: rightCode(site, person) }, cookie);
      expect(late.json.error).toBe('token_invalid');
    });

    //
    it('revokeAll and a password reset invalidate a pending second step; the next login requires the second factor again', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const revoked = (await byPassword(site, person)).cookie('svc_mfa');
      await site.service.sessionsProvider.revokeAll(person.userId);
      const waiting = (await byPassword(site, person)).cookie('svc_mfa');
      await site.post('/password/request-reset', { email: person.email });
      await site.settle();
      const token = site.mailedToken(person.email);
      const reset = await site.post(
        '/password/reset',
        { token, newPassword: validPassword },
        { cookie: waiting },
      );
      expect([reset.status, reset.cookies]).toEqual([200, []]);
      for (const cookie of [revoked, waiting]) {
        const response = await finish(site, { code: rightCode(site, person) }, cookie);
        expect(response.json.error).toBe('token_invalid');
      }
      const response = await byPassword(site, person);
      expectMfaRequired(response, false);
      const last = await finish(site, { code: rightCode(site, person) }, response.cookie('svc_mfa'));
      expect(last.status).toBe(200);
    });

    it('POST /logout clears svc_mfa with its original attributes, if the browser sent it', async () => {
      const site = await openWithTotp();
      const cookie = (await byPassword(site, await enrollUser(site))).cookie('svc_mfa');
      const response = await site.post('/logout', undefined, { cookie });
      const cleared = response.cookies.find(({ name }) => name === 'svc_mfa');
      expect(cleared).toMatchObject({
        value: '',
        attributes: { httponly: true, samesite: 'Lax', path: '/' },
      });
      const names = (await site.post('/logout')).cookies.map(({ name }) => name);
      expect(names).toEqual(['svc_session']);
    });

    it('a completed sign-in clears the svc_mfa of an earlier one', async () => {
      const site = await openWithTotp();
      const cookie = (await byPassword(site, await enrollUser(site))).cookie('svc_mfa');
      const { response } = await site.signInByCode(site.uniqueEmail(), { cookie });
      expect(response.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
        ['svc_session', true],
        ['svc_device', true],
        ['svc_mfa', false],
      ]);
    });

    it('a failed sign-in keeps svc_mfa', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const cookie = (await byPassword(site, person)).cookie('svc_mfa');
      const wrong = { email: person.email, password: 'a wrong password' };
      expect((await site.post('/password/login', wrong, { cookie })).cookies).toEqual([]);
      expect((await finish(site, { code: rightCode(site, person) }, cookie)).status).toBe(200);
    });

    //
    it('POST /password/login does not reveal a second factor before the right password', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const plain = await site.signUp();
      const responses = [person.email, plain.email, site.uniqueEmail()].map(async (email) => {
        const { status, json, cookies } = await site.post('/password/login', { email, password: 'wrong' });
        return { status, json, cookies };
      });
      const [enrolledAnswer, ...others] = await Promise.all(responses);
      expect(enrolledAnswer!.status).toBe(401);
      for (const other of others) expect(other).toEqual(enrolledAnswer);
    });

    //
    it.each<[string, (site: Site) => Overrides]>([
      ['the license is missing', () => ({ licenseKey: undefined, licensePublicKey: undefined })],
      ['the license has expired', ({ clock }) => testLicense({ expiresAt: new Date(clock.now() - minute) })],
      ['totp has been removed from the configuration', () => ({ providers: { totp: undefined } })],
      ['the encryption key is missing', () => ({ encryptionKey: undefined })],
    ])('every sign-in method requires the second factor even if %s', async (_name, changedOptions) => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const { clock, mail } = site;
      const later = await openWithTotp({
        service: { clock, mail, adapter: site.adapter, ...changedOptions(site) },
      });
      for (const [, signIn, isRedirect] of signInMethods)
        expectMfaRequired(await signIn(later, person), isRedirect);
      expect(await devicesOf(site, person)).toEqual([]);
    });

    //
    it('the second step of an unlicensed service signs no one in', async () => {
      const site = await openWithTotp();
      const person = await enrollUser(site);
      const { clock, adapter } = site;
      const later = await openWithTotp({ service: { clock, adapter, licenseKey: undefined } });
      const cookie = (await byPassword(later, person)).cookie('svc_mfa');
      const response = await finish(later, { code: rightCode(site, person) }, cookie);
      expect([response.json.error, response.cookies]).toEqual(['license_required', []]);
    });

    it('a user without a second factor gets a session and no svc_mfa', async () => {
      const site = await openWithTotp();
      const { response, user } = await site.signInByCode();
      expect(response.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
      // An enrollment that is not confirmed does not count.
      await site.service.totp.beginEnrollment(user.id);
      const again = await site.signInByCode(user.email);
      expect(again.response.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
    });
  });
}

/** The second step as an application would implement it: docs/providers/totp.md. */
function ownRoute(app: Express, { service }: TestService): void {
  app.post('/app/second-factor', (req, res, next) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => void chunks.push(chunk));
    req.on('end', () => {
      const { code, recoveryCode } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      const token = cookieOf(req.headers.cookie, 'svc_mfa');
      const sessionToken = cookieOf(req.headers.cookie, 'svc_session');
      Promise.resolve()
        .then(() =>
          service.totp.finishSignIn(
            { token: token!, code, recoveryCode },
            { startSession: true, sessionToken },
          ),
        )
        .then(({ user, session }) => {
          res.cookie('svc_session', session!.token, { httpOnly: true, sameSite: 'lax' });
          res.clearCookie('svc_mfa').json({ user });
        })
        .catch((error: unknown) => {
          if (isServiceError(error)) res.status(401).json({ error: error.code });
          else next(error);
        });
    });
  });
}

function cookieOf(header = '', name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=([^;]*)`).exec(header)?.[1];
}
