// Export of account data, and the account summary (specification 4.3 `account`;
// docs/security-requirements.md A-12, C-34).
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeAdapters } from '../support/describe-adapters.js';
import { unknownId, invalidIds } from '../support/make-pro-service.js';
import { outcomeOf } from '../support/outcomes.js';
import { outbox } from 'svc-auth/testing';
import { accountData } from './account-data.js';
import { totpUsers } from './totp-users.js';

describeAdapters('Account exports', (on) => {
  const { uniqueEmail, adapter, sql } = on;
  const { makePro, verifiedUser, unverifiedUser, richUser, neighbors } = accountData(on);

  describe('exportData', () => {
    it('exports all data of the user, as version 1', async () => {
      const test = await makePro();
      const { first, org, second, sent, received } = await neighbors(test);
      const { user, pair, own, email } = first;
      const now = new Date(test.clock.now());
      const stored = (await adapter().users.findById(user.id))!;
      const exported = await test.service.account.exportData(user.id);
      expect(exported).toEqual({
        version: 1,
        exportedAt: now,
        user: { ...user, updatedAt: stored.updatedAt },
        hasPassword: true,
        username: null,
        externalId: null,
        roles: [],
        blocked: null,
        lastSignInAt: expect.any(Date),
        language: null,
        identities: [
          {
            id: user.id,
            userId: user.id,
            provider: 'google',
            providerAccountId: `google-${user.id}`,
            createdAt: expect.any(Date),
          },
        ],
        passkeys: [],
        totp: { enabledAt: null, recoveryCodesLeft: 0, apps: [], email: false, preferred: null },
        trustedBrowsers: [],
        sessions: [
          expect.objectContaining({
            userId: user.id,
            device: { userAgent: 'Test/1', ip: '192.0.2.9' },
            revokedAt: expect.any(Date),
          }),
          expect.objectContaining({ userId: user.id, revokedAt: null }),
        ],
        refreshFamilies: [
          {
            id: pair.familyId,
            claims: { plan: 'team' },
            device: { name: 'Phone' },
            createdAt: expect.any(Date),
            expiresAt: pair.refreshExpiresAt,
            revokedAt: null,
          },
        ],
        connectedApps: [],
        apiKeys: [own.record],
        memberships: [{ orgId: org.id, userId: user.id, role: 'admin', createdAt: expect.any(Date) }],
        invites: [
          { ...sent.invite, email: sent.invite.email.replace(/^(.).*@/, '$1***@') },
          { ...received.invite, email, invitedByUserId: null },
        ],
        contributions: {},
      });
      expect(received.invite.orgId).toBe(second.id);
    });

    it('exports the user name, the roles, the last sign-in and the block without its reason', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const username = `ada${user.id.slice(-12)}`;
      const { users, sessionsProvider, account } = test.service;
      await users.update(user.id, { username, roles: ['support'] });
      await sessionsProvider.create({ userId: user.id });
      const at = new Date(test.clock.now());
      const until = new Date(at.getTime() + 60_000);
      await users.block(user.id, { until, reason: 'Reported by Grace' });
      test.clock.advance(120_000);
      const exported = await account.exportData(user.id);
      const blocked = { at, until };
      expect(exported).toMatchObject({ username, roles: ['support'], lastSignInAt: at, blocked });
      expect(JSON.stringify(exported)).not.toContain('Grace');
    });

    it('exports the choices of the second step', async () => {
      const totp = { email: true, sender: outbox() };
      const { test, user } = await totpUsers(on).enrolledUser({ providers: { account: true, totp } });
      const { account, secondFactor } = test.service;
      const choices = async () => (await account.exportData(user.id)).totp;
      const recoveryCodesLeft = 10;
      expect(await choices()).toMatchObject({ recoveryCodesLeft, email: false, preferred: null });
      await secondFactor.enableEmail(user.id);
      await secondFactor.setPreferred({ userId: user.id, method: 'email' });
      expect(await choices()).toMatchObject({ recoveryCodesLeft, email: true, preferred: 'email' });
    });

    it('exports JSON, with dates in ISO 8601', async () => {
      const test = await makePro();
      const { first } = await neighbors(test);
      const exported = await test.service.account.exportData(first.user.id);
      const text = JSON.stringify(exported);
      expect(JSON.parse(text)).toMatchObject({ version: 1, exportedAt: exported.exportedAt.toISOString() });
    });

    // A-12, C-34
    it('exports no secret and nothing of another user', async () => {
      const test = await makePro();
      const { first, other, third, theirs } = await neighbors(test);
      const text = JSON.stringify(await test.service.account.exportData(first.user.id));
      for (const secret of [...first.secrets, ...other.secrets]) expect(text).not.toContain(secret);
      for (const foreign of [other.user.id, other.email, third, theirs.record.id])
        expect(text).not.toContain(foreign);
      expect(text).not.toMatch(/passwordHash|secretHash|epoch|sessionsValidAfter|digest|counter|cheap\$|eyJ/);
      if (!sql) return;
      const columns = [
        ['svc_users', 'password_hash'],
        ['svc_api_keys', 'secret_hash'],
        ['svc_org_invites', 'digest'],
        ['svc_one_time_codes', 'code_hash'],
        ['svc_single_use_tokens', 'digest'],
      ];
      for (const [table, column] of columns) {
        const rows = await sql(`select ${column} as secret from ${table} where ${column} is not null`);
        expect(rows.length).toBeGreaterThan(0);
        for (const { secret } of rows) expect(text).not.toContain(secret);
      }
    });

    // C-34
    it('exports no invites for an address that the user has not verified', async () => {
      const test = await makePro();
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      const email = uniqueEmail();
      await test.service.orgs.invite({ orgId: org.id, email, role: 'admin' });
      const squatter = await unverifiedUser(test, email);
      const text = JSON.stringify(await test.service.account.exportData(squatter.id));
      expect(text).not.toContain(org.id);
      await verifiedUser(test, email);
      expect((await test.service.account.exportData(squatter.id)).invites).toHaveLength(1);
    });

    it('exports empty lists for a new user and for a guest', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const guest = await test.service.sessionsProvider.createGuest();
      const empty = {
        hasPassword: false,
        identities: [],
        refreshFamilies: [],
        apiKeys: [],
        memberships: [],
        invites: [],
      };
      expect(await test.service.account.exportData(user.id)).toMatchObject({ ...empty, user, sessions: [] });
      const exported = await test.service.account.exportData(guest.user.id);
      expect(exported).toMatchObject({ ...empty, user: guest.user, sessions: [guest.session] });
    });

    it('changes nothing and emits no event', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      await test.takeEvents();
      const first = await test.service.account.exportData(user.id);
      expect(await test.service.account.exportData(user.id)).toEqual(first);
      expect(await test.takeEvents()).toEqual([]);
    });

    it('exports without the other Pro repositories', async () => {
      const { refreshFamilies, apiKeys, orgs, guests, ...rest } = adapter();
      expect([refreshFamilies, apiKeys, orgs, guests]).not.toContain(undefined);
      const test = await makePro({
        adapter: rest,
        providers: { sessions: undefined, refresh: undefined, apiKeys: undefined, orgs: undefined },
      });
      const user = await verifiedUser(test);
      expect(await test.service.account.exportData(user.id)).toMatchObject({
        refreshFamilies: [],
        apiKeys: [],
      });
    });

    it('rejects the export of an unknown user with user_not_found and calls no handler', async () => {
      const test = await makePro();
      const handlerCalls: unknown[] = [];
      test.service.account.registerUserData('orders', { exportData: (userId) => handlerCalls.push(userId) });
      for (const id of invalidIds) {
        expect(await outcomeOf(() => test.service.account.exportData(id as string))).toBe('user_not_found');
      }
      expect(handlerCalls).toEqual([]);
    });

    it('exports exactly the fields described in docs/providers/account.md', async () => {
      const test = await makePro();
      const exported = await test.service.account.exportData((await verifiedUser(test)).id);
      const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/providers/account.md'), 'utf8');
      const described = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
      expect(described).toEqual(
        Object.keys(exported).sort((a, b) => described.indexOf(a) - described.indexOf(b)),
      );
    });
  });

  describe('the account summary', () => {
    it('returns the user, and whether they have a password and are a guest', async () => {
      const test = await makePro();
      const { account, sessionsProvider } = test.service;
      const [withPassword, withoutPassword] = [await unverifiedUser(test), await verifiedUser(test)];
      const { user: guest } = await sessionsProvider.createGuest();
      const european = ['en', 'de', 'fr', 'es', 'es-419', 'pt', 'pt-PT', 'it', 'nl', 'sv', 'pl', 'tr'];
      const languages = [...european, 'ja', 'ko', 'zh-Hans', 'zh-Hant', 'uk', 'ar'];
      const unchosen = { language: null, languages };
      expect(await account.summary(withPassword.id)).toEqual({
        user: withPassword,
        hasPassword: true,
        isGuest: false,
        ...unchosen,
      });
      expect(await account.summary(withoutPassword.id)).toEqual({
        user: withoutPassword,
        hasPassword: false,
        isGuest: false,
        ...unchosen,
      });
      expect(await account.summary(guest.id)).toEqual({
        user: guest,
        hasPassword: false,
        isGuest: true,
        ...unchosen,
      });
      expect(await outcomeOf(() => account.summary(unknownId))).toBe('user_not_found');
    });
  });
});
