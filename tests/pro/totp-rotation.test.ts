// A rotation of the encryption key while users sign in.
import { testClock } from 'svc-auth/testing';
import { describeAdapters } from '../support/describe-adapters.js';
import { encryptionKey } from '../support/every-provider.js';
import { step, totpUsers } from './totp-users.js';

const laterKey = 'the encryption key after a rotation, 32 bytes or more';

describeAdapters('Rotation of the encryption key', (on) => {
  const { adapter } = on;
  const { makeTotp, enrolledUser, verify, rightCode } = totpUsers(on);

  it('accepts a code whose secret is encrypted again between reading and using it, and accepts it once', async () => {
    const clock = testClock(Math.ceil(Date.now() / step) * step);
    const enrolled = await enrolledUser({ clock });
    const keys = { encryptionKey: laterKey, previousEncryptionKeys: [encryptionKey] };
    const rotating = await makeTotp({ clock, ...keys });
    const { totp } = adapter();
    const listApps = totp!.listApps.bind(totp);
    let reads = 0;
    const test = await makeTotp({
      clock,
      ...keys,
      adapter: {
        ...adapter(),
        totp: {
          ...totp!,
          async listApps(userId) {
            const apps = await listApps(userId);
            reads += 1;
            if (reads === 1) await rotating.service.reencrypt();
            return apps;
          },
        },
      },
    });
    expect(await verify({ ...enrolled, test }, rightCode(enrolled))).toBe(true);
    expect(reads).toBe(2);
    expect(await verify({ ...enrolled, test }, rightCode(enrolled))).toBe(false);
  });

  it('reports how many secrets there were, and the counts after each batch', async () => {
    await enrolledUser();
    const test = await makeTotp({ encryptionKey: laterKey, previousEncryptionKeys: [encryptionKey] });
    const reports: { reencrypted: number; unreadable: number; total: number }[] = [];
    const counts = await test.service.reencrypt({ onProgress: (progress) => void reports.push(progress) });
    expect(reports[0]).toMatchObject({ reencrypted: 0, unreadable: 0 });
    expect(reports.at(-1)).toEqual({ ...counts, total: counts.reencrypted + counts.unreadable });
    expect(reports[0]!.total).toBe(reports.at(-1)!.total);
  });

  it.each([[{ onProgress: 1 }], [{ limit: -1 }], [{ progress: () => undefined }]])(
    'refuses the options %j',
    async (options) => {
      const { service } = await makeTotp({});
      await expect(service.reencrypt(options as never)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );

  it.each([[{ onProgress: 1 }], [{ guests: 'no' }], [{ guest: false }]])(
    'purgeExpired refuses the options %j',
    async (options) => {
      const { service } = await makeTotp({});
      await expect(service.purgeExpired(options as never)).rejects.toMatchObject({ code: 'invalid_request' });
    },
  );
});
