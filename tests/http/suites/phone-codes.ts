/** POST /phone/send, /phone/verify. */
import { smsOutbox, type SmsOutbox } from 'svc-auth/testing';
import type { SiteOptions } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, userLike } from './expect.js';

// Shared by all sites of a database.
let numbers = 0;
const newNumber = () => `+4915123${String((numbers += 1)).padStart(6, '0')}`;

export function phoneCodes(open: OpenSite): void {
  let sms: SmsOutbox;

  const openWithPhone = (options: SiteOptions = {}) => {
    sms = smsOutbox();
    return open({
      pro: true,
      ...options,
      service: {
        ...options.service,
        providers: { phoneOtp: { sender: sms }, ...options.service?.providers },
      },
    });
  };

  describe('phone codes', () => {
    it('POST /phone/verify signs in with a code from a text message: first as a new user, then as the same user', async () => {
      const site = await openWithPhone();
      const phone = newNumber();
      const sent = await site.post('/phone/send', { phone: phone.replace('+49151', '+49 (151) ') });
      expect([sent.status, sent.json]).toEqual([
        200,
        { expiresAt: expect.stringMatching(isoDate) as string },
      ]);
      const first = await site.post('/phone/verify', { phone, code: sms.lastCode(phone) });
      expect(first.json).toEqual({ user: userLike({ email: null, emailVerified: false }), created: true });
      expect(first.cookies).toMatchObject([
        { name: 'svc_session', attributes: { httponly: true } },
        { name: 'svc_device', attributes: { httponly: true } },
      ]);
      expect((await site.get('/session', { cookie: first.cookie() })).json.user).toEqual(first.json.user);

      await site.post('/phone/send', { phone });
      const code = sms.lastCode(phone);
      const again = await site.post('/phone/verify', { phone, code }, { cookie: first.cookie() });
      expect(again.json).toEqual({ user: first.json.user, created: false });
      // The session of the request has been replaced.
      expect((await site.get('/session', { cookie: first.cookie() })).status).toBe(401);
      expectError(await site.post('/phone/verify', { phone, code }), 401, 'code_not_found');
    });

    it('one of several concurrent POST /phone/verify with the same code signs in', async () => {
      const site = await openWithPhone();
      const phone = newNumber();
      await site.post('/phone/send', { phone });
      const code = sms.lastCode(phone);
      const tries = Array.from({ length: 5 }, () => site.post('/phone/verify', { phone, code }));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses.sort()).toEqual([200, 401, 401, 401, 401]);
    });

    it('POST /phone/verify rejects wrong, expired and missing codes as POST /email-code/verify does', async () => {
      const site = await openWithPhone();
      const phone = newNumber();
      expectError(await site.post('/phone/verify', { phone, code: '123456' }), 401, 'code_not_found');
      await site.post('/phone/send', { phone });
      const code = sms.lastCode(phone)!;
      const wrong = code === '111111' ? '222222' : '111111';
      for (let i = 0; i < 5; i += 1) {
        expectError(await site.post('/phone/verify', { phone, code: wrong }), 401, 'code_invalid');
      }
      expectError(await site.post('/phone/verify', { phone, code }), 401, 'max_attempts_exceeded');
      await site.post('/phone/send', { phone });
      site.clock.advance(5 * minute);
      const late = await site.post('/phone/verify', { phone, code: sms.lastCode(phone) });
      expectError(late, 401, 'code_expired');
    });

    it('POST /phone/send returns 400 for an invalid number and for a country that is not allowed', async () => {
      const site = await openWithPhone({
        service: { providers: { phoneOtp: { sender: smsOutbox(), allowCountry: (iso2) => iso2 === 'DE' } } },
      });
      for (const phone of ['', 'x', '0151', '+49', '+33612345678', '+4915123nul0456789']) {
        expectError(await site.post('/phone/send', { phone }), 400, 'invalid_request');
      }
      expectError(await site.post('/phone/verify', { phone: 'x', code: '123456' }), 400, 'invalid_request');
    });

    it('POST /phone/send returns 429 for the sixth text message to a number; failed messages do not count', async () => {
      let gatewayWorks = true;
      const sender = {
        send: async () => {
          if (!gatewayWorks) throw new Error('the gateway is down');
        },
      };
      const site = await openWithPhone({ service: { providers: { phoneOtp: { sender } } } });
      const phone = newNumber();
      gatewayWorks = false;
      expectError(await site.post('/phone/send', { phone }), 500, 'sms_send_failed');
      gatewayWorks = true;
      for (let i = 0; i < 5; i += 1) expect((await site.post('/phone/send', { phone })).status).toBe(200);
      expectTooMany(await site.post('/phone/send', { phone }), 15 * minute);
    });
  });
}
