// The address of an account: its proof and its change from within (docs/decisions/email-change.md).
import type { EmailMessage } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, minute, nobody, oddIds, pro, settled, type ProService } from '../support/make-pro-service.js';
import type { Overrides } from '../support/make-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { otherThan } from '../support/people.js';

const password = 'correct horse battery';

describeAdapters('Addresses of accounts', ({ make, person, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });

  async function makeWithSender(overrides: Overrides = {}): Promise<ProService> {
    const mail = overrides.mail ?? outbox();
    const providers = { account: { sender: mail }, ...overrides.providers };
    return makePro({ ...overrides, mail, providers });
  }
  const mailsTo = ({ mail }: ProService, to: string) => mail.messages.filter((message) => message.to === to);
  const codeOf = ({ text }: EmailMessage) => /^\d{6}$/m.exec(text)?.[0];
  describe('The proof of an unverified address', () => {
    const send = ({ service }: ProService, id: string) => service.account.sendVerification(id);
    const verify = ({ service }: ProService, userId: string, code: unknown) =>
      service.account.verifyEmail({ userId, code: code as string });

    it('marks the address verified and takes nothing away: it is no claim', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      const { service, mail } = test;
      const { token } = await service.sessionsProvider.create({ userId: id });
      await test.heard();
      expect(await send(test, id)).toEqual({ expiresAt: new Date(test.clock.now() + 10 * minute) });
      expect(mailsTo(test, email!)).toMatchObject([{ kind: 'email_code', subject: /confirms your address/ }]);
      const { user } = await verify(test, id, mail.lastCode(email!));
      expect(user).toMatchObject({ id, email, emailVerified: true });
      expect(await service.getSessionUser(token)).toEqual(user);
      expect(await outcomeOf(() => service.emailPassword.login({ email: email!, password }))).toBe('ok');
      expect(await test.heard()).toEqual([{ name: 'code.sent', payload: { purpose: 'email_verification' } }]);
    });

    it('of one that is verified sends nothing and is no error', async () => {
      const test = await makeWithSender();
      const { id } = await verifiedUser(test);
      test.mail.clear();
      expect(await send(test, id)).toEqual({ expiresAt: null });
      expect(test.mail.messages).toEqual([]);
      expect((await verify(test, id, '000000')).user).toMatchObject({ id, emailVerified: true });
    });

    it('is for one user: the code is no sign-in, and worth nothing to anybody else', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      const other = await unverifiedUser(test);
      await send(test, id);
      const code = test.mail.lastCode(email!)!;
      const { service } = test;
      expect(await outcomeOf(() => service.emailCode.verify({ email: email!, code }))).toBe('code_not_found');
      expect(await outcomeOf(() => verify(test, other.id, code))).toBe('code_not_found');
      await send(test, other.id);
      expect(await outcomeOf(() => verify(test, other.id, code))).toBe('code_invalid');
      expect(await outcomeOf(() => verify(test, id, code))).toBe('ok');
    });

    it('a code of a sign-in does not do', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await test.service.emailCode.sendCode({ email: email! });
      expect(await outcomeOf(() => verify(test, id, test.mail.lastCode(email!)))).toBe('code_not_found');
    });

    it('tries are counted, codes expire, and sends are limited, as elsewhere', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await send(test, id);
      const code = test.mail.lastCode(email!)!;
      for (let i = 0; i < 5; i += 1) {
        expect(await outcomeOf(() => verify(test, id, otherThan(code)))).toBe('code_invalid');
      }
      expect(await outcomeOf(() => verify(test, id, code))).toBe('max_attempts_exceeded');
      for (let i = 1; i < 5; i += 1) await send(test, id);
      expect(await outcomeOf(() => send(test, id))).toBe('rate_limit_exceeded');
      test.clock.advance(10 * minute);
      expect(await outcomeOf(() => verify(test, id, test.mail.lastCode(email!)))).toBe('code_expired');
    });

    it('a send that fails is not charged, and leaves no code', async () => {
      const failing = { send: () => Promise.reject(new Error('no route to host')) };
      const test = await makeWithSender({ providers: { account: { sender: failing } } });
      const { id } = await unverifiedUser(test);
      for (let i = 0; i < 9; i += 1) {
        expect(await outcomeOf(() => send(test, id))).toBe('email_send_failed');
      }
      expect(await outcomeOf(() => verify(test, id, '123456'))).toBe('code_not_found');
    });

    it('dies with a claim: the owner of the mailbox comes first', async () => {
      const test = await makeWithSender();
      const { id, email } = await unverifiedUser(test);
      await send(test, id);
      await test.service.emailCode.sendCode({ email: email! });
      const code = test.mail.lastCode(email!)!;
      await test.service.emailCode.verify({ email: email!, code });
      const attempts = await test.adapter.oneTimeCodes.reserveAttempt(
        'email_verification',
        id,
        5,
        new Date(0),
      );
      expect(attempts.status).toBe('missing');
    });

    it('refuses who has no address, who is nobody, and what is no code', async () => {
      const test = await makeWithSender();
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      const { id } = await unverifiedUser(test);
      expect(await errorOf(() => send(test, guest.id))).toMatchObject({
        code: 'invalid_request',
        reason: 'email_missing',
      });
      expect(await outcomeOf(() => verify(test, guest.id, '123456'))).toBe('invalid_request');
      for (const odd of oddIds) {
        expect(await outcomeOf(() => send(test, odd as string))).toBe('user_not_found');
        expect(await outcomeOf(() => verify(test, odd as string, '123456'))).toBe('user_not_found');
      }
      for (const code of [undefined, '', 42, {}, 'x'.repeat(65)]) {
        expect(await outcomeOf(() => verify(test, id, code))).toBe('invalid_request');
      }
    });

    it('without a sender is provider_not_configured', async () => {
      const test = await makePro();
      const { id } = await unverifiedUser(test);
      expect(await outcomeOf(() => send(test, id))).toBe('provider_not_configured');
      const change = { userId: id, email: person() };
      expect(await outcomeOf(() => test.service.account.requestEmailChange(change))).toBe(
        'provider_not_configured',
      );
    });
  });

  describe('The change of an address', () => {
    const request = ({ service }: ProService, userId: string, email: unknown) =>
      service.account.requestEmailChange({ userId, email: email as string });
    const confirm = ({ service }: ProService, userId: string, email: string, codes: object) =>
      service.account.confirmEmailChange({ userId, email, ...(codes as { code: string }) });

    /** Asked for, with the codes as they were mailed. */
    async function requested(test: ProService, user: { id: string; email: string | null }, email = person()) {
      test.mail.clear();
      await request(test, user.id, email);
      const code = test.mail.lastCode(email)!;
      const currentCode = user.email === null ? undefined : test.mail.lastCode(user.email);
      return { email, code, currentCode };
    }

    it('mails a code to either address, and says nothing of either to the other', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const email = person();
      test.mail.clear();
      await test.heard();
      const answer = await request(test, user.id, email);
      const expiresAt = new Date(test.clock.now() + 10 * minute);
      expect(answer).toEqual({ expiresAt, currentCodeSent: true });
      const [[toNew], [toOld]] = [mailsTo(test, email), mailsTo(test, user.email!)];
      expect(test.mail.messages).toHaveLength(2);
      expect(codeOf(toNew!)).not.toBe(codeOf(toOld!));
      for (const { text, html, subject } of [toNew!, toOld!])
        expect(text + html + subject).not.toContain('@');
      expect(toOld!.text).toContain('If it was not you');
      expect(await test.heard()).toEqual([
        { name: 'code.sent', payload: { purpose: 'email_change' } },
        { name: 'code.sent', payload: { purpose: 'email_change' } },
      ]);
      expect(await test.service.account.summary(user.id)).toMatchObject({ user });
    });

    it('is made by both codes: the address is verified, and the old one is nobody’s', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await test.heard();
      const changed = await confirm(test, user.id, email, codes);
      expect(changed).toEqual({
        user: { ...user, email, emailVerified: true, updatedAt: new Date(test.clock.now()) },
      });
      expect(await test.heard()).toEqual([{ name: 'email.changed', payload: { userId: user.id } }]);
      expect((await verifiedUser(test, email)).id).toBe(user.id);
      expect((await verifiedUser(test, user.email!)).id).not.toBe(user.id);
    });

    it('ends every session and token, and with startSession gives a new session', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { service } = test;
      const { token } = await service.sessionsProvider.create({ userId: user.id });
      const { token: bare } = service.createSessionToken(user.id);
      const { refreshToken } = await service.refresh.issue({ userId: user.id });
      const { email, ...codes } = await requested(test, user);
      const input = { userId: user.id, email, ...codes };
      const context = { startSession: true, sessionToken: token };
      const { session } = await service.account.confirmEmailChange(input, context);
      for (const each of [token, bare]) {
        expect(await outcomeOf(() => service.getSessionUser(each))).toBe('token_invalid');
      }
      expect(await outcomeOf(() => service.refresh.refresh(refreshToken))).toBe('refresh_token_invalid');
      expect((await service.getSessionUser(session!.token)).email).toBe(email);
      expect(await service.sessionsProvider.listDevices(user.id)).toHaveLength(1);
    });

    it('voids links, codes and resets of both addresses', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { service, mail } = test;
      const email = person();
      const { code, currentCode } = await requested(test, user, email);
      const links: string[] = [];
      for (const each of [email, user.email!]) {
        await service.magicLink.sendLink({ email: each });
        links.push(new URL(mail.lastLink(each)!).searchParams.get('token')!);
      }
      await service.emailPassword.requestReset({ email: user.email! });
      await settled(test);
      const reset = new URL(mail.lastLink(user.email!)!).searchParams.get('token')!;
      const signIns: { email: string; code: string }[] = [];
      for (const each of [email, user.email!]) {
        await service.emailCode.sendCode({ email: each });
        signIns.push({ email: each, code: mail.lastCode(each)! });
      }
      await confirm(test, user.id, email, { code, currentCode });
      for (const link of links) {
        expect(await outcomeOf(() => service.magicLink.verify(link))).toBe('token_invalid');
      }
      for (const signIn of signIns) {
        expect(await outcomeOf(() => service.emailCode.verify(signIn))).toBe('code_not_found');
      }
      const set = () => service.emailPassword.setPassword({ token: reset, newPassword: password });
      expect(await outcomeOf(set)).toBe('token_invalid');
    });

    it('keeps password, keys and the rest', async () => {
      const test = await makeWithSender({ providers: { apiKeys: { allowUnverified: true } } });
      const { id, email: old } = await unverifiedUser(test);
      const { key } = await test.service.apiKeys.create({ userId: id, name: 'CI' });
      const { email, code } = await requested(test, { id, email: old });
      await confirm(test, id, email, { code });
      const login = (as: string) =>
        outcomeOf(() => test.service.emailPassword.login({ email: as, password }));
      expect([await login(email), await login(old!)]).toEqual(['ok', 'invalid_credentials']);
      expect(await outcomeOf(() => test.service.apiKeys.verify(key))).toBe('ok');
    });

    it('asks an address that was never proven for nothing, and tells it nothing', async () => {
      const test = await makeWithSender();
      const user = await unverifiedUser(test);
      const email = person();
      expect(await request(test, user.id, email)).toMatchObject({ currentCodeSent: false });
      const code = test.mail.lastCode(email)!;
      expect((await confirm(test, user.id, email, { code })).user).toMatchObject({
        email,
        emailVerified: true,
      });
      await settled(test);
      expect(mailsTo(test, user.email!)).toEqual([]);
    });

    it('tells the address before, if it was proven, by a notice without a code', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      test.mail.clear();
      await confirm(test, user.id, email, codes);
      await settled(test);
      expect(test.mail.messages).toMatchObject([
        { to: user.email, kind: 'notice', subject: 'The address of your Acme account was changed' },
      ]);
      expect(JSON.stringify(test.mail.messages)).not.toContain(email);
    });

    it('needs both codes, right at once; which of them is wrong is not told', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, code, currentCode } = await requested(test, user);
      const wrong = [
        { code: otherThan(code), currentCode },
        { code, currentCode: otherThan(currentCode) },
        { code: currentCode, currentCode: code },
      ];
      for (const codes of wrong) {
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_invalid');
      }
      expect(await outcomeOf(() => confirm(test, user.id, email, { code }))).toBe('invalid_request');
      // Neither was used up by that.
      const spaced = { code: ` ${code} `, currentCode: currentCode!.replace(/^.../, '$& ') };
      expect(await outcomeOf(() => confirm(test, user.id, email, spaced))).toBe('ok');
      expect(await outcomeOf(() => confirm(test, user.id, email, { code, currentCode }))).not.toBe('ok');
    });

    it('codes are bound to the user and to both addresses', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const other = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await requested(test, other, person());
      expect(await outcomeOf(() => confirm(test, other.id, email, codes))).toBe('code_invalid');
      expect(await outcomeOf(() => confirm(test, user.id, person(), codes))).toBe('code_invalid');
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('ok');
      // From the next address on, nothing of this is left.
      const [back, again] = [person(), { email: person() }];
      const second = await requested(test, { id: user.id, email }, back);
      await confirm(test, user.id, back, second);
      expect(await outcomeOf(() => confirm(test, user.id, again.email, second))).toBe('code_not_found');
    });

    it('a second request replaces the first', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const first = await requested(test, user);
      const second = await requested(test, user);
      expect(await outcomeOf(() => confirm(test, user.id, first.email, first))).toBe('code_invalid');
      expect(await outcomeOf(() => confirm(test, user.id, second.email, second))).toBe('ok');
    });

    it.each<[string, (test: ProService, user: { id: string; email: string | null }) => Promise<unknown>]>([
      ['revokeAll', ({ service }, { id }) => service.sessionsProvider.revokeAll(id)],
      [
        'a reset',
        async (test, { email }) => {
          await test.service.emailPassword.requestReset({ email: email! });
          await settled(test);
          const token = new URL(test.mail.lastLink(email!)!).searchParams.get('token')!;
          await test.service.emailPassword.setPassword({ token, newPassword: password });
        },
      ],
    ])('%s takes back what was asked for', async (_name, end) => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await end(test, user);
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toMatch(/code_(invalid|not_found)/);
      expect(await test.service.account.summary(user.id)).toMatchObject({ user: { email: user.email } });
    });

    it('A-13: that the new address has an account is told to its mailbox, and to nobody else', async () => {
      const test = await makeWithSender();
      const [user, owner] = [await verifiedUser(test), await verifiedUser(test)];
      const unproven = await unverifiedUser(test);
      const free = person();
      const answers: unknown[] = [];
      const guesses: string[] = [];
      for (const email of [free, owner.email!, unproven.email!]) {
        test.mail.clear();
        answers.push(await request(test, user.id, email));
        // One mail to either address, whatever they say.
        expect(mailsTo(test, email)).toHaveLength(1);
        const currentCode = test.mail.lastCode(user.email!);
        const code = otherThan(test.mail.lastCode(email) ?? '123456');
        guesses.push(await outcomeOf(() => confirm(test, user.id, email, { code, currentCode })));
        if (email === free) continue;
        expect(mailsTo(test, email)).toMatchObject([{ kind: 'notice', subject: /has an account/ }]);
        expect(mailsTo(test, email)[0]!.text).not.toMatch(/\d{4}/);
      }
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
      expect(guesses).toEqual(['code_invalid', 'code_invalid', 'code_invalid']);
    });

    it('A-13: nor does a failure of the sender tell it', async () => {
      const failures: string[] = [];
      const mail = outbox();
      const test = await makeWithSender({
        mail,
        providers: {
          account: {
            sender: {
              send: async (message) => {
                if (failures.includes(message.to)) throw new Error('mailbox full');
                await mail.send(message);
              },
            },
          },
        },
      });
      const [user, owner] = [await verifiedUser(test), await verifiedUser(test)];
      for (const email of [person(), owner.email!]) {
        failures.splice(0, 1, email);
        mail.clear();
        // Not charged, and the present address hears nothing of it.
        for (let i = 0; i < 9; i += 1) {
          expect(await outcomeOf(() => request(test, user.id, email))).toBe('email_send_failed');
        }
        expect(mail.messages).toEqual([]);
        const codes = { code: '123456', currentCode: '123456' };
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_not_found');
      }
      // The second of two mails: there is no code then, and the send stays charged.
      failures.splice(0, 1, user.email!);
      const email = person();
      for (let i = 0; i < 5; i += 1) {
        expect(await outcomeOf(() => request(test, user.id, email))).toBe('email_send_failed');
      }
      expect(await outcomeOf(() => request(test, user.id, email))).toBe('rate_limit_exceeded');
      const codes = { code: mail.lastCode(email), currentCode: '123456' };
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_not_found');
    });

    it('an account that has come to the new address meanwhile is email_exists, and nothing changes', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { email, ...codes } = await requested(test, user);
      const newcomer = await unverifiedUser(test, email);
      await test.heard();
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('email_exists');
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.service.account.summary(newcomer.id)).toMatchObject({ user: newcomer });
      expect(await test.heard()).toEqual([]);
    });

    it('of users who want one address at once, one gets it', async () => {
      const test = await makeWithSender({ rateLimit: { maxPerWindow: 50 } });
      const email = person();
      const wishes: { id: string; codes: object }[] = [];
      for (let i = 0; i < 6; i += 1) {
        const user = await verifiedUser(test);
        wishes.push({ id: user.id, codes: await requested(test, user, email) });
      }
      const outcomes = await race(6, (index) =>
        confirm(test, wishes[index]!.id, email, wishes[index]!.codes),
      );
      expect(outcomes).toEqual({ ok: 1, email_exists: 5 });
    });

    it('of parallel confirmations one is made', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      const outcomes = await race(5, () => confirm(test, user.id, email, codes));
      expect(outcomes['ok']).toBe(1);
      expect((await test.heardNames()).filter((name) => name === 'email.changed')).toHaveLength(1);
    });

    it('is limited: per user, per new address, and in wrong codes', async () => {
      const test = await makeWithSender();
      const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
      const { email, code, currentCode } = await requested(test, user);
      for (let i = 0; i < 5; i += 1) {
        const codes = { code: otherThan(code), currentCode };
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_invalid');
      }
      const right = { code, currentCode };
      expect(await outcomeOf(() => confirm(test, user.id, email, right))).toBe('max_attempts_exceeded');
      for (let i = 1; i < 5; i += 1) await request(test, user.id, person());
      expect(await outcomeOf(() => request(test, user.id, person()))).toBe('rate_limit_exceeded');
      for (let i = 1; i < 5; i += 1) await request(test, other.id, email);
      const third = await verifiedUser(test);
      expect(await outcomeOf(() => request(test, third.id, email))).toBe('rate_limit_exceeded');
      test.clock.advance(day);
      const late = await requested(test, user);
      test.clock.advance(10 * minute);
      expect(await outcomeOf(() => confirm(test, user.id, late.email, late))).toBe('code_expired');
    });

    it('refuses guests, the address that is there, nobody, and what is no address', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => request(test, guest.id, person()))).toBe('not_authorized');
      expect(await outcomeOf(() => request(test, user.id, user.email!.toUpperCase()))).toBe(
        'invalid_request',
      );
      for (const email of [undefined, '', 'x', 42, 'a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test']) {
        expect(await outcomeOf(() => request(test, user.id, email))).toBe('invalid_request');
      }
      for (const odd of oddIds) {
        expect(await outcomeOf(() => request(test, odd as string, person()))).toBe('user_not_found');
        expect(await outcomeOf(() => confirm(test, odd as string, person(), { code: '1' }))).toBe(
          'user_not_found',
        );
      }
      test.mail.clear();
      expect(test.mail.messages).toEqual([]);
    });

    it('A-12 A-93: no code and no address is told, logged, thrown or stored in clear', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, code, currentCode } = await requested(test, user);
      const thrown = await errorOf(() =>
        confirm(test, user.id, email, { code: otherThan(code), currentCode }),
      );
      if (sql) {
        const rows = JSON.stringify(await sql('select * from svc_one_time_codes'));
        for (const secret of [code, currentCode!, email]) expect(rows).not.toContain(`"${secret}"`);
      }
      await confirm(test, user.id, email, { code, currentCode });
      const seen = JSON.stringify([await test.heard(), test.log, { ...thrown }, thrown.message]);
      for (const secret of [email, user.email!]) expect(seen).not.toContain(secret);
      for (const secret of [code, currentCode!]) {
        expect(seen).not.toMatch(new RegExp(`(?<![\\w-])${secret}(?![\\w-])`));
      }
      expect(test.log.map(({ fields }) => fields)).toContainEqual(
        expect.objectContaining({
          event: 'email_changed',
          userId: user.id,
          to: expect.stringMatching(/\*\*\*@/),
        }),
      );
    });
  });

  describe('The summary', () => {
    it('says who somebody is, whether there is a password, and who is a guest', async () => {
      const test = await makePro();
      const { account, sessionsProvider } = test.service;
      const [with_, without] = [await unverifiedUser(test), await verifiedUser(test)];
      const { user: guest } = await sessionsProvider.createGuest();
      expect(await account.summary(with_.id)).toEqual({ user: with_, hasPassword: true, isGuest: false });
      expect(await account.summary(without.id)).toEqual({
        user: without,
        hasPassword: false,
        isGuest: false,
      });
      expect(await account.summary(guest.id)).toEqual({ user: guest, hasPassword: false, isGuest: true });
      expect(await outcomeOf(() => account.summary(nobody))).toBe('user_not_found');
    });
  });
});
