// Events are emitted after the change is committed, contain ids only, and survive faulty handlers.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { TOTP } from 'otpauth';
import { outbox, softwareAuthenticator } from 'svc-auth/testing';
import { isFailure, unknownId, proFixtures, settleService } from '../support/make-pro-service.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { outcomeOf } from '../support/outcomes.js';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');

/** Name → the keys of its payload, as the source has them. */
function declaredEvents(): Record<string, string[]> {
  const body = /interface ServiceEvents \{(.*?)\n\}/s.exec(read('src/core/support/events.ts'))?.[1] ?? '';
  const lines = [...body.matchAll(/^ {2}'([\w.]+)': \{([^}]*)\};$/gm)];
  return Object.fromEntries(
    lines.map(([, name, fields]) => [name, [...fields!.matchAll(/(\w+):/g)].map(([, key]) => key!).sort()]),
  );
}

describe('the table of events', () => {
  const declared = declaredEvents();

  it('reads the table of events from the source', () => {
    expect(Object.keys(declared).length).toBeGreaterThan(20);
    for (const name of Object.keys(declared)) expect(name).toMatch(/^[a-z_]+\.[a-z]+(_[a-z]+)*$/);
  });

  it('lists the same names and payloads in docs/events.md', () => {
    const rows = [...read('docs/events.md').matchAll(/^\| `([\w.]+)` \| `\{(.*?)\}` \|/gm)];
    const documented = rows.map(([, name, fields]) => [
      name,
      [...fields!.matchAll(/(\w+)(?=[,: }])/g)].map(([, key]) => key!),
    ]);
    const keysOnly = documented.map(([name, keys]) => [name, (keys as string[]).sort()]);
    expect(Object.fromEntries(keysOnly)).toEqual(declared);
    expect(rows.map(([, name]) => name)).toEqual(Object.keys(declared));
  });
});

describe('the purposes of codes', () => {
  const purposes = /export type CodePurpose =(.*?);/s.exec(read('src/domain/one-time-code.ts'))?.[1] ?? '';

  it('docs/events.md lists every purpose of code.sent', () => {
    const declared = [...purposes.matchAll(/'(\w+)'/g)].map(([, purpose]) => purpose!);
    expect(declared.length).toBeGreaterThan(8);
    const row = /^\| `code\.sent` .*$/m.exec(read('docs/events.md'))?.[0] ?? '';
    expect(declared.filter((purpose) => !row.includes(`\`${purpose}\``))).toEqual([]);
  });
});

describeAdapters('Events', ({ make, uniqueEmail, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = proFixtures({ make, uniqueEmail });

  it('code.sent and link.sent are emitted for a mail with both', async () => {
    for (const [withCode, names] of [
      [false, ['link.sent']],
      [true, ['link.sent', 'code.sent']],
    ] as const) {
      const test = await makePro({ providers: { magicLink: { withCode } } });
      await test.service.magicLink.sendLink({ email: uniqueEmail() });
      const payload = { purpose: 'magic_link' };
      expect(await test.takeEvents()).toEqual(names.map((name) => ({ name, payload })));
    }
  });

  describe('an event', () => {
    it('an event is emitted after its change is committed, so that a handler finds it in the storage', async () => {
      const test = await makePro();
      const lookups: Record<string, unknown> = {};
      test.service.on('user.created', async ({ userId }) => {
        lookups['user.created'] = (await adapter().users.findById(userId))?.id === userId;
      });
      test.service.on('session.created', async ({ sessionId }) => {
        lookups['session.created'] = (await adapter().sessions.findWithUser(sessionId)) !== null;
      });
      test.service.on('session.revoked', async ({ sessionId }) => {
        lookups['session.revoked'] =
          (await adapter().sessions.findWithUser(sessionId))?.session.revokedAt !== null;
      });
      test.service.on('org.member_added', async ({ orgId, userId, role }) => {
        // The owner is a member, too, and that handler may end after this one.
        if (role === 'member') lookups['org.member_added'] = await test.service.orgs.roleOf(orgId, userId);
      });
      test.service.on('user.deleted', async ({ userId }) => {
        lookups['user.deleted'] = await adapter().users.findById(userId);
      });
      const { user, session } = await test.service.sessionsProvider.createGuest();
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      await test.service.orgs.addMember(org.id, user.id, 'member');
      await test.service.sessionsProvider.revokeDevice(session.id);
      const lookedUp = async (name: string) => {
        while (!(name in lookups)) await settleService(test);
      };
      await lookedUp('session.revoked');
      await test.service.account.deleteUser(user.id);
      await lookedUp('user.deleted');
      expect(lookups).toEqual({
        'user.created': true,
        'session.created': true,
        'session.revoked': true,
        'org.member_added': 'member',
        'user.deleted': null,
      });
    });

    it('an event is not emitted if nothing changed', async () => {
      const test = await makePro({ providers: { sessions: { canImpersonate: () => false } } });
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      const { token, session } = await test.service.sessionsProvider.create({ userId: owner.id });
      const { refreshToken } = await test.service.refresh.issue({ userId: owner.id });
      const { record } = await test.service.apiKeys.create({ userId: owner.id, name: 'key' });
      await test.service.sessionsProvider.revoke(token);
      await test.service.refresh.revoke(refreshToken);
      await test.service.apiKeys.revoke(record.id);
      test.service.account.registerUserData('failing', { deleteData: () => Promise.reject(new Error('no')) });
      await test.takeEvents();
      const { orgs, sessionsProvider, refresh, apiKeys, account } = test.service;
      const refused = [
        () => sessionsProvider.create({ userId: unknownId }),
        () => sessionsProvider.create({ userId: owner.id, ttlMs: 1 }),
        () => sessionsProvider.revokeAll(unknownId),
        () => sessionsProvider.impersonate(owner.id, owner.id),
        () => sessionsProvider.upgrade({ userId: owner.id, provider: 'x', providerAccountId: 'y' }),
        () => refresh.issue({ userId: unknownId }),
        () => refresh.refresh(refreshToken),
        () => apiKeys.create({ userId: unknownId, name: 'key' }),
        () => orgs.create({ name: 'Acme', slug: org.slug, ownerUserId: owner.id }),
        () => orgs.setRole(org.id, owner.id, 'member'),
        () => orgs.removeMember(org.id, owner.id),
        () => orgs.addMember(org.id, owner.id, 'member'),
        () => orgs.delete(unknownId),
        () => orgs.invite({ orgId: unknownId, email: uniqueEmail() }),
        () => account.deleteUser(owner.id),
        () => account.deleteUser(unknownId),
        () => test.service.emailCode.sendCode({ email: 'no address' }),
      ];
      for (const call of refused) expect(await outcomeOf(call)).not.toBe('ok');
      // Revoking again succeeds, but changes nothing.
      await sessionsProvider.revoke(token);
      await sessionsProvider.revokeDevice(session.id);
      await refresh.revoke(refreshToken);
      await apiKeys.revoke(record.id);
      await orgs.revokeInvite(org.id, unknownId);
      expect(await test.takeEventNames()).toEqual([]);
    });

    it('an event is emitted for every declared name with its declared payload, without secrets, addresses and tokens', async () => {
      const mail = outbox();
      const test = await makePro({
        usernames: { enabled: true },
        mail,
        providers: {
          sessions: { canImpersonate: () => true },
          orgs: { sender: undefined, inviteUrl: 'https://app.test/invite' },
          account: { sender: mail },
          totp: { sender: mail, email: true, trustedBrowsers: true },
          webauthn: { rpId: 'app.test', origins: ['https://app.test'] },
        },
        encryptionKey: 'an encryption key of the tests, 32 bytes or more',
        rateLimit: { maxPerWindow: 50 },
      });
      const { service } = test;
      const secrets: string[] = [];
      const context = { startSession: true };

      // Signs up, resets the password (which reclaims the account), and verifies the mailbox by
      // link.
      const claimed = await unverifiedUser(test);
      await service.emailPassword.requestReset({ email: claimed.email! });
      await settleService(test);
      const resetToken = new URL(test.mail.lastLink(claimed.email!)!).searchParams.get('token')!;
      await service.emailPassword.setPassword({ token: resetToken, newPassword: 'another good password' });
      const { url } = await service.magicLink.sendLink({ email: claimed.email! });
      await service.magicLink.verify(new URL(url).searchParams.get('token')!);

      // A user without a password sets one in their own session.
      const email = uniqueEmail();
      await service.emailCode.sendCode({ email });
      const code = test.mail.lastCode(email)!;
      const { user, session } = await service.emailCode.verify({ email, code }, context);
      await service.emailPassword.signup(
        { email, password: 'correct horse battery' },
        { sessionToken: session!.token, startSession: true },
      );

      // Then the user changes the password and the address.
      await service.emailPassword.changePassword({
        userId: user.id,
        currentPassword: 'correct horse battery',
        newPassword: 'another good password',
      });
      const moved = uniqueEmail();
      await service.account.requestEmailChange({ userId: user.id, email: moved });
      const [toNew, toOld] = [test.mail.lastCode(moved)!, test.mail.lastCode(email)!];
      const change = { userId: user.id, email: moved, code: toNew, currentCode: toOld };
      await service.account.confirmEmailChange(change);

      const device = await service.sessionsProvider.create({ userId: user.id });
      await service.sessionsProvider.revoke(device.token);

      const { secret } = await service.totp.beginEnrollment(user.id);
      const now = new TOTP({ secret }).generate({ timestamp: test.clock.now() });
      const { recoveryCodes } = await service.totp.confirmEnrollment(user.id, now);
      await service.totp.verifyRecoveryCode(user.id, recoveryCodes[0]!);
      const replaced = await service.totp.regenerateRecoveryCodes(user.id);
      const { secret: second } = await service.totp.beginEnrollment(user.id);
      const secondCode = new TOTP({ secret: second }).generate({ timestamp: test.clock.now() });
      const { app } = await service.totp.addApp({ userId: user.id, code: secondCode });
      await service.totp.renameApp({ userId: user.id, id: app.id, name: 'Phone of ada' });
      await service.secondFactor.setPreferred({ userId: user.id, method: 'totp' });
      await service.totp.removeApp({ userId: user.id, id: app.id });
      await service.secondFactor.enableEmail(user.id);
      await service.secondFactor.disableEmail(user.id);
      const trusted: string[] = [];
      for (const recoveryCode of replaced.slice(0, 2)) {
        const login = { email: moved, password: 'another good password' };
        const { pending } = await service.emailPassword.login(login, context);
        const trusting = { ...context, trustBrowser: true };
        const { trust } = await service.totp.finishSignIn({ token: pending!.token, recoveryCode }, trusting);
        trusted.push(pending!.token, trust!.token);
      }
      const [browser] = await service.secondFactor.listTrustedBrowsers(user.id);
      await service.secondFactor.revokeTrustedBrowser(user.id, browser!.id);
      await service.secondFactor.revokeTrustedBrowsers(user.id);
      await service.totp.disable(user.id);

      const authenticator = softwareAuthenticator();
      const registration = await service.webauthn.startRegistration(user.id);
      const passkey = await service.webauthn.finishRegistration({
        userId: user.id,
        response: authenticator.create(registration.options),
        expectedChallenge: registration.challenge,
      });
      const { id: credentialId } = passkey.credential;
      await service.webauthn.renameCredential({ userId: user.id, credentialId, name: 'Key of ada' });
      const ceremony = await service.webauthn.startAuthentication();
      const copied = {
        response: authenticator.get(ceremony.options, { counter: 1 }),
        expectedChallenge: ceremony.challenge,
      };
      expect(await outcomeOf(() => service.webauthn.finishAuthentication(copied))).toBe('token_invalid');
      await service.webauthn.removeCredential(user.id, passkey.credential.id);

      const linked = {
        id: unknownId,
        userId: user.id,
        provider: 'google',
        providerAccountId: 'account of ada',
      };
      const { epoch } = (await test.adapter.users.findById(user.id))!;
      await test.adapter.identities.link({ ...linked, createdAt: new Date() }, epoch);
      await service.identities.unlink(user.id, linked.id);

      const guest = await service.sessionsProvider.createGuest();
      await service.sessionsProvider.upgrade({
        userId: guest.user.id,
        provider: 'github',
        providerAccountId: `account of ${guest.user.id}`,
      });
      const impersonation = await service.sessionsProvider.impersonate(user.id, claimed.id, {
        reason: 'ticket 7',
      });

      const pair = await service.refresh.issue({ userId: user.id });
      const next = await service.refresh.refresh(pair.refreshToken);
      await service.refresh.refresh(next.refreshToken);
      expect(await outcomeOf(() => service.refresh.refresh(pair.refreshToken))).toBe('refresh_token_invalid');
      const other = await service.refresh.issue({ userId: user.id });
      await service.refresh.revoke(other.refreshToken);
      await service.refresh.revokeAllForUser(user.id);

      const { key, record } = await service.apiKeys.create({ userId: user.id, name: 'key' });
      await service.apiKeys.revoke(record.id);

      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const invite = await service.orgs.invite({ orgId: org.id, email: claimed.email! });
      await service.orgs.acceptInvite(invite.token, claimed.id);
      const unwanted = await service.orgs.invite({ orgId: org.id, email: uniqueEmail() });
      await service.orgs.revokeInvite(org.id, unwanted.invite.id);
      await service.orgs.update(org.id, { name: 'Name of ada' });
      await service.orgs.setRole(org.id, claimed.id, 'admin');
      await service.orgs.removeMember(org.id, claimed.id);
      const declined = await service.orgs.invite({ orgId: org.id, email: claimed.email! });
      await service.orgs.declineInvite(declined.token, claimed.id);
      await service.orgs.delete(org.id);

      const unproven = await unverifiedUser(test);
      await service.account.sendVerification(unproven.id);
      const proof = test.mail.lastCode(unproven.email!)!;
      await service.account.verifyEmail({ userId: unproven.id, code: proof });
      await service.account.setLanguage({ userId: unproven.id, language: 'de' });
      await service.account.changeProfile({ userId: user.id, name: 'Name of ada' });
      await service.usernames.change({ userId: user.id, username: `ada${Date.now()}` });
      const invited = await unverifiedUser(test);
      await service.users.invite({ email: invited.email! });
      await service.users.update(invited.id, { roles: ['support'], metadata: { note: 'account of' } });
      await service.users.setPassword(invited.id, 'correct horse again');
      await service.users.block(invited.id, { reason: 'the account of a spammer' });
      await service.users.unblock(invited.id);
      await service.users.import([
        { externalId: `old-${user.id}`, email: uniqueEmail(), emailVerified: true },
      ]);

      await service.sessionsProvider.revokeAll(user.id);
      await service.lockdown({ userId: user.id });
      await service.account.deleteUser(claimed.id);

      const heard = await test.takeEvents();
      // Those of the OAuth server: tests/oauth-server. Those of failures: failure-events.test.ts. That of notices: tests/notices. That of
      // browsers which register a key: tests/http/bound-events.test.ts. That of the audit log: tests/audit.
      const isHere = (name: string) =>
        !name.startsWith('oauth') &&
        !isFailure(name) &&
        !['account.secured', 'audit.anonymized', 'session.bound'].includes(name);
      const all = Object.entries(declaredEvents()).filter(([name]) => isHere(name));
      const declared = Object.fromEntries(all);
      expect([...new Set(heard.map(({ name }) => name))].sort()).toEqual(Object.keys(declared).sort());
      for (const { name, payload } of heard) {
        // Only a sign-in has one.
        const { method: _, ...rest } = payload as { method?: string };
        const compared = declared[name]?.includes('method') ? payload : rest;
        expect([name, Object.keys(compared).sort()]).toEqual([name, declared[name]]);
      }

      secrets.push(second, ...trusted);
      secrets.push(secret, now, ...recoveryCodes, ...replaced, registration.challenge, ceremony.challenge);
      secrets.push(
        toNew,
        toOld,
        code,
        resetToken,
        session!.token,
        guest.token,
        impersonation.token,
        key,
        invite.token,
        declined.token,
        'Name of ada',
      );
      secrets.push(
        pair.refreshToken,
        pair.accessToken,
        next.refreshToken,
        'account of',
        '@example.com',
        'correct horse',
      );
      const text = JSON.stringify(heard);
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/eyJ|svc_[0-9a-f]{32}|cheap\$/);
    });

    it('names the method of a sign-up in user.created', async () => {
      const test = await makePro();
      await verifiedUser(test);
      await unverifiedUser(test);
      const created = (await test.takeEvents()).filter(({ name }) => name === 'user.created');
      expect(created.map(({ payload }) => payload['method'])).toEqual(['email_code', 'password_signup']);
    });
  });

  if (!sql) return;
  it('emits no event if the database fails', async () => {
    const test = await makePro();
    const user = await verifiedUser(test);
    await test.takeEvents();
    await sql('alter table svc_sessions rename to svc_sessions_away');
    try {
      expect(await outcomeOf(() => test.service.sessionsProvider.create({ userId: user.id }))).toBe(
        'internal_error',
      );
    } finally {
      await sql('alter table svc_sessions_away rename to svc_sessions');
    }
    expect(await test.takeEventNames()).toEqual([]);
  });
});
