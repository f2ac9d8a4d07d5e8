// Change of an account's address by its user (docs/decisions/email-change.md).
// (docs/decisions/email-change.md).
import type { EmailMessage } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import {
  day,
  minute,
  invalidIds,
  proFixtures,
  settleService,
  type ProService,
} from '../support/make-pro-service.js';
import { addressFixtures } from '../support/address-mails.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { differentCode } from '../support/site-actions.js';

const password = 'correct horse battery';

describeAdapters('Changes of addresses', ({ make, uniqueEmail, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });

  const { makeWithSender, mailsTo } = addressFixtures({ makePro });
  const codeOf = ({ text }: EmailMessage) => /^\d{6}$/m.exec(text)?.[0];

  describe('the change of an address', () => {
    const request = ({ service }: ProService, userId: string, email: unknown) =>
      service.account.requestEmailChange({ userId, email: email as string });
    const confirm = ({ service }: ProService, userId: string, email: string, codes: object) =>
      service.account.confirmEmailChange({ userId, email, ...(codes as { code: string }) });

    /** Requests a change and returns the mailed codes. */
    async function requested(
      test: ProService,
      user: { id: string; email: string | null },
      email = uniqueEmail(),
    ) {
      test.mail.clear();
      await request(test, user.id, email);
      const code = test.mail.lastCode(email)!;
      const currentCode = user.email === null ? undefined : test.mail.lastCode(user.email);
      return { email, code, currentCode };
    }

    it('mails a code to both addresses, neither of which contains the other address', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const email = uniqueEmail();
      test.mail.clear();
      await test.takeEvents();
      const response = await request(test, user.id, email);
      const expiresAt = new Date(test.clock.now() + 10 * minute);
      expect(response).toEqual({ expiresAt, currentCodeSent: true });
      const [[toNew], [toOld]] = [mailsTo(test, email), mailsTo(test, user.email!)];
      expect(test.mail.messages).toHaveLength(2);
      expect(codeOf(toNew!)).not.toBe(codeOf(toOld!));
      // The styles of a mail have at-rules.
      const shown = ({ text, html, subject }: EmailMessage) =>
        text + html.replaceAll(/<style>.*?<\/style>/gs, '') + subject;
      for (const mail of [toNew!, toOld!]) {
        expect(shown(mail)).not.toContain('@');
        for (const address of [email, user.email!]) expect(mail.html).not.toContain(address);
      }
      expect(toOld!.text).toContain('If this wasn’t you');
      expect(await test.takeEvents()).toEqual([
        { name: 'code.sent', payload: { purpose: 'email_change' } },
        { name: 'code.sent', payload: { purpose: 'email_change' } },
      ]);
      expect(await test.service.account.summary(user.id)).toMatchObject({ user });
    });

    it('changes the address with both codes, verifies it and frees the old one', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await test.takeEvents();
      const changed = await confirm(test, user.id, email, codes);
      expect(changed).toEqual({
        user: { ...user, email, emailVerified: true, updatedAt: new Date(test.clock.now()) },
      });
      expect(await test.takeEvents()).toEqual([{ name: 'email.changed', payload: { userId: user.id } }]);
      expect((await verifiedUser(test, email)).id).toBe(user.id);
      expect((await verifiedUser(test, user.email!)).id).not.toBe(user.id);
    });

    it('revokes every session and token, and starts a new session with startSession', async () => {
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

    it('revokes links, codes and resets of both addresses', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { service, mail } = test;
      const email = uniqueEmail();
      const { code, currentCode } = await requested(test, user, email);
      const links: string[] = [];
      for (const each of [email, user.email!]) {
        await service.magicLink.sendLink({ email: each });
        links.push(new URL(mail.lastLink(each)!).searchParams.get('token')!);
      }
      await service.emailPassword.requestReset({ email: user.email! });
      await settleService(test);
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

    it('keeps the password and the API keys when the address changes', async () => {
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

    it('neither requires a code of an unverified address nor mails to it', async () => {
      const test = await makeWithSender();
      const user = await unverifiedUser(test);
      const email = uniqueEmail();
      expect(await request(test, user.id, email)).toMatchObject({ currentCodeSent: false });
      const code = test.mail.lastCode(email)!;
      expect((await confirm(test, user.id, email, { code })).user).toMatchObject({
        email,
        emailVerified: true,
      });
      await settleService(test);
      expect(mailsTo(test, user.email!)).toEqual([]);
    });

    it('mails a notice without a code to the old address if it was verified', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      test.mail.clear();
      await confirm(test, user.id, email, codes);
      await settleService(test);
      expect(test.mail.messages).toMatchObject([
        { to: user.email, kind: 'notice', subject: 'The email address of your Acme account was changed' },
      ]);
      expect(JSON.stringify(test.mail.messages)).not.toContain(email);
    });

    it('requires both codes at the same time, and does not reveal which one is wrong', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, code, currentCode } = await requested(test, user);
      const wrong = [
        { code: differentCode(code), currentCode },
        { code, currentCode: differentCode(currentCode) },
        { code: currentCode, currentCode: code },
      ];
      for (const codes of wrong) {
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_invalid');
      }
      expect(await outcomeOf(() => confirm(test, user.id, email, { code }))).toBe('invalid_request');
      // The failed attempts used up neither code.
      const spaced = { code: ` ${code} `, currentCode: currentCode!.replace(/^.../, '$& ') };
      expect(await outcomeOf(() => confirm(test, user.id, email, spaced))).toBe('ok');
      expect(await outcomeOf(() => confirm(test, user.id, email, { code, currentCode }))).not.toBe('ok');
    });

    it('binds the codes to the user and to both addresses', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const other = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await requested(test, other, uniqueEmail());
      expect(await outcomeOf(() => confirm(test, other.id, email, codes))).toBe('code_invalid');
      expect(await outcomeOf(() => confirm(test, user.id, uniqueEmail(), codes))).toBe('code_invalid');
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('ok');
      // The codes are useless after the next change.
      const [back, again] = [uniqueEmail(), { email: uniqueEmail() }];
      const second = await requested(test, { id: user.id, email }, back);
      await confirm(test, user.id, back, second);
      expect(await outcomeOf(() => confirm(test, user.id, again.email, second))).toBe('code_not_found');
    });

    it('replaces the codes of an earlier request', async () => {
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
          await settleService(test);
          const token = new URL(test.mail.lastLink(email!)!).searchParams.get('token')!;
          await test.service.emailPassword.setPassword({ token, newPassword: password });
        },
      ],
    ])('cancels the change after %s', async (_name, end) => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      await end(test, user);
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toMatch(/code_(invalid|not_found)/);
      expect(await test.service.account.summary(user.id)).toMatchObject({ user: { email: user.email } });
    });

    //
    it('reveals only to the mailbox that the new address has an account', async () => {
      const test = await makeWithSender();
      const [user, owner] = [await verifiedUser(test), await verifiedUser(test)];
      const unproven = await unverifiedUser(test);
      const free = uniqueEmail();
      const responses: unknown[] = [];
      const guesses: string[] = [];
      for (const email of [free, owner.email!, unproven.email!]) {
        test.mail.clear();
        responses.push(await request(test, user.id, email));
        // One mail to each address, for any new address.
        expect(mailsTo(test, email)).toHaveLength(1);
        const currentCode = test.mail.lastCode(user.email!);
        const code = differentCode(test.mail.lastCode(email) ?? '123456');
        guesses.push(await outcomeOf(() => confirm(test, user.id, email, { code, currentCode })));
        if (email === free) continue;
        expect(mailsTo(test, email)).toMatchObject([{ kind: 'notice', subject: /already have an account/ }]);
        expect(mailsTo(test, email)[0]!.text).not.toMatch(/\d{4}/);
      }
      expect(responses[1]).toEqual(responses[0]);
      expect(responses[2]).toEqual(responses[0]);
      expect(guesses).toEqual(['code_invalid', 'code_invalid', 'code_invalid']);
    });

    //
    it('rejects with email_send_failed for any new address if the mail cannot be sent', async () => {
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
      for (const email of [uniqueEmail(), owner.email!]) {
        failures.splice(0, 1, email);
        mail.clear();
        // Neither counted, nor mailed to the current address.
        for (let i = 0; i < 9; i += 1) {
          expect(await outcomeOf(() => request(test, user.id, email))).toBe('email_send_failed');
        }
        expect(mail.messages).toEqual([]);
        const codes = { code: '123456', currentCode: '123456' };
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_not_found');
      }
      // If the second mail fails, no code is stored, and the message stays counted.
      failures.splice(0, 1, user.email!);
      const email = uniqueEmail();
      for (let i = 0; i < 5; i += 1) {
        expect(await outcomeOf(() => request(test, user.id, email))).toBe('email_send_failed');
      }
      expect(await outcomeOf(() => request(test, user.id, email))).toBe('rate_limit_exceeded');
      const codes = { code: mail.lastCode(email), currentCode: '123456' };
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_not_found');
    });

    it('rejects with email_exists if the address got an account since the request, and changes nothing', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const { email, ...codes } = await requested(test, user);
      const newcomer = await unverifiedUser(test, email);
      await test.takeEvents();
      expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('email_exists');
      expect(await test.service.getSessionUser(token)).toEqual(user);
      expect(await test.service.account.summary(newcomer.id)).toMatchObject({ user: newcomer });
      expect(await test.takeEvents()).toEqual([]);
    });

    it('gives an address to one of several concurrent users', async () => {
      const test = await makeWithSender({ rateLimit: { maxPerWindow: 50 } });
      const email = uniqueEmail();
      const changes: { id: string; codes: object }[] = [];
      for (let i = 0; i < 6; i += 1) {
        const user = await verifiedUser(test);
        changes.push({ id: user.id, codes: await requested(test, user, email) });
      }
      const outcomes = await race(6, (index) =>
        confirm(test, changes[index]!.id, email, changes[index]!.codes),
      );
      expect(outcomes).toEqual({ ok: 1, email_exists: 5 });
    });

    it('changes the address once for concurrent confirmations', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, ...codes } = await requested(test, user);
      const outcomes = await race(5, () => confirm(test, user.id, email, codes));
      expect(outcomes['ok']).toBe(1);
      expect((await test.takeEventNames()).filter((name) => name === 'email.changed')).toHaveLength(1);
    });

    it('limits requests per user and per new address, and wrong codes', async () => {
      const test = await makeWithSender();
      const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
      const { email, code, currentCode } = await requested(test, user);
      for (let i = 0; i < 5; i += 1) {
        const codes = { code: differentCode(code), currentCode };
        expect(await outcomeOf(() => confirm(test, user.id, email, codes))).toBe('code_invalid');
      }
      const right = { code, currentCode };
      expect(await outcomeOf(() => confirm(test, user.id, email, right))).toBe('max_attempts_exceeded');
      for (let i = 1; i < 5; i += 1) await request(test, user.id, uniqueEmail());
      expect(await outcomeOf(() => request(test, user.id, uniqueEmail()))).toBe('rate_limit_exceeded');
      for (let i = 1; i < 5; i += 1) await request(test, other.id, email);
      const third = await verifiedUser(test);
      expect(await outcomeOf(() => request(test, third.id, email))).toBe('rate_limit_exceeded');
      test.clock.advance(day);
      const late = await requested(test, user);
      test.clock.advance(10 * minute);
      expect(await outcomeOf(() => confirm(test, user.id, late.email, late))).toBe('code_expired');
    });

    it('rejects guests, the current address, unknown users and malformed addresses', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { user: guest } = await test.service.sessionsProvider.createGuest();
      expect(await outcomeOf(() => request(test, guest.id, uniqueEmail()))).toBe('not_authorized');
      expect(await outcomeOf(() => request(test, user.id, user.email!.toUpperCase()))).toBe(
        'invalid_request',
      );
      for (const email of [undefined, '', 'x', 42, 'a@b.test, c@d.test', 'a@b.test\r\nBcc: c@d.test']) {
        expect(await outcomeOf(() => request(test, user.id, email))).toBe('invalid_request');
      }
      for (const odd of invalidIds) {
        expect(await outcomeOf(() => request(test, odd as string, uniqueEmail()))).toBe('user_not_found');
        expect(await outcomeOf(() => confirm(test, odd as string, uniqueEmail(), { code: '1' }))).toBe(
          'user_not_found',
        );
      }
      test.mail.clear();
      expect(test.mail.messages).toEqual([]);
    });

    //
    it('reveals no code and no address in events, logs, errors and the storage', async () => {
      const test = await makeWithSender();
      const user = await verifiedUser(test);
      const { email, code, currentCode } = await requested(test, user);
      const error = await errorOf(() =>
        confirm(test, user.id, email, { code: differentCode(code), currentCode }),
      );
      if (sql) {
        const rows = JSON.stringify(await sql('select * from svc_one_time_codes'));
        for (const secret of [code, currentCode!, email]) expect(rows).not.toContain(`"${secret}"`);
      }
      await confirm(test, user.id, email, { code, currentCode });
      const outputs = JSON.stringify([await test.takeEvents(), test.log, { ...error }, error.message]);
      for (const secret of [email, user.email!]) expect(outputs).not.toContain(secret);
      for (const secret of [code, currentCode!]) {
        expect(outputs).not.toMatch(new RegExp(`(?<![\\w-])${secret}(?![\\w-])`));
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
});
