// Deletion of accounts (specification 4.3 `account`; docs/security-requirements.md A-50, C-34).
import { describeAdapters } from '../support/describe-adapters.js';
import { day, minute, unknownId, invalidIds, settleService } from '../support/make-pro-service.js';
import { errorOf, outcomeOf, race } from '../support/outcomes.js';
import { accountData, password } from './account-data.js';

describeAdapters('Account deletion', (on) => {
  const { uniqueEmail, adapter, sql } = on;
  const { makePro, verifiedUser, richUser, neighbors } = accountData(on);

  describe('deleteUser', () => {
    // A-50, C-34
    it('ends all access of the user, and removes all data', async () => {
      const test = await makePro();
      const { service } = test;
      const { first, org, sent, received } = await neighbors(test);
      const { user, email, pair, own, url } = first;
      const session = await service.sessionsProvider.create({ userId: user.id });
      const rowless = service.createSessionToken(user.id).token;
      const resetToken = new URL(test.mail.lastLink(email)!).searchParams.get('token')!;
      const code = test.mail.lastCode(email)!;
      await test.takeEvents();
      expect(await service.account.deleteUser(user.id)).toBeUndefined();
      expect(await test.takeEvents()).toEqual([{ name: 'user.deleted', payload: { userId: user.id } }]);

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
      // The same address creates another user, to whom earlier invites do not apply.
      const newcomer = await verifiedUser(test, email);
      expect(newcomer.id).not.toBe(user.id);
      expect(await outcomeOf(() => service.orgs.acceptInvite(received.token, newcomer.id))).toBe(
        'token_invalid',
      );
    });

    // C-34
    it('leaves other users unchanged', async () => {
      const test = await makePro();
      const { first, other, theirs, org } = await neighbors(test);
      const before = await test.service.account.exportData(other.user.id);
      await test.service.account.deleteUser(first.user.id);
      const after = await test.service.account.exportData(other.user.id);
      expect(after).toEqual({ ...before, invites: expect.any(Array) });
      expect(await outcomeOf(() => test.service.apiKeys.verify(theirs.key))).toBe('ok');
      expect(await test.service.orgs.get(org.id)).not.toBeNull();
    });

    //
    it('logs the deletion with the user id, without the address', async () => {
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

    it('deletes a guest', async () => {
      const test = await makePro();
      const { user, token } = await test.service.sessionsProvider.createGuest();
      await test.service.account.deleteUser(user.id);
      expect(await outcomeOf(() => test.service.getSessionUser(token))).toBe('user_not_found');
      expect(await outcomeOf(() => test.service.sessionsProvider.isGuest(user.id))).toBe('user_not_found');
    });

    // C-34
    it('rejects the deletion of the last owner of an organization with org_error and calls no handler', async () => {
      const test = await makePro();
      const { user, own } = await richUser(test);
      const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      const deletedIds: string[] = [];
      test.service.account.registerUserData('orders', {
        deleteData: (userId) => void deletedIds.push(userId),
      });
      const before = await test.service.account.exportData(user.id);
      await test.takeEvents();
      const error = await errorOf(() => test.service.account.deleteUser(user.id));
      expect([error['code'], error.message]).toEqual(['org_error', expect.stringContaining(org.id)]);
      expect(await test.service.account.exportData(user.id)).toEqual(before);
      expect(await outcomeOf(() => test.service.apiKeys.verify(own.key))).toBe('ok');
      expect([deletedIds, await test.takeEvents()]).toEqual([[], []]);
      await test.service.orgs.delete(org.id);
      expect(await outcomeOf(() => test.service.account.deleteUser(user.id))).toBe('ok');
      expect(deletedIds).toEqual([user.id]);
    });

    it('rejects the deletion of an unknown user with user_not_found and calls no handler', async () => {
      const test = await makePro();
      const handlerCalls: unknown[] = [];
      test.service.account.registerUserData('orders', {
        deleteData: (userId) => void handlerCalls.push(userId),
      });
      for (const id of invalidIds) {
        expect(await outcomeOf(() => test.service.account.deleteUser(id as string))).toBe('user_not_found');
      }
      expect(handlerCalls).toEqual([]);
    });

    it('deletes a user once in 50 concurrent calls, with its handlers and event', async () => {
      const test = await makePro();
      const { user } = await richUser(test);
      const deletedIds: string[] = [];
      test.service.account.registerUserData('orders', {
        deleteData: async (userId) => void deletedIds.push(userId),
      });
      await test.takeEvents();
      expect(await race(50, () => test.service.account.deleteUser(user.id))).toEqual({
        ok: 1,
        user_not_found: 49,
      });
      expect(await test.takeEventNames()).toEqual(['user.deleted']);
      if (sql) expect(deletedIds).toEqual([user.id]);
      else expect(new Set(deletedIds)).toEqual(new Set([user.id]));
    });

    it('removes all data of a user who is active at the same time, with the documented errors only', async () => {
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
        () => service.orgs.invite({ orgId: org.id, email: uniqueEmail(), invitedByUserId: user.id }),
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
      // The user may have become an owner in the meantime.
      for (const { orgId, role } of await adapter().orgs!.listForUser(user.id)) {
        if (role === 'owner') await service.orgs.delete(orgId);
      }
      await outcomeOf(() => service.account.deleteUser(user.id));
      await settleService(test);
      expect(await adapter().users.findById(user.id)).toBeNull();
      expect(await adapter().apiKeys!.list({ userId: user.id })).toEqual([]);
      expect(await adapter().refreshFamilies!.listForUser(user.id)).toEqual([]);
      expect(await adapter().orgs!.listForUser(user.id)).toEqual([]);
      expect(await adapter().accounts!.listSessions(user.id)).toEqual([]);
      expect(await adapter().orgs!.listInvitesOf({ userId: user.id, email })).toEqual([]);
    });

    if (sql) {
      // C-34
      it('leaves no row with the id or the address, in any column of any table', async () => {
        const test = await makePro();
        const { first } = await neighbors(test);
        await test.service.account.deleteUser(first.user.id);
        const tables = await sql(
          `select table_name as name from information_schema.tables where table_schema = 'public'`,
        );
        expect(tables.length).toBeGreaterThanOrEqual(11);
        for (const { name } of tables) {
          const rows = (await sql(`select * from "${String(name)}"`)).map((row) => JSON.stringify(row));
          const left = rows.filter((row) => row.includes(first.user.id) || row.includes(first.email));
          expect([name, left]).toEqual([name, []]);
        }
      });

      it('deletes nothing if a statement fails', async () => {
        const test = await makePro();
        const { user } = await richUser(test);
        const before = await test.service.account.exportData(user.id);
        await test.takeEvents();
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
        expect(await test.takeEvents()).toEqual([]);
      });
    }
  });

  it('runs purgeExpired after the deletion of a user', async () => {
    const test = await makePro();
    const { user } = await richUser(test);
    await test.service.account.deleteUser(user.id);
    test.clock.advance(60 * day + minute);
    expect(await outcomeOf(() => test.service.purgeExpired())).toBe('ok');
    expect(await adapter().users.findById(unknownId)).toBeNull();
  });
});
