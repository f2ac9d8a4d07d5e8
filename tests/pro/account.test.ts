// Export and deletion (specification 4.3 `account`; docs/security-requirements.md, C-34).
import type { Knex } from 'knex';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { OrgError, type ServiceUser } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { day, minute, nobody, oddIds, pro, settled, type ProService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';

const password = 'correct horse battery';

describeAdapters('Accounts', ({ make, person, adapter, sql }) => {
  const { makePro, verifiedUser, unverifiedUser } = pro({ make, person });

  /** A user of whom the engine holds something in every table, and what of it is secret. */
  async function richUser(test: ProService) {
    const { service } = test;
    const secrets: string[] = [];
    const email = person();
    const code = await (async () => {
      await service.emailCode.sendCode({ email });
      return test.mail.lastCode(email)!;
    })();
    const signedIn = await service.emailCode.verify(
      { email, code },
      { startSession: true, userAgent: 'Test/1', ip: '192.0.2.9' },
    );
    const { user } = signedIn;
    const context = { sessionToken: signedIn.session!.token, startSession: true };
    // A millisecond tells what is older.
    test.clock.advance(1);
    await service.emailPassword.signup({ email, password }, context);
    const login = await service.emailPassword.login({ email, password }, context);
    await service.emailCode.sendCode({ email });
    const { url } = await service.magicLink.sendLink({ email });
    await service.emailPassword.requestReset({ email });
    await settled(test);
    const pair = await service.refresh.issue({
      userId: user.id,
      claims: { plan: 'team' },
      device: { name: 'Phone' },
    });
    const own = await service.apiKeys.create({ userId: user.id, name: 'own', metadata: { use: 'CI' } });
    const identity = {
      id: user.id,
      userId: user.id,
      provider: 'google',
      providerAccountId: `google-${user.id}`,
      createdAt: new Date(test.clock.now()),
    };
    expect(await adapter().identities.link(identity, 0)).toBe(true);
    secrets.push(
      code,
      signedIn.session!.token,
      login.session!.token,
      pair.accessToken,
      pair.refreshToken,
      own.key,
    );
    secrets.push(new URL(url).searchParams.get('token')!, test.mail.lastLink(email)!, own.key.split('_')[2]!);
    return { user, email, secrets, pair, own, url };
  }

  /** Two users in one organisation who know of each other in every way there is. */
  async function neighbours(test: ProService) {
    const [one, other] = [await richUser(test), await richUser(test)];
    const { orgs, apiKeys } = test.service;
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: other.user.id });
    await orgs.addMember(org.id, one.user.id, 'admin');
    const theirs = await apiKeys.create({ orgId: org.id, name: 'of the organisation' });
    const third = person();
    const sent = await orgs.invite({ orgId: org.id, email: third, invitedByUserId: one.user.id });
    test.clock.advance(1);
    const second = await orgs.create({ name: 'Second', ownerUserId: other.user.id });
    const received = await orgs.invite({
      orgId: second.org.id,
      email: one.email,
      invitedByUserId: other.user.id,
    });
    one.secrets.push(theirs.key, sent.token, received.token);
    return { one, other, org, second: second.org, third, sent, received, theirs };
  }

  describe('exportData', () => {
    it('has all that is held about the user, as version 1', async () => {
      const test = await makePro();
      const { one, org, second, sent, received } = await neighbours(test);
      const { user, pair, own, email } = one;
      const now = new Date(test.clock.now());
      const stored = (await adapter().users.findById(user.id))!;
      const exported = await test.service.account.exportData(user.id);
      expect(exported).toEqual({
        version: 1,
        exportedAt: now,
        user: { ...user, updatedAt: stored.updatedAt },
        hasPassword: true,
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
        totp: { enabledAt: null, recoveryCodesLeft: 0 },
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

    it('is JSON, with dates as ISO 8601', async () => {
      const test = await makePro();
      const { one } = await neighbours(test);
      const exported = await test.service.account.exportData(one.user.id);
      const text = JSON.stringify(exported);
      expect(JSON.parse(text)).toMatchObject({ version: 1, exportedAt: exported.exportedAt.toISOString() });
    });

    it('A-12 C-34 holds no secret and nothing of anybody else', async () => {
      const test = await makePro();
      const { one, other, third, theirs } = await neighbours(test);
      const text = JSON.stringify(await test.service.account.exportData(one.user.id));
      for (const secret of [...one.secrets, ...other.secrets]) expect(text).not.toContain(secret);
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

    it('C-34 to who has not proven the address tells nothing of the invites that were sent to it', async () => {
      const test = await makePro();
      const owner = await verifiedUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: owner.id });
      const email = person();
      await test.service.orgs.invite({ orgId: org.id, email, role: 'admin' });
      const squatter = await unverifiedUser(test, email);
      const text = JSON.stringify(await test.service.account.exportData(squatter.id));
      expect(text).not.toContain(org.id);
      await verifiedUser(test, email);
      expect((await test.service.account.exportData(squatter.id)).invites).toHaveLength(1);
    });

    it('of a user without anything is empty, and of a guest too', async () => {
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

    it('changes nothing and tells of nothing', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      await test.heard();
      const first = await test.service.account.exportData(user.id);
      expect(await test.service.account.exportData(user.id)).toEqual(first);
      expect(await test.heard()).toEqual([]);
    });

    it('works where the other Pro repositories are missing', async () => {
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

    it('of who is no user is user_not_found, and asks no contributor', async () => {
      const test = await makePro();
      const asked: unknown[] = [];
      test.service.account.contribute('orders', { exportData: (userId) => asked.push(userId) });
      for (const id of oddIds) {
        expect(await outcomeOf(() => test.service.account.exportData(id as string))).toBe('user_not_found');
      }
      expect(asked).toEqual([]);
    });

    it('has every field described in docs/providers/account.md', async () => {
      const test = await makePro();
      const exported = await test.service.account.exportData((await verifiedUser(test)).id);
      const page = readFileSync(path.resolve(import.meta.dirname, '../../docs/providers/account.md'), 'utf8');
      const described = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
      expect(described).toEqual(
        Object.keys(exported).sort((a, b) => described.indexOf(a) - described.indexOf(b)),
      );
    });
  });

  describe('deleteUser', () => {
    it('A-50 C-34 ends everything that was the user’s', async () => {
      const test = await makePro();
      const { service } = test;
      const { one, org, sent, received } = await neighbours(test);
      const { user, email, pair, own, url } = one;
      const session = await service.sessionsProvider.create({ userId: user.id });
      const rowless = service.createSessionToken(user.id).token;
      const resetToken = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      const code = test.mail.lastCode(email)!;
      await test.heard();
      expect(await service.account.deleteUser(user.id)).toBeUndefined();
      expect(await test.heard()).toEqual([{ name: 'user.deleted', payload: { userId: user.id } }]);

      expect(await adapter().users.findById(user.id)).toBeNull();
      expect(await adapter().users.findByEmail(email)).toBeNull();
      for (const token of [session.token, rowless, pair.accessToken]) {
        expect(await outcomeOf(() => service.getSessionUser(token))).toBe('user_not_found');
      }
      const outcomes = {
        refresh: await outcomeOf(() => service.refresh.refresh(pair.refreshToken)),
        key: await outcomeOf(() => service.apiKeys.verify(own.key)),
        login: await outcomeOf(() => service.emailPassword.login({ email, password })),
        code: await outcomeOf(() => service.emailCode.verify({ email, code })),
        link: await outcomeOf(() => service.magicLink.verify(new URL(url).searchParams.get('token')!)),
        reset: await outcomeOf(() =>
          service.emailPassword.setPassword({ token: resetToken, newPassword: password }),
        ),
        sentInvite: await outcomeOf(async () =>
          service.orgs.acceptInvite(sent.token, (await verifiedUser(test, sent.invite.email)).id),
        ),
        again: await outcomeOf(() => service.account.deleteUser(user.id)),
      };
      expect(outcomes).toEqual({
        refresh: 'refresh_token_invalid',
        key: 'api_key_invalid',
        login: 'invalid_credentials',
        code: 'code_not_found',
        link: 'token_invalid',
        reset: 'token_invalid',
        sentInvite: 'token_invalid',
        again: 'user_not_found',
      });
      expect(await adapter().identities.findUser('google', `google-${user.id}`)).toBeNull();
      expect((await service.orgs.listMembers(org.id)).map(({ userId }) => userId)).not.toContain(user.id);
      // Who comes back is somebody new, whom the invites to the old account do not wait for.
      const newcomer = await verifiedUser(test, email);
      expect(newcomer.id).not.toBe(user.id);
      expect(await outcomeOf(() => service.orgs.acceptInvite(received.token, newcomer.id))).toBe(
        'token_invalid',
      );
    });

    it('C-34 leaves everybody else as they were', async () => {
      const test = await makePro();
      const { one, other, theirs, org } = await neighbours(test);
      const before = await test.service.account.exportData(other.user.id);
      await test.service.account.deleteUser(one.user.id);
      const after = await test.service.account.exportData(other.user.id);
      expect(after).toEqual({ ...before, invites: expect.any(Array) });
      expect(await outcomeOf(() => test.service.apiKeys.verify(theirs.key))).toBe('ok');
      expect(await test.service.orgs.get(org.id)).not.toBeNull();
    });

    it('A-21 is logged by id', async () => {
      const test = await makePro();
      const { user, email } = await richUser(test);
      await test.service.account.deleteUser(user.id);
      expect(test.log).toContainEqual({
        level: 'info',
        fields: { event: 'user_deleted', userId: user.id },
        message: expect.any(String),
      });
      expect(JSON.stringify(test.log)).not.toContain(email);
    });

    it('of a guest works too', async () => {
      const test = await makePro();
      const { user, token } = await test.service.sessionsProvider.createGuest();
      await test.service.account.deleteUser(user.id);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('user_not_found');
      expect(await outcomeOf(() => test.service.sessionsProvider.isGuest(user.id))).toBe('user_not_found');
    });

    it('C-34 of the last owner of an organisation is org_error: nothing goes, no contributor is asked', async () => {
      const test = await makePro();
      const { user, own } = await richUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const asked: string[] = [];
      test.service.account.contribute('orders', { deleteData: (userId) => void asked.push(userId) });
      const before = await test.service.account.exportData(user.id);
      await test.heard();
      const error = await errorOf(() => test.service.account.deleteUser(user.id));
      expect([error['code'], error.message]).toEqual(['org_error', expect.stringContaining(org.id)]);
      expect(await test.service.account.exportData(user.id)).toEqual(before);
      expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
      expect([asked, await test.heard()]).toEqual([[], []]);
      await test.service.orgs.delete(org.id);
      expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('ok');
      expect(asked).toEqual([user.id]);
    });

    it('of who is no user is user_not_found, and asks no contributor', async () => {
      const test = await makePro();
      const asked: unknown[] = [];
      test.service.account.contribute('orders', { deleteData: (userId) => void asked.push(userId) });
      for (const id of oddIds) {
        expect(await outcomeOf(() => test.service.account.deleteUser(id as string))).toBe('user_not_found');
      }
      expect(asked).toEqual([]);
    });

    it('50 times at once happens once, contributors and event too', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      const asked: string[] = [];
      test.service.account.contribute('orders', { deleteData: async (userId) => void asked.push(userId) });
      await test.heard();
      expect(await race(50, () => test.service.account.deleteUser(user.id))).toEqual({
        ok: 1,
        user_not_found: 49,
      });
      expect(await test.heardNames()).toEqual(['user.deleted']);
      if (sql) expect(asked).toEqual([user.id]);
      else expect(new Set(asked)).toEqual(new Set([user.id]));
    });

    it('while everything is done for the user leaves nothing of theirs, and never fails otherwise than it should', async () => {
      const test = await makePro();
      const { service } = test;
      const { user, email, pair, own } = await richUser(test);
      const heir = await verifiedUser(test);
      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: heir.id });
      const invite = await service.orgs.invite({ orgId: org.id, email });
      const calls = [
        () => service.sessionsProvider.create({ userId: user.id }),
        () => service.refresh.issue({ userId: user.id }),
        () => service.refresh.refresh(pair.refreshToken),
        () => service.apiKeys.create({ userId: user.id, name: 'late' }),
        () => service.apiKeys.verify(own.key),
        () => service.orgs.addMember(org.id, user.id, 'member'),
        () => service.orgs.acceptInvite(invite.token, user.id),
        () => service.orgs.invite({ orgId: org.id, email: person(), invitedByUserId: user.id }),
        () => service.orgs.create({ name: 'Late', ownerUserId: user.id }),
        () => service.account.exportData(user.id),
        () => service.sessionsProvider.revokeAll(user.id),
        () => service.emailPassword.login({ email, password }),
      ];
      const tally = await race(4 * calls.length + 1, (i) =>
        i === 2 * calls.length ? service.account.deleteUser(user.id) : calls[i % calls.length]!(),
      );
      const expected =
        'ok user_not_found token_invalid refresh_token_invalid api_key_invalid org_error not_authorized invalid_credentials';
      expect(Object.keys(tally).filter((outcome) => !expected.split(' ').includes(outcome))).toEqual([]);
      // It may have become an owner meanwhile.
      for (const { orgId, role } of await adapter().orgs!.listForUser(user.id)) {
        if (role === 'owner') await service.orgs.delete(orgId);
      }
      await outcomeOf(() => service.account.deleteUser(user.id));
      await settled(test);
      expect(await adapter().users.findById(user.id)).toBeNull();
      expect(await adapter().apiKeys!.list({ userId: user.id })).toEqual([]);
      expect(await adapter().refreshFamilies!.listForUser(user.id)).toEqual([]);
      expect(await adapter().orgs!.listForUser(user.id)).toEqual([]);
      expect(await adapter().accounts!.listSessions(user.id)).toEqual([]);
      expect(await adapter().orgs!.listInvitesOf({ userId: user.id, email })).toEqual([]);
    });

    if (sql) {
      it('C-34 leaves no row with the id or the address, in any column of any table', async () => {
        const test = await makePro();
        const { one } = await neighbours(test);
        await test.service.account.deleteUser(one.user.id);
        const tables = await sql(
          `select table_name as name from information_schema.tables where table_schema = 'public'`,
        );
        expect(tables.length).toBeGreaterThanOrEqual(11);
        for (const { name } of tables) {
          const rows = (await sql(`select * from "${String(name)}"`)).map((row) => JSON.stringify(row));
          const left = rows.filter((row) => row.includes(one.user.id) || row.includes(one.email));
          expect([name, left]).toEqual([name, []]);
        }
      });

      it('that fails half-way leaves everything', async () => {
        const test = await makePro();
        const { user } = await richUser(test);
        const before = await test.service.account.exportData(user.id);
        await test.heard();
        await sql(
          `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
           create trigger refuse before delete on svc_users for each row execute function refuse()`,
        );
        try {
          expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
        } finally {
          await sql('drop trigger refuse on svc_users; drop function refuse()');
        }
        expect(await test.service.account.exportData(user.id)).toEqual(before);
        expect(await test.heard()).toEqual([]);
      });
    }
  });

  describe('contribute', () => {
    interface Orders {
      rows: Map<string, string[]>;
    }
    const orders = (...users: ServiceUser[]): Orders => ({
      rows: new Map(users.map(({ id }) => [id, [`order of ${id}`]])),
    });

    it('lets the application’s data travel and die with the account', async () => {
      const test = await makePro();
      const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
      const { rows } = orders(user, other);
      test.service.account.contribute('orders', {
        exportData: async (userId) => rows.get(userId) ?? [],
        deleteData: async (userId) => void rows.delete(userId),
      });
      test.service.account.contribute('theme', { exportData: () => ({ dark: true }) });
      test.service.account.contribute('cache', { deleteData: () => undefined });
      const exported = await test.service.account.exportData(user.id);
      expect(exported.contributions).toEqual({ orders: [`order of ${user.id}`], theme: { dark: true } });
      await test.service.account.deleteUser(user.id);
      expect([...rows.keys()]).toEqual([other.id]);
    });

    it('needs a name of its own and something to do', async () => {
      const { service } = await makePro();
      const exportData = () => 1;
      service.account.contribute('orders', { exportData });
      const contribute = (name: unknown, contributor: unknown) =>
        outcomeOf(() => service.account.contribute(name as string, contributor as never));
      const inherited = ['__proto__', 'toJSON', 'constructor', 'hasOwnProperty', 'toString'];
      for (const name of ['orders', '', 7, null, undefined, {}, ...inherited]) {
        expect(await contribute(name, { exportData })).toBe('invalid_request');
      }
      for (const each of [{}, null, undefined, 'x', { exportData: 'x' }, { deleteData: {} }]) {
        expect(await contribute('posts', each)).toBe('invalid_request');
      }
      expect(await contribute('posts', { exportData })).toBe('ok');
    });

    it('takes an instance of a class, and calls its methods as such', async () => {
      class Shop {
        private readonly rows = new Map<string, string>();
        put(userId: string) {
          this.rows.set(userId, 'lamp');
        }
        exportData(userId: string) {
          return this.rows.get(userId);
        }
        deleteData(userId: string) {
          this.rows.delete(userId);
        }
      }
      const test = await makePro();
      const user = await verifiedUser(test);
      const shop = new Shop();
      shop.put(user.id);
      test.service.account.contribute('shop', shop);
      expect((await test.service.account.exportData(user.id)).contributions).toEqual({ shop: 'lamp' });
      await test.service.account.deleteUser(user.id);
      expect(shop.exportData(user.id)).toBeUndefined();
    });

    it('is exported as JSON: dates as texts, and what JSON does not know as null', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.contribute('date', { exportData: () => [new Date(0)] });
      test.service.account.contribute('none', { exportData: () => undefined });
      test.service.account.contribute('function', { exportData: () => () => 1 });
      const { contributions } = await test.service.account.exportData(user.id);
      expect(contributions).toEqual({ date: ['1970-01-01T00:00:00.000Z'], none: null, function: null });
    });

    it('whose export cannot become JSON makes an error that says which', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.contribute('orders', { exportData: () => [] });
      test.service.account.contribute('big', { exportData: () => ({ count: 10n }) });
      const error = await errorOf(() => test.service.account.exportData(user.id));
      expect([error['code'], error.message]).toEqual(['internal_error', expect.stringContaining('"big"')]);
    });

    it('that takes so long that the user is deleted meanwhile makes no export of half a user', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      test.service.account.contribute('slow', {
        exportData: async (userId) => {
          await test.service.account.deleteUser(userId);
          return 1;
        },
      });
      expect(await outcomeOf(() => test.service.account.exportData(user.id))).toBe('user_not_found');
    });

    const misuses: Record<string, [(transaction: Knex.Transaction) => unknown, string]> = {
      'rolls the transaction back': [(transaction) => transaction.rollback(), 'ended the transaction'],
      'rolls the transaction back with an error': [
        (transaction) => transaction.rollback(new Error('mine')),
        'ended the transaction',
      ],
      'commits the transaction': [(transaction) => transaction.commit(), 'ended the transaction'],
      'commits the transaction and fails': [
        async (transaction) => {
          await transaction.commit();
          throw new Error('mine');
        },
        'ended the transaction',
      ],
      'sends a commit as a statement': [(transaction) => transaction.raw('commit'), 'ended the transaction'],
      'hides a failed statement': [
        (transaction) => transaction.raw('select * from no_such_table').catch(() => undefined),
        'hid the failure of a statement',
      ],
      'does not wait for a statement that fails': [
        (transaction) => {
          void transaction.raw('select * from no_such_table').catch(() => undefined);
        },
        'hid the failure of a statement',
      ],
    };

    it.each(Object.entries(misuses))(
      'C-34 that %s is named, and neither the account nor a guest is half deleted',
      async (_name, [misuse, expected]) => {
        const test = await makePro();
        const { user } = await richUser(test);
        const { user: guest } = await test.service.sessionsProvider.createGuest();
        let isSql = false;
        test.service.account.contribute('first', { deleteData: () => undefined });
        test.service.account.contribute('posts', {
          async deleteData(_userId, { transaction }) {
            isSql = transaction !== undefined;
            if (isSql) await misuse(transaction as Knex.Transaction);
          },
        });
        const asked: string[] = [];
        test.service.account.contribute('last', { deleteData: (userId) => void asked.push(userId) });
        const before = await test.service.account.exportData(user.id);
        await test.heard();
        const outcome = await test.service.account.deleteUser(user.id).catch((error: unknown) => error);
        if (!isSql) return expect(outcome).toBeUndefined();
        expect(outcome).toMatchObject({
          code: 'internal_error',
          message: expect.stringContaining(`"posts" ${expected}`),
        });
        expect(await test.service.account.exportData(user.id)).toEqual(before);
        test.clock.advance(30 * day);
        await test.service.purgeExpired();
        expect(await test.service.sessionsProvider.isGuest(guest.id)).toBe(true);
        expect(asked).toEqual([]);
        expect(await test.heardNames()).not.toContain('user.deleted');
      },
    );

    const failures: Record<string, () => unknown> = {
      rejects: () => Promise.reject(new Error('shop is down')),
      throws: () => {
        throw new Error('shop is down');
      },
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the test is about
      'rejects with nothing': () => Promise.reject(undefined),
      'throws an error of this library': () => {
        throw new OrgError('an organisation of the shop');
      },
    };

    it.each(Object.entries(failures))(
      'whose export %s makes an error that says which',
      async (_name, fail) => {
        const test = await makePro();
        const user = await verifiedUser(test);
        test.service.account.contribute('orders', { exportData: () => [] });
        test.service.account.contribute('posts', { exportData: fail });
        const error = await errorOf(() => test.service.account.exportData(user.id));
        expect([error['code'], error.message]).toEqual([
          'internal_error',
          expect.stringContaining('"posts"'),
        ]);
      },
    );

    it.each(Object.entries(failures))(
      'C-34 whose deletion %s leaves everything, says which, and may be tried again',
      async (_name, fail) => {
        const test = await makePro();
        const { user, own } = await richUser(test);
        const session = await test.service.sessionsProvider.create({ userId: user.id });
        const asked: string[] = [];
        let broken = true;
        test.service.account.contribute('first', { deleteData: () => void asked.push('first') });
        test.service.account.contribute('posts', {
          deleteData: () => (broken ? fail() : undefined) as undefined,
        });
        test.service.account.contribute('last', { deleteData: () => void asked.push('last') });
        const before = await test.service.account.exportData(user.id);
        await test.heard();
        const error = await errorOf(() => test.service.account.deleteUser(user.id));
        expect([error['code'], error.message]).toEqual([
          'internal_error',
          expect.stringContaining('"posts"'),
        ]);
        expect(asked).toEqual(['first']);
        expect(await test.service.account.exportData(user.id)).toEqual(before);
        expect(await outcomeOf(() => test.service.getSessionUser(session.token))).toBe('ok');
        expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
        expect(await test.heard()).toEqual([]);
        broken = false;
        await test.service.account.deleteUser(user.id);
        expect(asked).toEqual(['first', 'first', 'last']);
        expect(await test.heardNames()).toEqual(['user.deleted']);
      },
    );

    it('that is asked to delete finds the user still there, in the transaction that the account goes in', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      const seen: unknown[] = [];
      let isSql = false;
      test.service.account.contribute('look', {
        async deleteData(userId, { transaction }) {
          isSql = transaction !== undefined;
          if (!isSql) return;
          const knex = transaction as Knex.Transaction;
          seen.push(await knex('svc_users').where({ id: userId }).count<{ count: unknown }[]>());
          await knex('svc_users').where({ id: userId }).update({ metadata: '{"touched":true}' });
        },
      });
      test.service.account.contribute('fail', { deleteData: () => Promise.reject(new Error('no')) });
      expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
      // What it wrote went back with everything else.
      expect((await adapter().users.findById(user.id))?.metadata).toEqual({});
      if (isSql) expect(seen).toEqual([[{ count: expect.anything() }]]);
      expect(isSql).toBe(sql !== undefined || seen.length > 0);
    });

    if (sql) {
      it('of tables in the same database deletes with the account or not at all', async () => {
        await sql(
          'create table app_orders (id serial primary key, user_id uuid not null references svc_users (id))',
        );
        try {
          const test = await makePro();
          const [user, other] = [await verifiedUser(test), await verifiedUser(test)];
          await sql(
            `insert into app_orders (user_id) values ('${user.id}'), ('${user.id}'), ('${other.id}')`,
          );
          const owners = async () =>
            (await sql('select user_id from app_orders')).map((row) => row['user_id']);
          let broken = true;
          test.service.account.contribute('orders', {
            deleteData: async (userId, { transaction }) => {
              await (transaction as Knex.Transaction)('app_orders').where({ user_id: userId }).delete();
            },
          });
          test.service.account.contribute('search index', {
            deleteData: () => (broken ? Promise.reject(new Error('no')) : undefined),
          });
          expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
          expect(await owners()).toEqual([user.id, user.id, other.id]);
          broken = false;
          await test.service.account.deleteUser(user.id);
          expect(await owners()).toEqual([other.id]);
          expect(await adapter().users.findById(user.id)).toBeNull();
        } finally {
          await sql('drop table app_orders');
        }
      });

      it('that forgot a table which references the user makes the deletion fail whole', async () => {
        await sql('create table app_posts (user_id uuid not null references svc_users (id))');
        try {
          const test = await makePro();
          const { user } = await richUser(test);
          await sql(`insert into app_posts values ('${user.id}')`);
          const before = await test.service.account.exportData(user.id);
          expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('internal_error');
          expect(await test.service.account.exportData(user.id)).toEqual(before);
        } finally {
          await sql('drop table app_posts');
        }
      });
    }

    it('is asked one after the other, in the order they came', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const order: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        test.service.account.contribute(name, {
          async exportData() {
            order.push(`${name} begins`);
            await new Promise((resolve) => setImmediate(resolve));
            order.push(`${name} ends`);
            return name;
          },
        });
      }
      await test.service.account.exportData(user.id);
      expect(order).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    });
  });

  it('purgeExpired later finds nothing to stumble over', async () => {
    const test = await makePro();
    const { user } = await richUser(test);
    await test.service.account.deleteUser(user.id);
    test.clock.advance(60 * day + minute);
    expect(await outcomeOf(() => test.service.purgeExpired())).toBe('ok');
    expect(await adapter().users.findById(nobody)).toBeNull();
  });
});
