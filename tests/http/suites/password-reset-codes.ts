/** Password resets by a mailed code: docs/providers/email-password.md. */
import type { OpenSite } from '../matrix.js';
import { type Site } from '../../support/http-site.js';
import { differentCode } from '../../support/site-actions.js';
import { expectError } from './expect.js';

const newPassword = 'battery staple';

export function passwordResetCodes(open: OpenSite): void {
  const openSite = (reset: 'code' | 'both' = 'code') =>
    open({ service: { providers: { emailPassword: { reset } } } });

  async function requestCode(site: Site, email: string): Promise<string> {
    expect((await site.post('/password/request-reset', { email })).json).toEqual({ sent: true });
    await site.settle();
    return site.mail.lastCode(email)!;
  }

  const reset = (site: Site, email: string, code: unknown, more: object = {}) =>
    site.post('/password/reset', { email, code, newPassword, ...more });

  describe('password resets by code', () => {
    it('a code sets the password, ends the sessions and sets no cookie', async () => {
      const site = await openSite();
      const { email, cookie, user } = await site.signUp();
      const response = await reset(site, email, await requestCode(site, email));
      expect([response.status, response.cookies]).toEqual([200, []]);
      expect(response.json.user).toMatchObject({ id: user.id, emailVerified: true });
      expect((await site.get('/session', { cookie })).status).toBe(401);
      expect((await site.post('/password/login', { email, password: newPassword })).status).toBe(200);
    });

    it('wrong, used and missing codes respond like email codes', async () => {
      const site = await openSite();
      const { email } = await site.signUp();
      expectError(await reset(site, email, '123456'), 401, 'code_not_found');
      const code = await requestCode(site, email);
      expectError(await reset(site, email, differentCode(code)), 401, 'code_invalid');
      expect((await reset(site, email, code)).status).toBe(200);
      expectError(await reset(site, email, code), 401, 'code_not_found');
    });

    //
    it('a guess responds byte for byte the same for an address with and without an account', async () => {
      const site = await openSite();
      const { email } = await site.signUp();
      const texts = [];
      for (const address of [email, site.uniqueEmail()]) {
        const code = (await requestCode(site, address)) ?? '123456';
        const responses = [];
        for (let i = 0; i < 6; i += 1) responses.push(await reset(site, address, differentCode(code)));
        texts.push(responses.map(({ status, text }) => [status, text]));
      }
      expect(texts[0]).toEqual(texts[1]);
    });

    it('the link and the code of one mail end each other', async () => {
      const site = await openSite('both');
      const { email } = await site.signUp();
      const code = await requestCode(site, email);
      const token = site.mailedToken(email);
      expect((await site.post('/password/reset', { token, newPassword })).status).toBe(200);
      expectError(await reset(site, email, code), 401, 'code_not_found');
      const next = await requestCode(site, email);
      const other = site.mailedToken(email);
      expect((await reset(site, email, next)).status).toBe(200);
      expectError(await site.post('/password/reset', { token: other, newPassword }), 401, 'token_invalid');
    });

    it('a body with both proofs, with neither, or with a malformed one is invalid_request', async () => {
      const site = await openSite('both');
      const email = site.uniqueEmail();
      for (const body of [
        { email, code: '123456', token: 'x' },
        { email },
        { code: '123456' },
        { email: 1, code: '123456' },
        { email, code: 123456 },
        { email, code: ['123456'] },
        { email: 'nowhere', code: '123456' },
        { token: 1 },
      ])
        expectError(await site.post('/password/reset', { newPassword, ...body }), 400, 'invalid_request');
    });

    it('a code is refused with provider_not_configured without the option', async () => {
      const site = await open();
      expectError(await reset(site, site.uniqueEmail(), '123456'), 501, 'provider_not_configured');
    });
  });
}
