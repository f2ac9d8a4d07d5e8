/** /phones and /phone/link: numbers of an existing account. */
import { outbox, smsOutbox, type Outbox, type SmsOutbox } from 'svc-auth/testing';
import type { Account, Site } from '../../support/http-site.js';
import { minute } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, isoDate } from './expect.js';

// Shared by all sites of a database.
let numbers = 0;
const newNumber = () => `+4915196${String((numbers += 1)).padStart(6, '0')}`;

export function phoneLinks(open: OpenSite): void {
  let sms: SmsOutbox;
  let notices: Outbox;

  const openWithPhone = () => {
    [sms, notices] = [smsOutbox(), outbox()];
    return open({
      pro: true,
      service: {
        providers: { sessions: true, phoneOtp: { sender: sms, notices: { sender: notices } } },
      },
    });
  };
  const send = (site: Site, { cookie }: Pick<Account, 'cookie'>, phone: string) =>
    site.post('/phone/link/send', { phone }, { cookie });
  const link = (site: Site, { cookie }: Pick<Account, 'cookie'>, phone: string, code = sms.lastCode(phone)) =>
    site.post('/phone/link', { phone, code }, { cookie });
  const phonesOf = async (site: Site, { cookie }: Pick<Account, 'cookie'>) =>
    (await site.get('/phones', { cookie })).json.phones;
  const remove = (site: Site, { cookie }: Pick<Account, 'cookie'>, id: string) =>
    site.send('DELETE', `/phones/${id}`, undefined, { cookie });

  async function byPhone(site: Site, phone: string) {
    await site.post('/phone/send', { phone });
    const response = await site.post('/phone/verify', { phone, code: sms.lastCode(phone) });
    return { response, user: response.json.user, cookie: response.cookie() };
  }

  describe('phone numbers of an account', () => {
    it('POST /phone/link adds the number with its code; its user signs in with it; DELETE /phones/:id removes it', async () => {
      const site = await openWithPhone();
      const account = await site.signInByCode();
      const phone = newNumber();
      const sent = await send(site, account, phone);
      expect([sent.status, sent.json]).toEqual([
        200,
        { expiresAt: expect.stringMatching(isoDate) as string },
      ]);
      const linked = await link(site, account, phone.replace('+49151', '+49 (151) '), sms.lastCode(phone));
      expect([linked.status, linked.json.phone.phone]).toEqual([200, phone]);
      expect(await phonesOf(site, account)).toEqual([linked.json.phone]);
      const signedIn = await byPhone(site, phone);
      expect([signedIn.user.id, signedIn.response.json.created]).toEqual([account.user.id, false]);
      expect((await remove(site, account, linked.json.phone.id)).status).toBe(200);
      expect((await remove(site, account, linked.json.phone.id)).status).toBe(200);
      expect(await phonesOf(site, account)).toEqual([]);
      expect((await byPhone(site, phone)).user.id).not.toBe(account.user.id);
    });

    it('mails a notice, with most digits hidden, when a number is added, and when it is removed by either route', async () => {
      const site = await openWithPhone();
      const account = await site.signInByCode();
      for (const route of ['phones', 'identities']) {
        const phone = newNumber();
        await send(site, account, phone);
        const { id } = (await link(site, account, phone)).json.phone;
        await site.send('DELETE', `/${route}/${id}`, undefined, { cookie: account.cookie });
        await site.settle();
        const [added, removed] = notices.messages;
        expect([added?.to, added?.kind, added?.subject]).toEqual([
          account.email,
          'notice',
          'A phone number was added to your Acme account',
        ]);
        expect(removed?.subject).toContain('removed from');
        expect(JSON.stringify(notices.messages)).not.toContain(phone);
        notices.clear();
      }
    });

    it('does not mail a notice to an unverified address', async () => {
      const site = await openWithPhone();
      const account = await site.signUp();
      const phone = newNumber();
      await send(site, account, phone);
      expect((await link(site, account, phone)).status).toBe(200);
      await site.settle();
      expect(notices.messages).toEqual([]);
    });

    it('reveals that another account has a number only after its code, and leaves it to that account', async () => {
      const site = await openWithPhone();
      const phone = newNumber();
      const owner = await byPhone(site, phone);
      const account = await site.signInByCode();
      const [taken, free] = [await send(site, account, phone), await send(site, account, newNumber())];
      expect([taken.status, Object.keys(taken.json)]).toEqual([free.status, Object.keys(free.json)]);
      await send(site, account, phone);
      expectError(await link(site, account, phone, '000'), 401, 'code_invalid');
      const response = await link(site, account, phone);
      expectError(response, 400, 'invalid_request');
      expect(response.json.reason).toBe('phone_taken');
      expect(await phonesOf(site, account)).toEqual([]);
      expect((await byPhone(site, phone)).user.id).toBe(owner.user.id);
    });

    it('a code adds only the number that it was sent to, for the user who asked, and only as a link', async () => {
      const site = await openWithPhone();
      const [account, attacker] = [await site.signInByCode(), await site.signInByCode()];
      const [phone, victim] = [newNumber(), newNumber()];
      await send(site, account, phone);
      const code = sms.lastCode(phone)!;
      // A code to the attacker's own phone must not add the number of a victim.
      expectError(await link(site, account, victim, code), 401, 'code_invalid');
      expectError(await link(site, attacker, phone, code), 401, 'code_not_found');
      expectError(await site.post('/phone/verify', { phone, code }), 401, 'code_not_found');
      // A code of a sign-in must not add the number.
      await site.post('/phone/send', { phone: victim });
      expectError(await link(site, attacker, victim, sms.lastCode(victim)), 401, 'code_not_found');
      expect((await link(site, account, phone, code)).status).toBe(200);
    });

    it('ten wrong codes in 15 minutes for one number, however many accounts guess', async () => {
      const site = await openWithPhone();
      const phone = newNumber();
      const guess = async (account: Account) => {
        const code = String((Number(sms.lastCode(phone)) + 1) % 1_000_000).padStart(6, '0');
        return (await link(site, account, phone, code)).json.error;
      };
      const errors = [];
      for (let accounts = 0; accounts < 3; accounts += 1) {
        const attacker = await site.signInByCode();
        await send(site, attacker, phone);
        for (let i = 0; i < 5; i += 1) errors.push(await guess(attacker));
      }
      expect(errors).toEqual([
        ...Array<string>(10).fill('code_invalid'),
        ...Array<string>(5).fill('rate_limit_exceeded'),
      ]);
    });

    it('a sign-out everywhere cancels the request', async () => {
      const site = await openWithPhone();
      const account = await site.signInByCode();
      const phone = newNumber();
      await send(site, account, phone);
      await site.service.sessionsProvider.revokeAll(account.user.id);
      const again = await site.signInByCode(account.email);
      expectError(await link(site, again, phone), 401, 'code_invalid');
    });

    it('requires a recent sign-in to add and to remove a number', async () => {
      const site = await openWithPhone();
      const account = await site.signInByCode();
      const phone = newNumber();
      await send(site, account, phone);
      const { id } = (await link(site, account, phone)).json.phone;
      site.clock.advance(11 * minute);
      expectError(await send(site, account, newNumber()), 403, 'reauth_required');
      expectError(await link(site, account, phone), 403, 'reauth_required');
      expectError(await remove(site, account, id), 403, 'reauth_required');
      expect(await phonesOf(site, account)).toHaveLength(1);
    });

    it('refuses to remove the last sign-in method, and ignores a number of another user', async () => {
      const site = await openWithPhone();
      const owner = await byPhone(site, newNumber());
      const [{ id }] = await phonesOf(site, owner);
      const stranger = await site.signInByCode();
      expect((await remove(site, stranger, id)).status).toBe(200);
      const refused = await remove(site, owner, id);
      expectError(refused, 400, 'invalid_request');
      expect(refused.json.reason).toBe('last_sign_in_method');
      const second = newNumber();
      await send(site, owner, second);
      await link(site, owner, second);
      expect((await remove(site, owner, id)).status).toBe(200);
      expect(await phonesOf(site, owner)).toMatchObject([{ phone: second }]);
    });

    it('a guest cannot add a number', async () => {
      const site = await openWithPhone();
      const cookie = (await site.post('/guest')).cookie();
      expectError(await send(site, { cookie }, newNumber()), 403, 'not_authorized');
    });
  });
}
