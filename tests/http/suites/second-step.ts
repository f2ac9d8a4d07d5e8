/**
 * The second step of a sign-in besides the authenticator app: several apps, codes by email, trusted browsers and recovery codes
 * (docs/decisions/second-factor.md, docs/decisions/trusted-browsers.md). Each attack would succeed on the literal implementation.
 */
import { outbox, testLicense } from 'svc-auth/testing';
import { codeAt } from '../../support/authenticator-app.js';
import { encryptionKey } from '../../support/every-provider.js';
import type { HttpResponse } from '../../support/http-client.js';
import { validPassword, type Site } from '../../support/http-site.js';
import { enrollTotp, outcome, totpStepMs } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { asInProduction } from '../../support/refusal-reason.js';

const day = 24 * 60 * 60_000;
const license = testLicense({ expiresAt: new Date('2199-12-31') });

interface Person {
  email: string;
  id: string;
  cookie: string;
  code: () => string;
  recoveryCodes: string[];
}

export function secondStep(open: OpenSite): void {
  async function openStrong(totp: object = {}, signUp: object = {}): Promise<Site> {
    const mail = outbox();
    const options = { sender: mail, email: true, trustedBrowsers: { days: 30 }, ...totp };
    const webauthn = { rpId: 'app.test', origins: ['https://app.test'] };
    const providers = { totp: options, sessions: true as const, refresh: true as const, webauthn };
    return open({ pro: true, service: { ...license, mail, encryptionKey, providers, signUp } });
  }

  /** A user with a verified address, a password and an authenticator app. */
  async function enrolled(site: Site): Promise<Person> {
    const { email, cookie, user } = await site.signInByCode();
    const password = validPassword;
    expect((await site.post('/password/signup', { email, password }, { cookie })).status).toBe(200);
    const enrollment = await enrollTotp(site, cookie);
    return { email, id: user.id as string, ...enrollment };
  }

  const logIn = (site: Site, { email }: { email: string }, cookie = '') =>
    site.post('/password/login', { email, password: validPassword }, { cookie });

  /** The second step of a sign-in that ended with `first`. @param cookies others of the browser. */
  async function verify(site: Site, first: HttpResponse, body: object, cookies = ''): Promise<HttpResponse> {
    return site.post('/mfa/verify', body, { cookie: `${first.cookie('svc_mfa')}; ${cookies}` });
  }

  /** Signs in with both steps and trusts the browser. Returns its cookie. */
  async function trust(site: Site, person: Person, trusted = ''): Promise<string> {
    const body = { code: person.code(), trustBrowser: true };
    const second = await verify(site, await logIn(site, person), body, trusted);
    site.clock.advance(totpStepMs);
    expect(second.status).toBe(200);
    return second.cookie('svc_trust');
  }

  async function chooseEmail(site: Site, person: Person): Promise<void> {
    const response = await site.post('/second-factor/email/enable', undefined, { cookie: person.cookie });
    expect(response.status).toBe(200);
    person.cookie = response.cookie();
  }

  describe('the methods of the second step', () => {
    it('are those that the user has, in mfa_required and at GET /mfa', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const before = await logIn(site, person);
      expect(before.json).toMatchObject({ methods: ['totp', 'recovery'], preferred: 'totp' });
      await chooseEmail(site, person);
      const prefer = (method: unknown) =>
        site.send('PUT', '/second-factor/preferred', { method }, { cookie: person.cookie });
      expect(outcome(await prefer('email'))).toBe('200');
      for (const wrong of ['recovery', 'sms', 7, undefined])
        expect(outcome(await prefer(wrong))).toBe('400 invalid_request');
      const first = await logIn(site, person);
      const secondStep = { methods: ['totp', 'email', 'recovery'], preferred: 'email' };
      expect(asInProduction(first.json)).toEqual({
        error: 'mfa_required',
        message: expect.any(String),
        ...secondStep,
      });
      const pending = await site.get('/mfa', { cookie: first.cookie('svc_mfa') });
      expect(pending.json).toEqual({ ...secondStep, expiresAt: expect.any(String) });
      expect(outcome(await site.get('/mfa'))).toBe('401 token_invalid');
      expect(outcome(await site.get('/mfa', { cookie: 'svc_mfa=forged' }))).toBe('401 token_invalid');
    });

    it('are the usual ones if the application offers no others', async () => {
      const site = await openStrong({ email: false, trustedBrowsers: undefined });
      const person = await enrolled(site);
      const first = await logIn(site, person);
      const cookie = first.cookie('svc_mfa');
      expect(first.json).toMatchObject({ methods: ['totp', 'recovery'], preferred: 'totp' });
      expect(outcome(await site.post('/mfa/email/send', undefined, { cookie }))).toBe(
        '501 provider_not_configured',
      );
      const second = await verify(site, first, { code: person.code(), trustBrowser: true });
      expect(second.cookies.map(({ name }) => name)).not.toContain('svc_trust');
      const list = await site.get('/trusted-browsers', { cookie: second.cookie() });
      expect(outcome(list)).toBe('501 provider_not_configured');
    });
  });

  describe('a code by email as the second factor', () => {
    const send = (site: Site, cookie: string) => site.post('/mfa/email/send', undefined, { cookie });
    const answer = (site: Site, cookie: string, code: unknown) =>
      site.post('/mfa/email/verify', { code }, { cookie });

    it('completes a sign-in once', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const cookie = (await logIn(site, person)).cookie('svc_mfa');
      expect(outcome(await answer(site, cookie, '123456'))).toBe('401 code_not_found');
      expect((await send(site, cookie)).json).toEqual({ expiresAt: expect.any(String) });
      const code = site.mail.lastCode(person.email)!;
      const completed = await answer(site, cookie, code);
      expect(completed.json).toEqual({ user: expect.objectContaining({ id: person.id }) });
      expect((await site.get('/session', { cookie: completed.cookie() })).status).toBe(200);
      expect(outcome(await answer(site, cookie, code))).toBe('401 code_not_found');
      await send(site, cookie);
      const next = site.mail.lastCode(person.email);
      expect(outcome(await answer(site, cookie, next))).toBe('401 token_invalid');
    });

    it('is not a second factor after a code or a link to the same mailbox', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const { email } = person;
      await site.post('/email-code/send', { email });
      const byCode = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
      expect(byCode.json).toMatchObject({ error: 'mfa_required', methods: ['totp', 'recovery'] });
      await site.post('/magic-link/send', { email });
      const byLink = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
      for (const cookie of [byCode.cookie('svc_mfa'), byLink.cookie('svc_mfa')]) {
        const sent = await send(site, cookie);
        expect(sent.json).toMatchObject({ error: 'not_authorized', reason: 'second_factor_unavailable' });
        expect(outcome(await answer(site, cookie, '123456'))).toBe('403 not_authorized');
      }
    });

    it('is not a second factor after a reset of the password, until the user chooses it again', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const { email } = person;
      // An attacker who has the mailbox: two proofs of it would be the whole sign-in.
      await site.post('/password/request-reset', { email });
      await site.settle();
      const token = site.mailedToken(email);
      expect((await site.post('/password/reset', { token, newPassword: validPassword })).status).toBe(200);
      const first = await logIn(site, person);
      expect(first.json.methods).toEqual(['totp', 'recovery']);
      expect(outcome(await send(site, first.cookie('svc_mfa')))).toBe('403 not_authorized');
    });

    it('is not a second factor after the code of a private sign-up, which the same mailbox received', async () => {
      const site = await openStrong({}, { revealExisting: false });
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const { email } = person;
      // An attacker who has the mailbox signs up with the address of the account.
      const started = await site.post('/password/signup', { email, password: 'of the attacker' });
      const body = { code: site.mail.lastCode(email) };
      const first = await site.post('/password/signup/verify', body, {
        cookie: started.cookie('svc_sign_up'),
      });
      expect(first.json).toMatchObject({ error: 'mfa_required', methods: ['totp', 'recovery'] });
      expect(outcome(await send(site, first.cookie('svc_mfa')))).toBe('403 not_authorized');
    });

    it('is neither a code of the first step nor one of another sign-in', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const { email } = person;
      const cookie = (await logIn(site, person)).cookie('svc_mfa');
      await site.post('/email-code/send', { email });
      const firstStepCode = site.mail.lastCode(email);
      expect(outcome(await answer(site, cookie, firstStepCode))).toBe('401 code_not_found');
      await send(site, cookie);
      const code = site.mail.lastCode(email);
      const asFirst = await site.post('/email-code/verify', { email, code });
      expect(outcome(asFirst)).toBe('401 code_invalid');
      // Another browser, whose user knows the password and has read the code.
      const other = (await logIn(site, person)).cookie('svc_mfa');
      expect(outcome(await answer(site, other, code))).toBe('401 code_invalid');
      expect(outcome(await answer(site, cookie, code))).toBe('200');
    });

    it('shares its wrong guesses with the authenticator app', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      await chooseEmail(site, person);
      const first = await logIn(site, person);
      const cookie = first.cookie('svc_mfa');
      await send(site, cookie);
      const code = site.mail.lastCode(person.email)!;
      const wrong = code.replace(/^./, (digit) => String((Number(digit) + 1) % 10));
      for (let i = 0; i < 3; i += 1)
        expect(outcome(await answer(site, cookie, wrong))).toBe('401 code_invalid');
      for (let i = 0; i < 2; i += 1)
        expect(outcome(await verify(site, first, { recoveryCode: 'no-such-code' }))).toBe('401 code_invalid');
      expect(outcome(await answer(site, cookie, code))).toBe('401 max_attempts_exceeded');
      expect(outcome(await verify(site, first, { code: person.code() }))).toBe('401 max_attempts_exceeded');
    });

    it('requires an authenticator app and a recent sign-in, and ends other sessions', async () => {
      const site = await openStrong();
      const enable = (cookie: string) => site.post('/second-factor/email/enable', undefined, { cookie });
      const { cookie: plain } = await site.signInByCode();
      expect(outcome(await enable(plain))).toBe('401 code_not_found');
      const person = await enrolled(site);
      const elsewhere = await verify(site, await logIn(site, person), { code: person.code() });
      const old = person.cookie;
      await chooseEmail(site, person);
      for (const cookie of [old, elsewhere.cookie()])
        expect((await site.get('/session', { cookie })).status).toBe(401);
      expect(outcome(await enable(person.cookie))).toBe('200');
      site.clock.advance(11 * 60_000);
      expect(outcome(await enable(person.cookie))).toBe('403 reauth_required');
    });
  });

  describe('several authenticator apps', () => {
    it('each complete a sign-in, and removing the last one disables the second factor', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const cookies = { cookie: person.cookie };
      const { secret } = (await site.post('/totp/enroll', undefined, cookies)).json;
      const code = () => codeAt(secret as string, site.clock.now());
      const added = await site.post('/totp/apps', { code: code(), name: ' Tablet ' }, cookies);
      expect(added.json).toEqual({ app: expect.objectContaining({ name: 'Tablet', lastUsedAt: null }) });
      cookies.cookie = added.cookie();
      site.clock.advance(totpStepMs);
      const byTablet = await verify(site, await logIn(site, person), { code: code() });
      expect(byTablet.status).toBe(200);
      const replayed = await verify(site, await logIn(site, person), { code: code() });
      expect(outcome(replayed)).toBe('401 code_invalid');
      expect((await verify(site, await logIn(site, person), { code: person.code() })).status).toBe(200);
      const { apps } = (await site.get('/totp/apps', cookies)).json;
      expect(apps).toMatchObject([{ name: null }, { name: 'Tablet', lastUsedAt: expect.any(String) }]);
      const [first, second] = (apps as { id: string }[]).map(({ id }) => id);
      const renamed = await site.send('PATCH', `/totp/apps/${first}`, { name: 'Phone' }, cookies);
      expect(outcome(renamed)).toBe('200');
      const removed = await site.send('DELETE', `/totp/apps/${first}`, undefined, cookies);
      cookies.cookie = removed.cookie();
      site.clock.advance(totpStepMs);
      const byRemoved = await verify(site, await logIn(site, person), { code: person.code() });
      expect(outcome(byRemoved)).toBe('401 code_invalid');
      const last = await site.send('DELETE', `/totp/apps/${second}`, undefined, cookies);
      expect((await site.get('/totp', { cookie: last.cookie() })).json).toMatchObject({ enabled: false });
      expect((await logIn(site, person)).status).toBe(200);
    });

    it('are changed by their user only', async () => {
      const site = await openStrong();
      const [mine, theirs] = [await enrolled(site), await enrolled(site)];
      const { apps } = (await site.get('/totp/apps', { cookie: theirs.cookie })).json;
      const path = `/totp/apps/${apps[0].id}`;
      const cookie = mine.cookie;
      expect(outcome(await site.send('PATCH', path, { name: 'Mine' }, { cookie }))).toBe(
        '400 invalid_request',
      );
      expect(outcome(await site.send('DELETE', path, undefined, { cookie }))).toBe('400 invalid_request');
      expect((await site.get('/totp/apps', { cookie: theirs.cookie })).json).toEqual({ apps });
    });
  });

  describe('a trusted browser', () => {
    it('needs no second factor for 30 days, and its session does not count as one with two factors', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const second = await verify(site, await logIn(site, person), {
        ...{ code: person.code(), trustBrowser: true },
      });
      const [set] = second.cookies.filter(({ name }) => name === 'svc_trust');
      expect(set?.attributes).toMatchObject({
        ...{ httponly: true, samesite: 'Lax', path: '/', 'max-age': String(30 * 24 * 3600) },
      });
      const trusted = second.cookie('svc_trust');
      site.clock.advance(30 * day - 1);
      const next = await logIn(site, person, trusted);
      expect(next.status).toBe(200);
      const token = next.cookie().replace(/^[^=]*=/, '');
      expect(site.service.verifyToken(token)['amr']).toBeUndefined();
      site.clock.advance(1);
      expect(outcome(await logIn(site, person, trusted))).toBe('403 mfa_required');
    });

    it('is worth nothing without the first factor, and for another user', async () => {
      const site = await openStrong();
      const [person, victim] = [await enrolled(site), await enrolled(site)];
      const trusted = await trust(site, person);
      const wrong = { email: person.email, password: 'not the password' };
      expect(outcome(await site.post('/password/login', wrong, { cookie: trusted }))).toBe(
        '401 invalid_credentials',
      );
      expect((await site.get('/session', { cookie: trusted })).status).toBe(401);
      expect(outcome(await verifyWith(site, trusted))).toBe('401 token_invalid');
      // The attacker trusts a browser with an own account, and knows the password of the victim.
      expect(outcome(await logIn(site, victim, trusted))).toBe('403 mfa_required');
    });

    const verifyWith = (site: Site, cookie: string) =>
      site.post('/mfa/verify', { code: '123456' }, { cookie });

    it('is trusted by each of its users', async () => {
      const site = await openStrong();
      const [one, two] = [await enrolled(site), await enrolled(site)];
      const both = await trust(site, two, await trust(site, one));
      for (const person of [one, two]) expect((await logIn(site, person, both)).status).toBe(200);
      // Trusting it again replaces only the own part.
      const again = await trust(site, one, both);
      for (const person of [one, two]) expect((await logIn(site, person, again)).status).toBe(200);
      expect(outcome(await logIn(site, one, both))).toBe('403 mfa_required');
    });

    it('asks for the second factor again while its user is signed in', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const trusted = await trust(site, person);
      const session = (await logIn(site, person, trusted)).cookie();
      const stepUp = await logIn(site, person, `${trusted}; ${session}`);
      expect(outcome(stepUp)).toBe('403 mfa_required');
    });

    it('does not let its session change the second factor or add ways to sign in: that needs a new sign-in', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const trusted = await trust(site, person);
      // An attacker who has the browser and knows the password.
      const session = (await logIn(site, person, trusted)).cookie();
      const changes = [
        ...['/totp/enroll', '/totp/recovery-codes', '/totp/disable', '/second-factor/email/enable'],
        ...['/passkeys/register/start', '/token/issue'],
      ];
      for (const path of changes) {
        const refused = await site.post(path, {}, { cookie: `${session}; ${trusted}` });
        expect([path, outcome(refused)]).toEqual([path, '403 reauth_required']);
      }
      const first = await logIn(site, person, `${session}; ${trusted}`);
      const second = await verify(site, first, { code: person.code() }, session);
      expect(outcome(await site.post('/totp/disable', {}, { cookie: second.cookie() }))).toBe('200');
    });

    type Revocation = (site: Site, person: Person, cookie: string) => Promise<unknown>;
    const revocations: [string, Revocation][] = [
      ['a sign-out everywhere', (site, { id }) => site.service.sessionsProvider.revokeAll(id)],
      [
        'a sign-out of other devices',
        (site, _, cookie) => site.post('/devices/revoke-others', {}, { cookie }),
      ],
      ['a sign-out by an administrator', (site, { id }) => site.service.users.signOut(id)],
      [
        'a block that is lifted again',
        async (site, { id }) => {
          await site.service.users.block(id);
          await site.service.users.unblock(id);
        },
      ],
      [
        'a password change',
        (site, { id: userId }) =>
          site.service.emailPassword.changePassword({
            ...{ userId, currentPassword: validPassword, newPassword: validPassword },
          }),
      ],
      [
        'a password reset',
        async (site, { email }) => {
          await site.post('/password/request-reset', { email });
          await site.settle();
          await site.post('/password/reset', { token: site.mailedToken(email), newPassword: validPassword });
        },
      ],
      ['new recovery codes', (site, { id }) => site.service.totp.regenerateRecoveryCodes(id)],
      ['codes by email', (site, { id }) => site.service.secondFactor.enableEmail(id)],
      [
        'its removal from the list',
        async (site, _, cookie) => {
          const { trustedBrowsers } = (await site.get('/trusted-browsers', { cookie })).json;
          expect(trustedBrowsers).toHaveLength(1);
          await site.send('DELETE', `/trusted-browsers/${trustedBrowsers[0].id}`, undefined, { cookie });
        },
      ],
      [
        'the end of trust in all',
        (site, _, cookie) => site.post('/trusted-browsers/revoke-all', {}, { cookie }),
      ],
    ];

    it.each(revocations)('is not trusted after %s', async (_name, revoke) => {
      const site = await openStrong();
      const person = await enrolled(site);
      const trusted = await trust(site, person);
      const session = (await logIn(site, person, trusted)).cookie();
      await revoke(site, person, session);
      expect(outcome(await logIn(site, person, trusted))).toBe('403 mfa_required');
    });

    it('is listed for its user only, without its secret, and cannot be revoked by another user', async () => {
      const site = await openStrong();
      const [person, other] = [await enrolled(site), await enrolled(site)];
      const trusted = await trust(site, person);
      const session = (await logIn(site, person, trusted)).cookie();
      const list = async (cookie: string) => (await site.get('/trusted-browsers', { cookie })).json;
      const { trustedBrowsers } = await list(`${session}; ${trusted}`);
      expect(Object.keys(trustedBrowsers[0] as object).sort()).toEqual([
        ...['createdAt', 'current', 'device', 'expiresAt', 'id', 'lastUsedAt', 'userId'],
      ]);
      expect(trustedBrowsers[0]).toMatchObject({ userId: person.id, current: true });
      expect(await list(session)).toMatchObject({ trustedBrowsers: [{ current: false }] });
      const theirs = { cookie: other.cookie };
      expect(await list(other.cookie)).toEqual({ trustedBrowsers: [] });
      await site.send('DELETE', `/trusted-browsers/${trustedBrowsers[0].id}`, undefined, theirs);
      expect((await logIn(site, person, trusted)).status).toBe(200);
    });

    it.each(['', 'x', 'a'.repeat(43), `${'a'.repeat(43)}.`.repeat(200), 'ä'])(
      'is not one with the cookie %#',
      async (value) => {
        const site = await openStrong();
        const person = await enrolled(site);
        expect(outcome(await logIn(site, person, `svc_trust=${encodeURIComponent(value)}`))).toBe(
          '403 mfa_required',
        );
      },
    );
  });

  describe('recovery codes', () => {
    it('are counted in the response, and a notice is mailed when two are left', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const notices = () => site.mail.messages.filter(({ kind }) => kind === 'notice');
      for (const [used, recoveryCode] of person.recoveryCodes.entries()) {
        const second = await verify(site, await logIn(site, person), { recoveryCode });
        expect(second.json).toEqual({ user: expect.anything(), recoveryCodesLeft: 9 - used });
        await site.settle();
        expect(notices().map(({ to }) => to)).toEqual(used < 7 ? [] : [person.email]);
      }
      const [{ subject, text } = { subject: '', text: '' }] = notices();
      expect(subject).toMatch(/two recovery codes left/);
      for (const code of person.recoveryCodes) expect(text).not.toContain(code);
    });

    it('are not mentioned after another second factor', async () => {
      const site = await openStrong();
      const person = await enrolled(site);
      const second = await verify(site, await logIn(site, person), { code: person.code() });
      expect(Object.keys(second.json as object)).toEqual(['user']);
    });
  });
}
