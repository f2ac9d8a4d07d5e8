/** Guests who become users, overtaken by their deletion, or by somebody with the same address. */
import { heldAdapter } from '../../../support/held.js';
import { claims, password, startSession, type Slow, type SlowService } from './slow-service.js';

export function guestsOvertaken({ makeSlow, during, sessionsOf, adapter, person }: Slow): void {
  describe('that makes a guest a user', () => {
    async function guestAt(test: SlowService) {
      return (await test.service.sessionsProvider.createGuest()).user.id;
    }

    it('by a password makes none of a guest who was deleted meanwhile', async () => {
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

    it('by a code makes none of a guest who was deleted meanwhile', async () => {
      const { adapter: held, point } = heldAdapter(adapter(), 'oneTimeCodes.consume', 'after');
      const test = await makeSlow(held);
      const [userId, email] = [await guestAt(test), person()];
      await test.service.emailCode.sendUpgradeCode({ userId, email });
      const input = { userId, email, code: test.mail.lastCode(email)! };
      const upgrade = () => test.service.emailCode.upgradeGuest(input, startSession);
      expect(await during(point, upgrade, () => test.service.account.deleteUser(userId))).toBe(
        'user_not_found',
      );
      expect(await adapter().users.findByEmail(email)).toBeNull();
    });

    it('by a password finds the address taken by somebody who proved it meanwhile', async () => {
      const test = await makeSlow();
      const [userId, email] = [await guestAt(test), person()];
      const upgrade = () =>
        test.service.emailPassword.upgradeGuest({ userId, email, password }, startSession);
      const owner = () => claims['a claim by code']!({ test, email, userId: '' });
      expect(await during(test.point, upgrade, owner)).toBe('email_exists');
      expect((await adapter().users.findByEmail(email))?.id).not.toBe(userId);
    });
  });
}
