/** What `clear(service)` of svc-auth/testing leaves of a service, on every storage. */
import { clear, testLicense } from 'svc-auth/testing';
import type { StorageName } from './databases.js';
import { describeAdapters } from './describe-adapters.js';

export function describeClear(storages: readonly StorageName[]): void {
  describeAdapters(
    'clear(service)',
    ({ make, uniqueEmail }) => {
      it('removes users, sessions, codes, organizations and counters', async () => {
        const { service, mail } = await make({
          ...testLicense(),
          providers: { orgs: { allowUnverified: true }, refresh: {}, apiKeys: { allowUnverified: true } },
          rateLimit: { maxPerWindow: 1 },
        });
        const email = uniqueEmail();
        const password = 'correct horse battery';
        const { user } = await service.emailPassword.signup({ email, password });
        await service.orgs.create({ name: 'Acme', slug: 'acme', ownerUserId: user.id });
        await service.refresh.issue({ userId: user.id });
        await service.apiKeys.create({ name: 'deploy', userId: user.id });
        await service.emailCode.sendCode({ email });
        await expect(service.emailCode.sendCode({ email })).rejects.toMatchObject({
          code: 'rate_limit_exceeded',
        });
        const code = mail.lastCode(email)!;

        await clear(service);

        expect(await service.users.find({ email })).toBeNull();
        await expect(service.emailCode.verify({ email, code })).rejects.toMatchObject({
          code: 'code_not_found',
        });
        await service.emailCode.sendCode({ email });
        const again = await service.emailPassword.signup({ email, password });
        expect(again.user.id).not.toBe(user.id);
        await service.orgs.create({ name: 'Acme', slug: 'acme', ownerUserId: again.user.id });
      });

      it('waits for mail that is sent in the background, which may still write', async () => {
        const { service, mail } = await make();
        const email = uniqueEmail();
        await service.emailPassword.signup({ email, password: 'correct horse battery' });
        await service.emailPassword.requestReset({ email });
        await clear(service);
        expect(mail.messages.map(({ kind }) => kind)).toContain('password_reset');
        const token = new URL(mail.lastLink(email)!).searchParams.get('token')!;
        const reset = service.emailPassword.setPassword({ token, newPassword: 'battery staple horse' });
        await expect(reset).rejects.toMatchObject({ code: 'token_invalid' });
      });
    },
    storages,
  );
}
