// Invites to organizations and their mails (specification 4.3 `orgs`; docs/security-requirements.md
// C-31).
import { englishMailTexts, type RequestContext } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { day, unknownId, invalidIds } from '../support/make-pro-service.js';
import { outcomeOf, race } from '../support/outcomes.js';
import { plainBrand } from '../support/every-mail.js';
import { orgMembers, roles } from './org-members.js';

const inviteUrl = 'https://app.test/join?from=mail#top';

describeAdapters('Invites to organizations', (on) => {
  const { uniqueEmail, adapter } = on;
  const { verifiedUser, acme, member } = orgMembers(on);

  describe('invite', () => {
    // C-31
    it('creates an invite for seven days and returns its token once', async () => {
      const { test, org, owner, orgs } = await acme();
      const email = uniqueEmail();
      const issued = await orgs.invite({
        orgId: org.id,
        email: ` ${email.toUpperCase()} `,
        role: 'admin',
        invitedByUserId: owner.id,
      });
      const now = test.clock.now();
      expect(issued).toEqual({
        invite: {
          id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
          orgId: org.id,
          email,
          role: 'admin',
          invitedByUserId: owner.id,
          createdAt: new Date(now),
          expiresAt: new Date(now + 7 * day),
          acceptedAt: null,
        },
        token: expect.stringMatching(/^[\w-]+\.[\w-]{43}$/),
      });
      expect(await test.takeEvents()).toEqual([
        { name: 'org.invited', payload: { orgId: org.id, inviteId: issued.invite.id } },
      ]);
      expect(test.mail.messages.filter(({ kind }) => kind === 'org_invite')).toEqual([]);
    });

    it('accepts a context whose properties are null, as an application may have stored them', async () => {
      const { org, orgs } = await acme({ providers: { orgs: { inviteUrl, sender: outbox() } } });
      const context = { ip: null, userAgent: null, sessionToken: null } as unknown as RequestContext;
      const invited = orgs.invite({ orgId: org.id, email: uniqueEmail() }, context);
      expect((await invited).invite.orgId).toBe(org.id);
    });

    it('invites as a member, by the system, by default', async () => {
      const { org, orgs } = await acme();
      const { invite } = await orgs.invite({ orgId: org.id, email: uniqueEmail() });
      expect(invite).toMatchObject({ role: 'member', invitedByUserId: null });
    });

    it('returns a link with inviteUrl, and sends no mail without a sender', async () => {
      const { test, org, orgs } = await acme({ providers: { orgs: { inviteUrl } } });
      const { url, token } = await orgs.invite({ orgId: org.id, email: uniqueEmail() });
      expect(url).toBe(`https://app.test/join?from=mail&token=${token}#top`);
      expect(test.mail.messages.filter(({ kind }) => kind === 'org_invite')).toEqual([]);
    });

    it('sends no mail and returns no link without inviteUrl', async () => {
      const sender = outbox();
      const { org, orgs } = await acme({ providers: { orgs: { sender } } });
      expect(await orgs.invite({ orgId: org.id, email: uniqueEmail() })).not.toHaveProperty('url');
      expect(sender.messages).toEqual([]);
    });

    it('mails the link to the canonical address, with the escaped name of the app', async () => {
      const sender = outbox();
      const { test, org, orgs } = await acme({
        appName: 'Ac<me> & Co',
        providers: { orgs: { sender, inviteUrl } },
      });
      const email = uniqueEmail();
      const { url, token } = await orgs.invite({ orgId: org.id, email: email.toUpperCase() });
      expect(sender.messages).toEqual([
        expect.objectContaining({
          to: email,
          kind: 'org_invite',
          subject: expect.stringContaining('Ac<me> & Co'),
        }),
      ]);
      const [{ html, text } = { html: '', text: '' }] = sender.messages;
      expect(sender.lastLink(email)).toBe(url);
      expect(html).toContain('Ac&#60;me&#62; &#38; Co');
      expect(html).not.toContain('<me>');
      expect(text).toContain('7 days');
      expect(JSON.stringify(test.log)).not.toContain(token);
      expect(await outcomeOf(() => orgs.acceptInvite(token, unknownId))).toBe('user_not_found');
    });

    it('mails what the template returns', async () => {
      const sender = outbox();
      const templateValues: unknown[] = [];
      const template = (given: object) => {
        templateValues.push(given);
        return { subject: 'Join us', html: '<p>x</p>', text: 'x' };
      };
      const { org, orgs } = await acme({ providers: { orgs: { sender, inviteUrl, template } } });
      const { url } = await orgs.invite({ orgId: org.id, email: uniqueEmail() });
      const system = { organization: org.name, role: 'member', inviter: null };
      const words = { language: 'en', texts: englishMailTexts, brand: plainBrand('Acme') };
      // The mail may be rendered again, in another language, so that the time does not depend on the account.
      expect(templateValues[0]).toEqual({
        url,
        expiresInMinutes: 7 * 24 * 60,
        appName: 'Acme',
        ...system,
        ...words,
      });
      expect(sender.messages[0]).toMatchObject({ subject: 'Join us', html: '<p>x</p>', text: 'x' });
    });

    it('rejects with email_send_failed if the mail fails, and stores, emits and counts nothing', async () => {
      let works = false;
      const sent = outbox();
      const send: typeof sent.send = (message) =>
        works ? sent.send(message) : Promise.reject(new Error('SMTP down'));
      const { test, org, orgs } = await acme({
        rateLimit: { maxPerWindow: 1 },
        providers: { orgs: { sender: { send }, inviteUrl } },
      });
      const email = uniqueEmail();
      const user = await verifiedUser(test, email);
      await test.takeEvents();
      for (let i = 0; i < 3; i += 1) {
        expect(await outcomeOf(() => orgs.invite({ orgId: org.id, email }))).toBe('email_send_failed');
      }
      expect(await adapter().orgs!.listInvitesOf({ userId: unknownId, email })).toEqual([]);
      expect(await test.takeEvents()).toEqual([]);
      works = true;
      const { token } = await orgs.invite({ orgId: org.id, email });
      expect(await outcomeOf(() => orgs.acceptInvite(token, user.id))).toBe('ok');
    });

    it('keeps the pending invite, and a newer one, if a mail fails', async () => {
      const sent = outbox();
      let send = sent.send.bind(sent);
      const { test, org, orgs } = await acme({
        providers: { orgs: { sender: { send: (message) => send(message) }, inviteUrl } },
      });
      const user = await verifiedUser(test);
      const email = user.email!;
      const pending = await orgs.invite({ orgId: org.id, email, role: 'admin' });
      send = () => Promise.reject(new Error('SMTP down'));
      expect(await race(3, () => orgs.invite({ orgId: org.id, email }))).toEqual({ email_send_failed: 3 });
      const listed = () => adapter().orgs!.listInvitesOf({ userId: unknownId, email });
      expect(await listed()).toEqual([pending.invite]);
      let fail = (_: Error) => {};
      const sending = new Promise<void>((resolve) => {
        send = () => {
          resolve();
          return new Promise((_, reject) => (fail = reject));
        };
      });
      const failing = outcomeOf(() => orgs.invite({ orgId: org.id, email }));
      await sending;
      send = sent.send.bind(sent);
      const next = await orgs.invite({ orgId: org.id, email });
      fail(new Error('SMTP down'));
      expect(await failing).toBe('email_send_failed');
      expect(await listed()).toEqual([next.invite]);
      expect(await outcomeOf(() => orgs.acceptInvite(pending.token, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(next.token, user.id)).role).toBe('member');
    });

    it('rejects with org_error if a newer invite was mailed first, and keeps the newer one', async () => {
      const sent = outbox();
      const slow: (() => void)[] = [];
      const send: typeof sent.send = async (message) => {
        if (slow.length === 0) await new Promise<void>((resolve) => slow.push(resolve));
        return sent.send(message);
      };
      const { test, org, orgs } = await acme({ providers: { orgs: { sender: { send }, inviteUrl } } });
      const email = uniqueEmail();
      const older = outcomeOf(() => orgs.invite({ orgId: org.id, email, role: 'owner' }));
      while (slow.length === 0) await new Promise((resolve) => setImmediate(resolve));
      test.clock.advance(1);
      const newer = await orgs.invite({ orgId: org.id, email });
      await test.takeEvents();
      slow[0]?.();
      expect(await older).toBe('org_error');
      expect(await test.takeEvents()).toEqual([]);
      expect(await adapter().orgs!.listInvitesOf({ userId: unknownId, email })).toEqual([newer.invite]);
      const user = await verifiedUser(test, email);
      const olderToken = new URL(sent.lastLink(email)!).searchParams.get('token')!;
      expect(olderToken).not.toBe(newer.token);
      expect(await outcomeOf(() => orgs.acceptInvite(olderToken, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(newer.token, user.id)).role).toBe('member');
    });

    //
    it('limits invites by mailbox like every mail', async () => {
      const sender = outbox();
      const { org, orgs } = await acme({
        rateLimit: { maxPerWindow: 3 },
        providers: { orgs: { sender, inviteUrl } },
      });
      const email = uniqueEmail();
      expect(await race(10, () => orgs.invite({ orgId: org.id, email }))).toEqual({
        ok: 3,
        rate_limit_exceeded: 7,
      });
      expect(sender.messages).toHaveLength(3);
      expect(await outcomeOf(() => orgs.invite({ orgId: org.id, email: uniqueEmail() }))).toBe('ok');
    });

    it('invalidates a pending invite when another is sent to the same address', async () => {
      const { test, org, orgs } = await acme();
      const user = await verifiedUser(test);
      const first = await orgs.invite({ orgId: org.id, email: user.email!, role: 'admin' });
      const second = await orgs.invite({ orgId: org.id, email: user.email!, role: 'member' });
      expect(await outcomeOf(() => orgs.acceptInvite(first.token, user.id))).toBe('token_invalid');
      expect((await orgs.acceptInvite(second.token, user.id)).role).toBe('member');
    });

    // A-100, C-31
    it('lets admins and owners invite to roles up to their own', async () => {
      const allowed: string[] = [];
      const { test, org, orgs } = await acme();
      for (const actor of ['stranger', ...roles] as const) {
        const user = actor === 'stranger' ? await verifiedUser(test) : await member(test, org.id, actor);
        for (const role of roles) {
          const email = uniqueEmail();
          const invite = () => orgs.invite({ orgId: org.id, email, role, invitedByUserId: user.id });
          const outcome = await outcomeOf(invite);
          expect(outcome).toBe(outcome === 'ok' ? 'ok' : 'not_authorized');
          if (outcome === 'ok') allowed.push(`${actor} invites ${role}`);
          const pending = await adapter().orgs!.listInvitesOf({ userId: unknownId, email });
          expect(pending).toHaveLength(outcome === 'ok' ? 1 : 0);
        }
      }
      expect(allowed).toEqual([
        'admin invites member',
        'admin invites admin',
        'owner invites member',
        'owner invites admin',
        'owner invites owner',
      ]);
    });

    it('rejects unknown ids, roles and malformed addresses, and stores nothing', async () => {
      const calls: string[] = [];
      const { test, org, owner, orgs } = await acme({ adapter: recordCalls(adapter(), calls) });
      const email = uniqueEmail();
      const invite = (input: object) => outcomeOf(() => orgs.invite({ orgId: org.id, email, ...input }));
      calls.length = 0;
      for (const id of invalidIds) expect(await invite({ orgId: id })).toBe('org_error');
      for (const id of invalidIds) {
        // Without invitedByUserId, the system invites.
        if (id !== undefined) expect(await invite({ invitedByUserId: id })).toBe('user_not_found');
      }
      for (const role of ['', 'Owner', 'root', 7, ['admin'], {}])
        expect(await invite({ role })).toBe('org_error');
      for (const bad of [
        '',
        'ada',
        'ada@',
        'a@b,c@d.test',
        'ada@example.com\r\nBcc: eve@evil.test',
        null,
        7,
        undefined,
        ['a@b.test'],
      ])
        expect(await invite({ email: bad })).toBe('invalid_request');
      expect(await invite({ invitedByUserId: org.id })).toBe('user_not_found');
      expect(calls.filter((call) => call.includes('insertInvite'))).toEqual([]);
      expect(await test.takeEvents()).toEqual([]);
      expect(await invite({ invitedByUserId: owner.id })).toBe('ok');
    });
  });

  it('removes invites with purgeExpired a day after they expire', async () => {
    const { test, org, orgs } = await acme();
    const email = uniqueEmail();
    await orgs.invite({ orgId: org.id, email });
    const pending = () => adapter().orgs!.listInvitesOf({ userId: unknownId, email });
    test.clock.advance(8 * day - 1);
    await test.service.purgeExpired();
    expect(await pending()).toHaveLength(1);
    test.clock.advance(1);
    await test.service.purgeExpired();
    expect(await pending()).toEqual([]);
  });
});
