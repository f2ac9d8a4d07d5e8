// A scan of everything that the Pro tier returns, throws, emits and logs
// (docs/security-requirements.md ): secrets appear once, in the fields that return them,
// and nowhere else.
import type { ServiceUser } from 'svc-auth';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { proFixtures, settleService } from '../support/make-pro-service.js';

/** The fields that return a secret, by method. */
const secretFields: Record<string, string[]> = {
  'sessionsProvider.create': ['token'],
  'sessionsProvider.createGuest': ['token'],
  'sessionsProvider.impersonate': ['token'],
  'refresh.issue': ['accessToken', 'refreshToken'],
  'refresh.refresh': ['accessToken', 'refreshToken'],
  'apiKeys.create': ['key'],
  'orgs.invite': ['token', 'url'],
  'phoneOtp.verify': ['pending'],
  'totp.beginEnrollment': ['secret', 'uri'],
  'totp.confirmEnrollment': ['recoveryCodes'],
  'totp.regenerateRecoveryCodes': ['result'],
  'totp.finishSignIn': ['session'],
};

/**
 * The strings of a secret: itself, each of a list, the token of a session or of a pending sign-in.
 */
function stringsOf(secret: unknown): string[] {
  if (Array.isArray(secret)) return secret.flatMap(stringsOf);
  return typeof secret === 'object' && secret !== null
    ? stringsOf((secret as { token?: unknown }).token)
    : [String(secret)];
}

describeAdapters('Secrets', ({ make, uniqueEmail, sql }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  //
  it('reveals no secret in any other value that is returned, thrown, emitted or logged', async () => {
    const texts = smsOutbox();
    const mail = outbox();
    const test = await makePro({
      encryptionKey,
      mail,
      providers: {
        account: { sender: mail },
        sessions: { canImpersonate: () => true },
        orgs: { inviteUrl: 'https://app.test/join' },
        phoneOtp: { sender: texts },
        totp: true,
      },
    });
    const { service, clock } = test;
    const secrets = new Set<string>();
    const visible: unknown[] = [];
    const called = new Set<string>();

    /**
     * Calls a method by its path, collects the secrets that it returns, and keeps the rest to be
     * searched.
     */
    async function call<T>(path: string, method: () => Promise<T>): Promise<T> {
      called.add(path);
      try {
        const result = await method();
        const isRecord = result && typeof result === 'object' && !Array.isArray(result);
        const copy = (isRecord ? { ...result } : { result }) as Record<string, unknown>;
        for (const field of secretFields[path] ?? []) {
          if (copy[field] !== undefined) for (const text of stringsOf(copy[field])) secrets.add(text);
          delete copy[field];
        }
        visible.push(copy);
        return result;
      } catch (error) {
        const { message, ...fields } = error as Error;
        visible.push({ message, fields, cause: String((error as Error).cause) });
        throw error;
      }
    }
    const refused = (path: string, method: () => Promise<unknown>) =>
      call(path, method).then(
        () => expect(path).toBe('refused'),
        () => undefined,
      );

    const { user } = await service.emailPassword.signup({
      email: uniqueEmail(),
      password: 'correct horse battery',
    });
    await test.adapter.users.markEmailVerified(user.id, new Date(clock.now()));
    const other: ServiceUser = await verifiedUser(test);
    const { sessionsProvider, refresh, apiKeys, orgs, account, totp, phoneOtp } = service;

    const created = await call('sessionsProvider.create', () => sessionsProvider.create({ userId: user.id }));
    await call('sessionsProvider.listDevices', () => sessionsProvider.listDevices(user.id, created.token));
    await call('sessionsProvider.listAllDevices', () =>
      sessionsProvider.listAllDevices(user.id, {}, { sessionToken: created.token }),
    );
    await call('sessionsProvider.revokeAnyDevice', () =>
      sessionsProvider.revokeAnyDevice(user.id, { kind: 'browser', id: user.id }),
    );
    await call('sessionsProvider.revokeOthers', () => sessionsProvider.revokeOthers(user.id, created.token));
    await call('sessionsProvider.revokeDevice', () => sessionsProvider.revokeDevice(created.session.id));
    await call('sessionsProvider.revoke', () => sessionsProvider.revoke(created.token));
    const guest = await call('sessionsProvider.createGuest', () => sessionsProvider.createGuest());
    await call('sessionsProvider.isGuest', () => sessionsProvider.isGuest(guest.user.id));
    await call('sessionsProvider.upgrade', () =>
      sessionsProvider.upgrade({ userId: guest.user.id, provider: 'x', providerAccountId: guest.user.id }),
    );
    await call('sessionsProvider.impersonate', () => sessionsProvider.impersonate(other.id, user.id));
    await refused('sessionsProvider.revoke', () => sessionsProvider.revoke(`${created.token}x`));

    const pair = await call('refresh.issue', () => refresh.issue({ userId: user.id }));
    const next = await call('refresh.refresh', () => refresh.refresh(pair.refreshToken));
    await call('refresh.refresh', () => refresh.refresh(next.refreshToken));
    await refused('refresh.refresh', () => refresh.refresh(pair.refreshToken));
    await call('refresh.revoke', () => refresh.revoke(next.refreshToken));
    const families = await call('refresh.list', () => refresh.list(user.id));
    await call('refresh.revokeFamily', () => refresh.revokeFamily(families[0]?.id ?? user.id));
    await call('refresh.revokeAllForUser', () => refresh.revokeAllForUser(user.id));

    const { key, record } = await call('apiKeys.create', () =>
      apiKeys.create({ userId: user.id, name: 'CI' }),
    );
    await call('apiKeys.verify', () => apiKeys.verify(key));
    await call('apiKeys.list', () => apiKeys.list({ userId: user.id }));
    await call('apiKeys.revoke', () => apiKeys.revoke(record.id));
    await refused('apiKeys.verify', () => apiKeys.verify(key));

    const { org } = await call('orgs.create', () => orgs.create({ name: 'Acme', ownerUserId: user.id }));
    await call('orgs.get', () => orgs.get(org.id));
    const { token } = await call('orgs.invite', () => orgs.invite({ orgId: org.id, email: other.email! }));
    await call('orgs.listInvites', () => orgs.listInvites(org.id));
    await call('orgs.revokeInvite', () => orgs.revokeInvite(org.id, other.id));
    await call('orgs.previewInvite', () => orgs.previewInvite(token));
    await refused('orgs.previewInvite', () => orgs.previewInvite(`${token}x`));
    await refused('orgs.acceptInvite', () => orgs.acceptInvite(token, user.id));
    await call('orgs.acceptInvite', () => orgs.acceptInvite(token, other.id));
    await refused('orgs.acceptInvite', () => orgs.acceptInvite(token, other.id));
    await call('orgs.findJoined', () => orgs.findJoined(token, other.id));
    await call('orgs.listForUser', () => orgs.listForUser(other.id));
    await call('orgs.update', () => orgs.update(org.id, { name: 'Acme' }));
    await call('orgs.listOnlyOwned', () => orgs.listOnlyOwned(user.id));
    await call('orgs.listMembers', () => orgs.listMembers(org.id));
    await call('orgs.roleOf', () => orgs.roleOf(org.id, other.id));
    await call('orgs.assertRole', () => orgs.assertRole(org.id, other.id, 'member'));
    await call('orgs.setRole', () => orgs.setRole(org.id, other.id, 'admin'));
    await call('orgs.removeMember', () => orgs.removeMember(org.id, other.id));
    const { token: unwanted } = await call('orgs.invite', () =>
      orgs.invite({ orgId: org.id, email: other.email! }),
    );
    await refused('orgs.declineInvite', () => orgs.declineInvite(unwanted, user.id));
    await call('orgs.declineInvite', () => orgs.declineInvite(unwanted, other.id));
    await call('orgs.addMember', () => orgs.addMember(org.id, other.id, 'owner'));

    const phone = '+12125550199';
    const sendCode = () => call('phoneOtp.sendCode', () => phoneOtp.sendCode({ phone }));
    const signIn = () =>
      call('phoneOtp.verify', () =>
        phoneOtp.verify({ phone, code: texts.lastCode(phone)! }, { startSession: true }),
      );
    await sendCode();
    await refused('phoneOtp.verify', () => phoneOtp.verify({ phone, code: 'none' }));
    const { id } = (await phoneOtp.verify({ phone, code: texts.lastCode(phone)! })).user;
    const added = { userId: id, phone: '+12125550198' };
    await call('phoneOtp.sendLinkCode', () => phoneOtp.sendLinkCode(added));
    await refused('phoneOtp.link', () => phoneOtp.link({ ...added, code: 'none' }));
    const linked = await call('phoneOtp.link', () =>
      phoneOtp.link({ ...added, code: texts.lastCode(added.phone)! }),
    );
    await call('phoneOtp.countries', async () => phoneOtp.countries());
    await call('phoneOtp.list', () => phoneOtp.list(id));
    await call('phoneOtp.remove', () => phoneOtp.remove(id, linked.phone.id));
    const { secret } = await call('totp.beginEnrollment', () => totp.beginEnrollment(id));
    await refused('totp.confirmEnrollment', () => totp.confirmEnrollment(id, 'none'));
    const { recoveryCodes } = await call('totp.confirmEnrollment', () =>
      totp.confirmEnrollment(id, codeAt(secret, clock.now())),
    );
    clock.advance(30_000);
    await call('totp.verify', () => totp.verify(id, codeAt(secret, clock.now())));
    await call('totp.verify', () => totp.verify(id, recoveryCodes[0]!));
    await call('totp.verifyRecoveryCode', () => totp.verifyRecoveryCode(id, recoveryCodes[0]!));
    await call('totp.verifyRecoveryCode', () => totp.verifyRecoveryCode(id, recoveryCodes[0]!));
    await call('totp.isEnabled', () => totp.isEnabled(id));
    await call('totp.state', () => totp.state(id));
    await call('totp.countRecoveryCodes', () => totp.countRecoveryCodes(id));
    const another = await call('totp.beginEnrollment', () => totp.beginEnrollment(id));
    await refused('totp.addApp', () => totp.addApp({ userId: id, code: 'none' }));
    const second = await call('totp.addApp', () =>
      totp.addApp({ userId: id, name: 'Tablet', code: codeAt(another.secret, clock.now()) }),
    );
    await call('totp.listApps', () => totp.listApps(id));
    await call('totp.renameApp', () => totp.renameApp({ userId: id, id: second.app.id, name: 'Phone' }));
    await call('totp.removeApp', () => totp.removeApp({ userId: id, id: second.app.id }));
    const [fresh, ...unused] = await call('totp.regenerateRecoveryCodes', () =>
      totp.regenerateRecoveryCodes(id),
    );
    await sendCode();
    const { pending } = await signIn();
    await refused('totp.finishSignIn', () => totp.finishSignIn({ token: pending!.token, code: 'none' }));
    await call('totp.finishSignIn', () =>
      totp.finishSignIn({ token: pending!.token, recoveryCode: fresh! }, { startSession: true }),
    );
    await refused('totp.finishSignIn', () =>
      totp.finishSignIn({ token: pending!.token, recoveryCode: unused[0]! }),
    );
    await call('account.exportData', () => account.exportData(id));
    // One enrollment remains, so that the database contains a secret to search for.
    await call('totp.beginEnrollment', () => totp.beginEnrollment(id));
    await call('totp.beginEnrollment', () => totp.beginEnrollment(other.id));
    await call('totp.disable', () => totp.disable(other.id));
    await sendCode();

    const { user: newcomer } = await service.emailPassword.signup({
      email: uniqueEmail(),
      password: 'correct horse battery',
    });
    await call('account.sendVerification', () => account.sendVerification(newcomer.id));
    const proof = mail.lastCode(newcomer.email!)!;
    await refused('account.verifyEmail', () =>
      account.verifyEmail({ userId: newcomer.id, code: `${proof}0` }),
    );
    await call('account.verifyEmail', () => account.verifyEmail({ userId: newcomer.id, code: proof }));
    const email = uniqueEmail();
    await call('account.requestEmailChange', () =>
      account.requestEmailChange({ userId: newcomer.id, email }),
    );
    const change = { code: mail.lastCode(email)!, currentCode: mail.lastCode(newcomer.email!)! };
    await call('account.confirmEmailChange', () =>
      account.confirmEmailChange({ userId: newcomer.id, email, ...change }),
    );
    await call('account.summary', () => account.summary(user.id));
    await call('account.changeProfile', () => account.changeProfile({ userId: user.id, name: 'Ada' }));
    await call('account.setLanguage', () => account.setLanguage({ userId: user.id, language: 'de' }));
    await call('account.exportData', () => account.exportData(user.id));
    await refused('orgs.delete', () => orgs.delete(token));
    await call('orgs.delete', () => orgs.delete(org.id));
    await call('sessionsProvider.revokeAll', () => sessionsProvider.revokeAll(user.id));
    await call('account.deleteUser', () => account.deleteUser(user.id));
    await settleService(test);

    // Every method of these providers was called.
    const providers = { sessionsProvider, refresh, apiKeys, orgs, account, totp, phoneOtp };
    const inner = [
      'constructor',
      'registerUserData',
      'pairOf',
      'checkSize',
      'open',
      'macs',
      'upsert',
      'change',
      'existing',
      'grantableScopes',
      'mailsInvites',
      'mailsCodes',
      'withAddress',
      'tryRecoveryCode',
      'report',
      'ownerOf',
      'keys',
      'parse',
      'isAllowed',
      'mailOptions',
      'notify',
      'ownPhone',
      'resolve',
      'insert',
      'listedOwner',
      'revokedOwner',
      'acceptsForeign',
      'findOwn',
      'findForeign',
      'finishWith',
      'hasMoved',
      'refusal',
    ];
    const methods = Object.entries(providers).flatMap(([name, provider]) =>
      Object.getOwnPropertyNames(Object.getPrototypeOf(provider))
        .filter((method) => !inner.includes(method))
        .map((method) => `${name}.${method}`),
    );
    expect([...called].sort()).toEqual(methods.sort());

    expect(secrets.size).toBeGreaterThanOrEqual(35);
    // A recovery code is the shortest: ten characters in two groups.
    expect([...secrets].filter((each) => each.length < 11)).toEqual([]);
    const emittedAndLogged = JSON.stringify([await test.takeEvents(), test.log]);
    const outputs = JSON.stringify(visible) + emittedAndLogged;
    expect(emittedAndLogged).not.toContain(phone.slice(4));
    for (const { body } of texts.messages) {
      // Six digits may be part of an identifier.
      const [code] = body.match(/\d{6}/)!;
      expect(outputs).not.toMatch(new RegExp(`(?<![\\w-])${code}(?![\\w-])`));
    }
    // A secret may also leak in parts.
    const parts = [...secrets, encryptionKey].flatMap((each) => [
      each,
      each.replaceAll('-', ''),
      ...each.split(/[._=]/).filter((part) => part.length > 40),
    ]);
    for (const part of parts) expect(outputs).not.toContain(part);
    expect(outputs).not.toMatch(
      /passwordHash|secretHash|sessionsValidAfter|cheap\$|"epoch"|"digest"|v1\.[\w-]{8}\.|eyJ[\w-]+\./,
    );

    if (!sql) return;
    const tables = await sql(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );
    for (const { name } of tables) {
      const rows = JSON.stringify(await sql(`select * from "${String(name)}"`));
      for (const part of parts) expect([name, rows.includes(part)]).toEqual([name, false]);
    }
  });
});
