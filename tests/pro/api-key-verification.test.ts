// Verification of API keys, and the time of their last use (docs/security-requirements.md A-99).
import { createHash } from 'node:crypto';
import { describeAdapters, recordCalls } from '../support/describe-adapters.js';
import { unknownId, invalidIds, proFixtures, settleService } from '../support/make-pro-service.js';
import { apiKeyFixtures } from '../support/api-key-owners.js';
import { race } from '../support/outcomes.js';

describeAdapters('Verification of API keys', ({ make, uniqueEmail, adapter }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });
  const { verify, userKey } = apiKeyFixtures({ makePro, verifiedUser });

  describe('verify', () => {
    //
    it('returns the record of a valid key, without its hash', async () => {
      const { test, key, record } = await userKey({}, { scopes: ['read'] });
      expect(await test.service.apiKeys.verify(key)).toEqual(record);
    });

    //
    it('reads one row, and writes at most once a minute', async () => {
      const calls: string[] = [];
      const { test, key } = await userKey({ adapter: recordCalls(adapter(), calls) });
      calls.length = 0;
      await test.service.apiKeys.verify(key);
      await settleService(test);
      expect(calls.filter((call) => call !== 'close')).toEqual(['apiKeys.findById', 'apiKeys.touch']);
      calls.length = 0;
      await test.service.apiKeys.verify(key);
      await settleService(test);
      expect(calls.filter((call) => call !== 'close')).toEqual(['apiKeys.findById']);
    });

    //
    it('rejects malformed keys and wrong checksums before it queries the database', async () => {
      const calls: string[] = [];
      const { test, user, key } = await userKey({ adapter: recordCalls(adapter(), calls) });
      const [, id = '', secret = '', sum = ''] = key.split('_');
      const other = secret.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
      const pair = await test.service.refresh.issue({ userId: user.id });
      const { token } = await test.service.sessionsProvider.create({ userId: user.id });
      const garbage = [
        ...invalidIds,
        'svc_',
        `svc_${id}_${secret}`,
        `svc_${id}_${secret}_`,
        `svc_${id}_${other}_${sum}`,
        `svc_${id.replace(/^./, 'f')}_${secret}_${sum}`,
        `svc_${id}_${secret}_00000000`,
        `SVC_${id}_${secret}_${sum}`,
        key.toUpperCase(),
        `${key} `,
        `${key}\n`,
        ` ${key}`,
        key.slice(0, -1),
        `${key}0`,
        `Bearer ${key}`,
        [key],
        { toString: () => key },
        token,
        pair.refreshToken,
        pair.accessToken,
      ];
      calls.length = 0;
      for (const each of garbage) expect(await verify(test, each)).toBe('api_key_invalid');
      await test.service.close();
      expect(calls.filter((call) => call !== 'close')).toEqual([]);
    });

    //
    it('rejects a well-formed key with another secret or another id', async () => {
      const { test, user, key } = await userKey();
      const second = await test.service.apiKeys.create({ userId: user.id, name: 'second' });
      const signed = (body: string) =>
        `${body}_${createHash('sha256').update(body).digest('hex').slice(0, 8)}`;
      const [, id = '', secret = ''] = key.split('_');
      // Proves that this is how the checksum is computed.
      expect(signed(`svc_${id}_${secret}`)).toBe(key);
      for (const forged of [
        signed(`svc_${id}_${'0'.repeat(64)}`),
        signed(`svc_${second.key.split('_')[1]}_${secret}`),
        signed(`svc_${unknownId.replaceAll('-', '')}_${secret}`),
      ]) {
        expect(await verify(test, forged)).toBe('api_key_invalid');
      }
      expect(await verify(test, key)).toBe('ok');
    });

    it('rejects an expired key, to the millisecond', async () => {
      const test = await makePro();
      const user = await verifiedUser(test);
      const expiresAt = new Date(test.clock.now() + 1234);
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt });
      test.clock.advance(1233);
      expect(await verify(test, key)).toBe('ok');
      test.clock.advance(1);
      expect(await verify(test, key)).toBe('api_key_invalid');
    });

    //
    it('rejects the key of a deleted user or organization', async () => {
      const { test, user, org, key } = await userKey();
      const ofOrg = await test.service.apiKeys.create({ orgId: org.id, name: 'org' });
      const ofDoomed = await test.service.orgs.create({ name: 'Doomed', ownerUserId: user.id });
      const doomed = await test.service.apiKeys.create({ orgId: ofDoomed.org.id, name: 'doomed' });
      await test.service.orgs.delete(ofDoomed.org.id);
      expect([await verify(test, doomed.key), await verify(test, ofOrg.key)]).toEqual([
        'api_key_invalid',
        'ok',
      ]);
      const heir = await verifiedUser(test);
      await test.service.orgs.addMember(org.id, heir.id, 'owner');
      await test.service.account.deleteUser(user.id);
      expect([await verify(test, key), await verify(test, ofOrg.key)]).toEqual(['api_key_invalid', 'ok']);
    });

    // T2
    it('rejects the keys of a reclaimed account', async () => {
      // Only with this option can an unverified account have keys.
      const test = await makePro({ providers: { apiKeys: { allowUnverified: true } } });
      const email = uniqueEmail();
      const { user } = await test.service.emailPassword.signup({ email, password: 'correct horse battery' });
      const { key } = await test.service.apiKeys.create({ userId: user.id, name: 'planted' });
      expect(await verify(test, key)).toBe('ok');
      await verifiedUser(test, email);
      expect(await verify(test, key)).toBe('api_key_invalid');
      expect(await test.service.apiKeys.list({ userId: user.id })).toEqual([]);
    });

    it('rejects unknown, revoked, expired and malformed keys with the same error', async () => {
      const { test, user, key, record } = await userKey();
      await test.service.apiKeys.revoke(record.id);
      const expiresAt = new Date(test.clock.now() + 1);
      const expired = await test.service.apiKeys.create({ userId: user.id, name: 'x', expiresAt });
      test.clock.advance(1);
      const errors = await Promise.all(
        [key, expired.key, 'garbage'].map((each) => test.service.apiKeys.verify(each).catch(String)),
      );
      expect(new Set(errors).size).toBe(1);
    });

    it('records the last use once for 50 concurrent calls', async () => {
      const calls: string[] = [];
      const { test, user, key } = await userKey({ adapter: recordCalls(adapter(), calls) });
      expect(await race(50, () => test.service.apiKeys.verify(key))).toEqual({ ok: 50 });
      await settleService(test);
      const [record] = await test.service.apiKeys.list({ userId: user.id });
      expect(record?.lastUsedAt).toEqual(new Date(test.clock.now()));
    });
  });

  describe('lastUsedAt', () => {
    it('lastUsedAt is written at most once a minute', async () => {
      const { test, user, key } = await userKey();
      const start = test.clock.now();
      const used = async () => {
        await test.service.apiKeys.verify(key);
        await settleService(test);
        const [record] = await test.service.apiKeys.list({ userId: user.id });
        return record!.lastUsedAt!.getTime() - start;
      };
      const at: number[] = [];
      for (const later of [0, 30_000, 60_000, 60_001, 120_001, 120_002, 600_000]) {
        test.clock.set(start + later);
        at.push(await used());
      }
      expect(at).toEqual([0, 0, 0, 60_001, 60_001, 120_002, 600_000]);
    });

    it('lastUsedAt is not written for a rejected key', async () => {
      const { test, user, key, record } = await userKey();
      await test.service.apiKeys.revoke(record.id);
      await verify(test, key);
      await settleService(test);
      expect((await test.service.apiKeys.list({ userId: user.id }))[0]?.lastUsedAt).toBeNull();
    });

    it('logs that lastUsedAt cannot be written, and keeps the key valid', async () => {
      const real = adapter();
      const failing = { ...real.apiKeys!, touch: () => Promise.reject(new Error('disk full')) };
      const { test, key } = await userKey({ adapter: { ...real, apiKeys: failing } });
      expect(await verify(test, key)).toBe('ok');
      await settleService(test);
      const failures = test.log.filter(({ level }) => level === 'error');
      expect(failures).toEqual([expect.objectContaining({ message: expect.stringContaining('last use') })]);
    });
  });
});
