// Encryption keys of TOTP secrets and their rotation (specification 4.3 `totp`;
// docs/security-requirements.md A-94).
import { testClock } from 'svc-auth/testing';
import { codeAt } from '../support/authenticator-app.js';
import { encryptionKey } from '../support/every-provider.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { minute } from '../support/make-pro-service.js';
import { step, totpUsers, type EnrolledUser } from './totp-users.js';

const laterKey = 'the encryption key after a rotation, 32 bytes or more';

describeAdapters('Keys of the second factor', (on) => {
  const { adapter } = on;
  const { verifiedUser, makeTotp, enroll, enrolledUser } = totpUsers(on);
  const { verify, recover, rightCode, pendingSignIn } = totpUsers(on);

  describe('encryption keys of TOTP secrets', () => {
    const unreadable = ({ test }: EnrolledUser) =>
      test.log.filter(
        ({ level, fields }) => level === 'error' && fields['event'] === 'totp_secret_unreadable',
      );

    //
    it('re-encrypts a secret when it is used, and refuses an unused one once the old key is removed', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const used = await enrolledUser({ clock });
      const unused = await enroll(used.test, await verifiedUser(used.test));
      const secretOf = async ({ user }: EnrolledUser) => (await adapter().totp!.find(user.id))!.secret!;
      const [usedBefore, unusedBefore] = [await secretOf(used), await secretOf(unused)];

      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      expect(await verify({ ...used, test: both }, rightCode(used))).toBe(true);
      expect(await recover({ ...used, test: both }, used.recoveryCodes[0])).toBe(true);
      expect(await secretOf(used)).not.toBe(usedBefore);
      expect(await secretOf(unused)).toBe(unusedBefore);
      // A used code remains used after the secret is re-encrypted.
      expect(await verify({ ...used, test: both }, rightCode(used))).toBe(false);

      clock.advance(15 * minute);
      const dropped = await makeTotp({ clock, encryptionKey: laterKey });
      expect(await verify({ ...used, test: dropped }, rightCode(used))).toBe(true);
      const closed = { ...unused, test: dropped };
      expect(await verify(closed, rightCode(unused))).toBe(false);
      expect(unreadable(closed)).toHaveLength(1);
      expect(unreadable(closed)[0]!.fields).toEqual({
        event: 'totp_secret_unreadable',
        userId: unused.user.id,
      });
      expect((await pendingSignIn(closed)).session).toBeUndefined();
      // Recovery codes are MACs: they cannot be verified without the key that made them.
      expect(await recover({ ...used, test: dropped }, used.recoveryCodes[1])).toBe(false);
      expect(await dropped.service.totp.isEnabled(unused.user.id)).toBe(true);
    });

    //
    it('confirms a pending enrollment after the key is rotated', async () => {
      const clock = testClock(Math.ceil(Date.now() / step) * step);
      const test = await makeTotp({ clock });
      const { id } = await verifiedUser(test);
      const { secret } = await test.service.totp.beginEnrollment(id);
      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      await both.service.totp.confirmEnrollment(id, codeAt(secret, clock.now()));
      expect(await both.service.totp.verify(id, codeAt(secret, clock.now() + step))).toBe(true);
    });

    it('re-encrypts every secret with service.reencrypt(), so that the old key can be removed', async () => {
      const { test, user, secret } = await enrolledUser();
      const { clock } = test;
      const lost = await enroll(test, await verifiedUser(test));
      const lostSecret = (await adapter().totp!.find(lost.user.id))!.secret!;
      await adapter().totp!.reencrypt(lost.user.id, lostSecret, 'v1.unknown.key');
      const both = await makeTotp({
        clock,
        encryptionKey: laterKey,
        previousEncryptionKeys: [encryptionKey],
      });
      expect(await both.service.reencrypt({ limit: 0 })).toEqual({ reencrypted: 0, unreadable: 0 });
      const counts = await both.service.reencrypt();
      expect(counts.reencrypted).toBeGreaterThanOrEqual(1);
      expect(counts.unreadable).toBeGreaterThanOrEqual(1);
      // A secret that no key decrypts is counted again, and does not block the others.
      expect(await both.service.reencrypt()).toEqual({ reencrypted: 0, unreadable: counts.unreadable });
      const later = await makeTotp({ clock, encryptionKey: laterKey });
      expect(await later.service.totp.verify(user.id, codeAt(secret, clock.now()))).toBe(true);
      await adapter().totp!.reencrypt(lost.user.id, 'v1.unknown.key', lostSecret);
    });

    it('rejects service.reencrypt() with encryption_required without an encryption key', async () => {
      const { service } = await makeTotp({ encryptionKey: undefined });
      await expect(service.reencrypt()).rejects.toMatchObject({ code: 'encryption_required' });
    });

    //
    it('refuses a secret moved to the row of another user, changed by a bit, or with its tag cut', async () => {
      const enrolled = await enrolledUser();
      const sealed = (await adapter().totp!.find(enrolled.user.id))!.secret!;
      const cut = sealed.slice(0, sealed.lastIndexOf('.') + 12);
      const at = sealed.length - 10;
      const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      for (const planted of [sealed, flipped, cut, '', 'null', enrolled.secret]) {
        const victim = await enroll(enrolled.test, await verifiedUser(enrolled.test));
        const { id } = victim.user;
        const before = unreadable(enrolled).length;
        await adapter().totp!.reencrypt(id, (await adapter().totp!.find(id))!.secret!, planted);
        expect(await verify(victim, rightCode(enrolled))).toBe(false);
        expect(await verify(victim, rightCode(victim))).toBe(false);
        expect(unreadable(enrolled)).toHaveLength(before + 2);
        // A planted plaintext must not be read as an encrypted secret.
        await adapter().totp!.reencrypt(id, planted, sealed);
      }
    });
  });
});
