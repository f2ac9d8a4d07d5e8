// Guests that are deleted 30 days after their creation (specification 4.3 `sessionsProvider`;
// docs/security-requirements.md C-29, C-34).
import { testLicense } from 'svc-auth/testing';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import type { TestService } from '../support/make-service.js';
import { day, proFixtures } from '../support/make-pro-service.js';
import { malformedErrors, throwMalformed } from '../support/malformed-errors.js';
import { outcomeOf } from '../support/outcomes.js';

describeAdapters('Expired guests', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  /** A user whom only the application has authenticated. */
  const someone = (test: TestService) => verifiedUser(test);

  describe('purgeExpired', () => {
    // C-29
    it('removes guests and their data 30 days after creation, and no upgraded guest', async () => {
      const test = await makePro();
      const { service } = test;
      const [guest, upgraded] = [
        await service.sessionsProvider.createGuest(),
        await service.sessionsProvider.createGuest(),
      ];
      await service.sessionsProvider.upgrade({
        userId: upgraded.user.id,
        provider: 'github',
        providerAccountId: upgraded.user.id,
      });
      const user = await someone(test);
      const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: user.id });
      await service.orgs.addMember(org.id, guest.user.id, 'member');
      test.clock.advance(30 * day - 1);
      await service.purgeExpired();
      expect(await service.sessionsProvider.isGuest(guest.user.id)).toBe(true);
      test.clock.advance(1);
      const younger = await service.sessionsProvider.createGuest();
      await service.purgeExpired();
      expect(await outcomeOf(() => service.sessionsProvider.isGuest(guest.user.id))).toBe('user_not_found');
      expect(await outcomeOf(() => service.getSessionUser(guest.token))).not.toBe('ok');
      expect((await service.orgs.listMembers(org.id)).map(({ userId }) => userId)).toEqual([user.id]);
      expect(await service.sessionsProvider.isGuest(upgraded.user.id)).toBe(false);
      expect(await service.sessionsProvider.isGuest(younger.user.id)).toBe(true);
    });

    // C-29
    it('counts removed guests and removes at most limit of them', async () => {
      const test = await makePro();
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(400 * day);
      // Guests of earlier tests are removed first.
      while ((await test.service.purgeExpired({ limit: 1000 }))['guests'] === 1000);
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      expect((await test.service.purgeExpired({ limit: 2 }))['guests']).toBe(2);
      expect((await test.service.purgeExpired())['guests']).toBe(1);
    });

    // C-34
    it('deletes the application data of a guest and emits user.deleted', async () => {
      const test = await makePro();
      const { user } = await test.service.sessionsProvider.createGuest();
      const { user: younger } = await test.service.sessionsProvider.createGuest();
      const deletedIds: string[] = [];
      test.service.account.registerUserData('baskets', {
        deleteData: (userId) => void deletedIds.push(userId),
      });
      await test.service.sessionsProvider.upgrade({
        userId: younger.id,
        provider: 'github',
        providerAccountId: younger.id,
      });
      test.clock.advance(30 * day);
      await test.takeEvents();
      await test.service.purgeExpired();
      expect(deletedIds).toContain(user.id);
      expect(deletedIds).not.toContain(younger.id);
      const deleted = (await test.takeEvents()).filter(({ name }) => name === 'user.deleted');
      expect(deleted.map(({ payload }) => payload['userId'])).toEqual(deletedIds);
    });

    it('removes other guests if the data of one cannot be deleted, logs the failure and tries again', async () => {
      const test = await makePro();
      const guests: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        guests.push((await test.service.sessionsProvider.createGuest()).user.id);
      }
      let failing = guests.slice(0, 2);
      const deleteData = async (userId: string) => {
        if (failing.includes(userId)) throw new Error('the basket is locked');
      };
      test.service.account.registerUserData('baskets', { deleteData });
      test.clock.advance(30 * day);
      const purge = async (limit?: number) => (await test.service.purgeExpired({ limit }))['guests'];
      const left = async () => {
        const users = await Promise.all(guests.map((id) => adapter().users.findById(id)));
        return guests.filter((_, index) => users[index] !== null);
      };
      // Guests of earlier tests are removed first.
      await purge(3);
      for (let i = 0; i < 50 && (await left()).length > 2; i += 1) await purge(1);
      await purge();
      expect(await left()).toEqual(failing);
      const failures = test.log.filter(({ fields }) => fields['event'] === 'guest_deletion_failed');
      expect(new Set(failures.map(({ fields }) => fields['userId']))).toEqual(new Set(failing));
      expect(failures[0]).toMatchObject({ level: 'error', fields: { err: { code: 'internal_error' } } });
      failing = [];
      expect(await purge(10)).toBe(2);
      expect(await left()).toEqual([]);
    });

    let rounds = 0;
    /**
     * A service without earlier guests, with `count` expired ones, and a record of every attempt to
     * delete one.
     */
    async function abandoned(count: number, fails: (userId: string) => unknown) {
      const test = await makePro();
      // Later than any guest of an earlier round.
      test.clock.advance((rounds += 1) * 1000 * day);
      await test.service.purgeExpired();
      const guests: string[] = [];
      for (let i = 0; i < count; i += 1) {
        guests.push((await test.service.sessionsProvider.createGuest()).user.id);
      }
      const tried: string[] = [];
      const deleteData = (userId: string) => {
        tried.push(userId);
        fails(userId);
      };
      test.service.account.registerUserData('baskets', { deleteData });
      test.clock.advance(30 * day);
      test.log.length = 0;
      const lines = (event: string) => test.log.filter(({ fields }) => fields['event'] === event);
      return { test, guests, tried, lines };
    }
    const broken = () => {
      throw new Error('the table is gone');
    };

    it('tries at most limit guests, and continues after them at the next call', async () => {
      const { test, guests, tried } = await abandoned(5, broken);
      for (const _ of [1, 2, 3, 4]) {
        expect((await test.service.purgeExpired({ limit: 2 }))['guests']).toBe(0);
      }
      const sorted = [...guests].sort();
      expect(tried).toEqual([...sorted, ...sorted.slice(0, 3)]);
      expect((await test.service.purgeExpired({ limit: 0 }))['guests']).toBe(0);
      expect(tried).toHaveLength(8);
    });

    it('stops after 10 failures in a row, logs it once, and continues after them at the next call', async () => {
      let isBroken = true;
      const { test, guests, tried, lines } = await abandoned(12, () => isBroken && broken());
      expect((await test.service.purgeExpired())['guests']).toBe(0);
      expect([tried.length, lines('guest_deletion_failed').length]).toEqual([10, 10]);
      expect(lines('guest_purge_stopped')).toEqual([
        expect.objectContaining({ level: 'error', fields: expect.objectContaining({ failed: 10 }) }),
      ]);
      isBroken = false;
      expect((await test.service.purgeExpired())['guests']).toBe(12);
      expect(tried.slice(10).sort()).toEqual([...guests].sort());
      expect(tried[10]).toBe([...guests].sort()[10]);
    });

    it.each(Object.entries(malformedErrors))(
      'continues with the next guest if a user data handler throws %s',
      async (_name, make) => {
        let isFirst = true;
        const { test, lines } = await abandoned(2, () => {
          if (!isFirst) return;
          isFirst = false;
          throwMalformed(make);
        });
        expect((await test.service.purgeExpired())['guests']).toBe(1);
        expect(lines('guest_deletion_failed')).toHaveLength(1);
        expect((await test.service.purgeExpired())['guests']).toBe(1);
      },
    );

    it('keeps guests while no license is valid, and logs it once', async () => {
      const { test } = await abandoned(1, () => undefined);
      const lapsed = await make({
        clock: test.clock,
        ...testLicense({ expiresAt: new Date(test.clock.now() - 1) }),
        providers: { sessions: true, account: true },
      });
      const notices = () => lapsed.log.filter(({ fields }) => fields['event'] === 'guests_left');
      expect((await lapsed.service.purgeExpired())['guests']).toBe(0);
      expect(notices()).toEqual([expect.objectContaining({ level: 'info' })]);
      expect((await test.service.purgeExpired())['guests']).toBe(1);
      await lapsed.service.purgeExpired();
      expect(notices()).toHaveLength(1);
    });

    it('deletes guests in one statement without user data handlers, and one by one with them', async () => {
      const { test } = await abandoned(0, () => undefined);
      const calls: string[] = [];
      const plain = await makePro({ clock: test.clock, adapter: recordCalls(adapter(), calls) });
      for (let i = 0; i < 25; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      await plain.takeEvents();
      expect((await plain.service.purgeExpired())['guests']).toBe(25);
      const isDeletion = (call: string) => call.startsWith('guests.delete');
      expect(calls.filter(isDeletion)).toEqual(['guests.deleteAbandoned']);
      expect((await plain.takeEventNames()).filter((name) => name === 'user.deleted')).toHaveLength(25);
      for (let i = 0; i < 3; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      plain.service.account.registerUserData('baskets', { deleteData: () => undefined });
      calls.length = 0;
      expect((await plain.service.purgeExpired())['guests']).toBe(3);
      expect(calls.filter(isDeletion)).toEqual(['guests.delete', 'guests.delete', 'guests.delete']);
    });

    it('deletes, counts and reports each guest once for several processes at the same time', async () => {
      const test = await makePro();
      const other = await makePro({ clock: test.clock });
      test.clock.advance(400 * day);
      await test.service.purgeExpired();
      for (let i = 0; i < 20; i += 1) await test.service.sessionsProvider.createGuest();
      test.clock.advance(30 * day);
      await test.takeEvents();
      const counts = await Promise.all(
        [test, other, test, other].map(({ service }) => service.purgeExpired()),
      );
      expect(counts.reduce((sum, { guests }) => sum + guests!, 0)).toBe(20);
      const names = [...(await test.takeEventNames()), ...(await other.takeEventNames())];
      expect(names.filter((name) => name === 'user.deleted')).toHaveLength(20);
    });
  });
});
