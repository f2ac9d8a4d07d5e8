/**
 * The gate between one factor and a session, on every way in (docs/security-requirements.md ). What the
 * second step does from code is tests/pro/totp.test.ts; here is what a browser sees of both.
 */
import type { Express } from 'express';
import { isServiceError } from 'svc-auth';
import { testLicense } from 'svc-auth/testing';
import { codeAt, wrongCodeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { Answer } from '../../support/http-client.js';
import { goodPassword, type Site, type SiteOptions } from '../../support/http-site.js';
import type { Overrides, TestService } from '../../support/make-service.js';
import { startOidcServer, type OidcServer } from '../../support/oidc-server.js';
import type { OpenSite } from '../matrix.js';

const second = 1_000;
const minute = 60 * second;
const step = 30 * second;
const license = testLicense({ expiresAt: new Date('2199-12-31') });
const redirectUri = 'https://app.test/api/auth/google/callback';

/** Somebody who signs in here, with an app that is enrolled. */
interface Person {
  email: string;
  userId: string;
  secret: string;
  recoveryCodes: string[];
}

/** A way in, up to its last answer. `cookie`: what the browser has. */
type WayIn = (site: Site, person: Person, cookie?: string) => Promise<Answer>;

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

  /** A verified user without a password, known to the identity provider too, who then enrols an app. */
  async function enrolled(site: Site, { withPassword = true } = {}): Promise<Person> {
    const { email, user } = await site.signInByCode();
    oidc.accounts.set(email, { email, email_verified: true });
    if (withPassword) {
      await site.post('/password/request-reset', { email });
      await site.settle();
      await site.post('/password/reset', { token: site.mailedToken(email), newPassword: goodPassword });
    }
    const { secret } = await site.service.totp.beginEnrollment(user.id);
    const code = codeAt(secret, site.clock.now());
    const { recoveryCodes } = await site.service.totp.confirmEnrollment(user.id, code);
    site.clock.advance(step);
    return { email, userId: user.id, secret, recoveryCodes };
  }

  const byEmailCode: WayIn = async (site, { email }, cookie) => {
    await site.post('/email-code/send', { email });
    return site.post('/email-code/verify', { email, code: site.mail.lastCode(email) }, { cookie });
  };
  const byMagicLink: WayIn = async (site, { email }, cookie) => {
    await site.post('/magic-link/send', { email });
    return site.get(`/magic-link/verify?token=${site.mailedToken(email)}`, { cookie });
  };
  const byPassword: WayIn = (site, { email }, cookie) =>
    site.post('/password/login', { email, password: goodPassword }, { cookie });
  const byGoogle: WayIn = async (site, { email }, cookie = 'theme=dark') => {
    const started = await site.get('/google/start');
    const { search } = await oidc.signIn(started.location!, email);
    return site.get(`/google/callback${search}`, { cookie: `${cookie}; ${started.cookie('svc_oauth')}` });
  };

  const ways: [string, WayIn, isRedirect: boolean][] = [
    ['an email code', byEmailCode, false],
    ['a magic link', byMagicLink, true],
    ['a password', byPassword, false],
    ['google', byGoogle, true],
  ];

  function expectGate(answer: Answer, isRedirect: boolean, target = '/?error=mfa_required'): void {
    if (isRedirect) expect([answer.status, answer.location, answer.text]).toEqual([302, target, '']);
    else {
      expect(answer.status).toBe(403);
      expect(answer.json).toEqual({ error: 'mfa_required', message: expect.any(String) as string });
    }
    const given = answer.cookies.filter(({ value }) => value !== '');
    expect(given).toMatchObject([
      { name: 'svc_mfa', attributes: { httponly: true, samesite: 'Lax', path: '/', 'max-age': '300' } },
    ]);
    // The earlier session, if there was one, is not touched either.
    expect(answer.cookies.filter(({ name }) => name === 'svc_session')).toEqual([]);
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

    it.each(ways)(
      'A-16 T11: %s alone gives mfa_required and svc_mfa: no session cookie, no session, no event',
      async (_name, way, isRedirect) => {
        const site = await openWithTotp();
        const person = await enrolled(site);
        const events: string[] = [];
        site.service.on('*', (name) => void events.push(name));
        expectGate(await way(site, person), isRedirect);
        await site.settle();
        expect(events.filter((name) => /^(session|user)\./.test(name))).toEqual([]);
        expect(await devicesOf(site, person)).toEqual([]);
      },
    );

    it.each(ways)(
      'A-16: %s, and then the code, gives the session, and ends the earlier one of this browser only then',
      async (_name, way, isRedirect) => {
        const site = await openWithTotp();
        const person = await enrolled(site);
        const earlier = await site.signUp();
        const answer = await way(site, person, earlier.cookie);
        expectGate(answer, isRedirect);
        expect((await site.get('/session', { cookie: earlier.cookie })).status).toBe(200);
        const cookie = `${earlier.cookie}; ${answer.cookie('svc_mfa')}`;
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

    it('A-16: a signup that gives a passwordless account its first password needs its own session, says so, and gives no second one', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site, { withPassword: false });
      const first = await byEmailCode(site, person);
      const code = rightCode(site, person);
      const session = (await finish(site, { code }, first.cookie('svc_mfa'))).cookie();
      const { email } = person;
      const signup = { email, password: goodPassword };
      expect((await site.post('/password/signup', signup)).json.error).toBe('email_exists');
      expect(
        (await site.post('/password/signup', signup, { cookie: first.cookie('svc_mfa') })).json.error,
      ).toBe('email_exists');
      const added = await site.post('/password/signup', signup, { cookie: session });
      expect([added.status, added.cookies, Object.keys(added.json)]).toEqual([200, [], ['user']]);
      expect(added.json.user.id).toBe(person.userId);
      expectGate(await byPassword(site, person), false);
      expect((await site.get('/session', { cookie: session })).status).toBe(200);
      expect(await devicesOf(site, person)).toHaveLength(1);
    });

    it.each(ways)('A-16: %s goes where the application sends failures', async (_name, way, isRedirect) => {
      const site = await openWithTotp({
        router: { failureRedirect: ({ code }) => `/sign-in/second-step?because=${code}` },
      });
      expectGate(
        await way(site, await enrolled(site)),
        isRedirect,
        '/sign-in/second-step?because=mfa_required',
      );
    });

    it('svc_mfa is Secure on https, and has the path and domain of the session cookie', async () => {
      const site = await openWithTotp({
        trustProxy: true,
        service: { session: { cookie: { path: '/api', domain: 'app.test', sameSite: 'strict' } } },
      });
      const { email } = await enrolled(site);
      const headers = { 'X-Forwarded-Proto': 'https' };
      const answer = await site.post('/password/login', { email, password: goodPassword }, { headers });
      expect(answer.cookies).toMatchObject([
        {
          name: 'svc_mfa',
          attributes: { httponly: true, secure: true, samesite: 'Strict', path: '/api', domain: 'app.test' },
        },
      ]);
    });

    it('svc_mfa is no session, and no way to anything but the second step', async () => {
      const site = await openWithTotp();
      const answer = await byPassword(site, await enrolled(site));
      const token = answer.cookie('svc_mfa').slice('svc_mfa='.length);
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

    it('A-95: wrong codes are 401 code_invalid, five of them lock the second step, whatever the first one does', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const cookie = (await byPassword(site, person)).cookie('svc_mfa');
      const wrong = { code: wrongCodeAt(person.secret, site.clock.now()) };
      for (let i = 0; i < 5; i += 1) {
        const answer = await finish(site, wrong, cookie);
        expect([answer.status, answer.json.error, answer.cookies]).toEqual([401, 'code_invalid', []]);
      }
      const right = { code: rightCode(site, person) };
      expect((await finish(site, right, cookie)).json.error).toBe('max_attempts_exceeded');
      const anew = (await byEmailCode(site, person)).cookie('svc_mfa');
      expect((await finish(site, right, anew)).json.error).toBe('max_attempts_exceeded');
      const recovery = { recoveryCode: person.recoveryCodes[0] };
      expect((await finish(site, recovery, anew)).json.error).toBe('max_attempts_exceeded');
      site.clock.advance(15 * minute);
      const later = (await byPassword(site, person)).cookie('svc_mfa');
      expect((await finish(site, recovery, later)).status).toBe(200);
    });

    it('A-80: what is no svc_mfa of this sign-in is 401 token_invalid', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const { cookie: session } = await site.signUp();
      const answer = await byPassword(site, person);
      const cookie = answer.cookie('svc_mfa');
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

    it('A-40 A-42: a sign-in that waits dies with revokeAll and with a reset; the login after it meets the gate again', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const revoked = (await byPassword(site, person)).cookie('svc_mfa');
      await site.service.sessionsProvider.revokeAll(person.userId);
      const waiting = (await byPassword(site, person)).cookie('svc_mfa');
      await site.post('/password/request-reset', { email: person.email });
      await site.settle();
      const token = site.mailedToken(person.email);
      const reset = await site.post(
        '/password/reset',
        { token, newPassword: goodPassword },
        { cookie: waiting },
      );
      expect([reset.status, reset.cookies]).toEqual([200, []]);
      for (const cookie of [revoked, waiting]) {
        const answer = await finish(site, { code: rightCode(site, person) }, cookie);
        expect(answer.json.error).toBe('token_invalid');
      }
      const answer = await byPassword(site, person);
      expectGate(answer, false);
      const last = await finish(site, { code: rightCode(site, person) }, answer.cookie('svc_mfa'));
      expect(last.status).toBe(200);
    });

    it('logout clears svc_mfa where the browser sent it, with the attributes it was set with, and not elsewhere', async () => {
      const site = await openWithTotp();
      const cookie = (await byPassword(site, await enrolled(site))).cookie('svc_mfa');
      const answer = await site.post('/logout', undefined, { cookie });
      const cleared = answer.cookies.find(({ name }) => name === 'svc_mfa');
      expect(cleared).toMatchObject({
        value: '',
        attributes: { httponly: true, samesite: 'Lax', path: '/' },
      });
      const names = (await site.post('/logout')).cookies.map(({ name }) => name);
      expect(names).toEqual(['svc_session']);
    });

    it('a full sign-in clears an svc_mfa of an earlier one', async () => {
      const site = await openWithTotp();
      const cookie = (await byPassword(site, await enrolled(site))).cookie('svc_mfa');
      const { answer } = await site.signInByCode(site.address(), { cookie });
      expect(answer.cookies.map(({ name, value }) => [name, value !== ''])).toEqual([
        ['svc_session', true],
        ['svc_device', true],
        ['svc_mfa', false],
      ]);
    });

    it('a failed sign-in leaves svc_mfa alone', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const cookie = (await byPassword(site, person)).cookie('svc_mfa');
      const wrong = { email: person.email, password: 'a wrong password' };
      expect((await site.post('/password/login', wrong, { cookie })).cookies).toEqual([]);
      expect((await finish(site, { code: rightCode(site, person) }, cookie)).status).toBe(200);
    });

    it('A-13: whether there is a second factor is told to nobody who has not shown the first', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const plain = await site.signUp();
      const answers = [person.email, plain.email, site.address()].map(async (email) => {
        const { status, json, cookies } = await site.post('/password/login', { email, password: 'wrong' });
        return { status, json, cookies };
      });
      const [enrolledAnswer, ...others] = await Promise.all(answers);
      expect(enrolledAnswer!.status).toBe(401);
      for (const other of others) expect(other).toEqual(enrolledAnswer);
    });

    it.each<[string, (site: Site) => Overrides]>([
      ['there is no licence', () => ({ licenseKey: undefined, licensePublicKey: undefined })],
      ['the licence has expired', ({ clock }) => testLicense({ expiresAt: new Date(clock.now() - minute) })],
      ['totp was taken out of the configuration', () => ({ providers: { totp: undefined } })],
      ['the encryption key is gone', () => ({ encryptionKey: undefined })],
    ])('A-16: the gate holds on every way in where %s', async (_name, changed) => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const { clock, mail } = site;
      const later = await openWithTotp({ service: { clock, mail, adapter: site.adapter, ...changed(site) } });
      for (const [, way, isRedirect] of ways) expectGate(await way(later, person), isRedirect);
      expect(await devicesOf(site, person)).toEqual([]);
    });

    it('A-16: the second step of an unlicensed service lets nobody in', async () => {
      const site = await openWithTotp();
      const person = await enrolled(site);
      const { clock, adapter } = site;
      const later = await openWithTotp({ service: { clock, adapter, licenseKey: undefined } });
      const cookie = (await byPassword(later, person)).cookie('svc_mfa');
      const answer = await finish(later, { code: rightCode(site, person) }, cookie);
      expect([answer.json.error, answer.cookies]).toEqual(['license_required', []]);
    });

    it('without a second factor nothing is different: a session, and no svc_mfa', async () => {
      const site = await openWithTotp();
      const { answer, user } = await site.signInByCode();
      expect(answer.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
      // Begun and not confirmed is not enabled.
      await site.service.totp.beginEnrollment(user.id);
      const again = await site.signInByCode(user.email);
      expect(again.answer.cookies.map(({ name }) => name)).toEqual(['svc_session', 'svc_device']);
    });
  });
}

/** The second step as an application writes it: docs/providers/totp.md. */
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
