/** Guest upgrades that are overtaken by the deletion of the guest, or by another user with the same address. */
import { pausableAdapter } from '../../../support/pause-points.js';
import { claims, password, startSession, type Slow, type SlowService } from './slow-service.js';

export function guestsOvertaken({ makeSlow, during, sessionsOf, adapter, person }: Slow): void {
  describe('guest upgrade', () => {
    async function guestAt(test: SlowService) {
      return (await test.service.sessionsProvider.createGuest()).user.id;
    }

    it('rejects an upgrade by password if the guest is deleted in the meantime', async () => {
      const test = await makeSlow();
      const [userId, email] = [await guestAt(test), person()];
      const upgrade = () =>
        test.service.emailPassword.upgradeGuest({ userId, email, password }, startSession);
      const end = () => test.service.account.deleteUser(userId);
      expect(await during(test.point, upgrade, end)).toBe('user_not_found');
      expect([await adapter().users.findById(userId), await adapter().users.findByEmail(email)]).toEqual([
        null,
        null,
      ]);
      expect(await sessionsOf(userId)).toEqual([]);
    });

    it('rejects an upgrade by code if the guest is deleted in the meantime', async () => {
      const { adapter: delayedAdapter, point } = pausableAdapter(adapter(), 'oneTimeCodes.attempt', 'after');
      const test = await makeSlow(delayedAdapter);
      const [userId, email] = [await guestAt(test), person()];
      await test.service.emailCode.sendUpgradeCode({ userId, email });
      const input = { userId, email, code: test.mail.lastCode(email)! };
      const upgrade = () => test.service.emailCode.upgradeGuest(input, startSession);
      expect(await during(point, upgrade, () => test.service.account.deleteUser(userId))).toBe(
        'user_not_found',
      );
      expect(await adapter().users.findByEmail(email)).toBeNull();
    });

    it('returns email_exists for an upgrade if another user verifies the address in the meantime', async () => {
      const test = await makeSlow();
      const [userId, email] = [await guestAt(test), person()];
      const upgrade = () =>
        test.service.emailPassword.upgradeGuest({ userId, email, password }, startSession);
      const owner = () => claims['a claim by email code']!({ test, email, userId: '' });
      expect(await during(test.point, upgrade, owner)).toBe('email_exists');
      expect((await adapter().users.findByEmail(email))?.id).not.toBe(userId);
    });
  });
}
