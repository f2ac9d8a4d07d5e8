/** Codes and numbers as input methods send them, at the JSON routes. */
import { smsOutbox } from 'svc-auth/testing';
import { encryptionKey } from '../../support/every-provider.js';
import { license } from '../../support/make-pro-service.js';
import { enrollTotp } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';

const fullWidth = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
const persian = (digits: string) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(0x06f0 + Number(digit)));

export function typedCodes(open: OpenSite): void {
  describe('a code in the digits of an input method', () => {
    it('signs in with email, and costs no try', async () => {
      const site = await open();
      const email = site.uniqueEmail();
      await site.post('/email-code/send', { email });
      const code = site.mail.lastCode(email) ?? '';
      const typed = `\u200e${fullWidth(code.slice(0, 3))}–${persian(code.slice(3))}`;
      expect((await site.post('/email-code/verify', { email, code: typed })).status).toBe(200);
    });

    it('signs in with a phone number in the same digits, and with the second factor', async () => {
      const sms = smsOutbox();
      const site = await open({
        pro: true,
        service: {
          ...license,
          encryptionKey,
          providers: { phoneOtp: { sender: sms, allowCountry: () => true }, totp: true },
        },
      });
      const digits = `1415555${String(2000 + (process.pid % 7000))}`;
      const phone = `+${persian(digits)}`;
      expect((await site.post('/phone/send', { phone })).status).toBe(200);
      const code = sms.lastCode(`+${digits}`) ?? '';
      const verified = await site.post('/phone/verify', {
        phone: `＋${fullWidth(digits)}`,
        code: persian(code),
      });
      expect(verified.status).toBe(200);
      const { cookie, email } = await site.signInByCode();
      const enrolled = await enrollTotp(site, cookie);
      await site.post('/email-code/send', { email });
      const pending = await site.post('/email-code/verify', { email, code: site.mail.lastCode(email) });
      const second = await site.post(
        '/mfa/verify',
        { code: fullWidth(enrolled.code()) },
        { cookie: pending.cookie('svc_mfa') },
      );
      expect(second.status).toBe(200);
    });
  });
}
