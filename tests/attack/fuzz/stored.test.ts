// Values that programs store: each is rejected with a documented code or stored, alike on every storage, and read back unchanged.
import fc from 'fast-check';
import { testClock } from 'svc-auth/testing';
import { memoryAdapter, type Service, type ServiceUser } from 'svc-auth';
import { describeAdapters } from '../../support/describe-adapters.js';
import { license, minute, proProviders } from '../../support/make-pro-service.js';
import { makeService, type TestService } from '../../support/make-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { anyJson, anyText } from './arbitraries.js';
import { itHolds, storages } from './pass.js';
import { ignoreCodes, ignorePasswords } from '../../support/leak-scan.js';

ignorePasswords();
ignoreCodes();

interface Given {
  text: string;
  other: string;
  json: unknown;
}

type Keep = (service: Service, user: ServiceUser, given: Given) => Promise<unknown>;

/** How to store a value, by its name. */
const storeCalls: Record<string, Keep> = {
  'claims and a device with refresh tokens': async ({ refresh }, { id: userId }, { text, other, json }) => {
    const claims = json as Record<string, unknown>;
    const { refreshToken } = await refresh.issue({
      userId,
      claims,
      device: { name: text, userAgent: other },
    });
    await refresh.refresh(refreshToken, { device: { name: other } });
  },
  'a device with a session': async ({ sessionsProvider }, { id: userId }, { text, other }) => {
    const { token } = await sessionsProvider.create({ userId, device: { name: text, ip: other } });
    await sessionsProvider.listDevices(userId, token);
    await sessionsProvider.revokeDevice(text);
  },
  'name, scope and metadata with an API key': async ({ apiKeys }, { id: userId }, { text, other, json }) => {
    const metadata = json as Record<string, unknown>;
    const { key, record } = await apiKeys.create({ userId, name: text, scopes: [other], metadata });
    const verified = await apiKeys.verify(key);
    expect({ name: verified.name, scopes: verified.scopes, metadata: verified.metadata }).toEqual({
      name: text.trim(),
      scopes: [other],
      metadata: JSON.parse(JSON.stringify(metadata)),
    });
    await apiKeys.revoke(record.id);
  },
  'the name of an organization': async ({ orgs }, { id: ownerUserId }, { text }) => {
    const { org } = await orgs.create({ name: text, ownerUserId });
    expect((await orgs.get(org.slug))?.name).toBe(text.trim());
    await orgs.delete(org.id);
  },
  'the id of an unknown organization': async ({ orgs }, { id: userId }, { text, other }) => {
    expect(await orgs.get(text)).toBeNull();
    await orgs.assertRole(text, userId, 'member').catch(() => undefined);
    await orgs.assertRole(text, other, 'member');
  },
  'an account at a provider': async ({ sessionsProvider }, _user, { text, other }) => {
    const { user } = await sessionsProvider.createGuest({ device: { name: other } });
    await sessionsProvider.upgrade({
      userId: user.id,
      provider: text,
      providerAccountId: `${user.id}${other}`,
    });
  },
  'the context of a request': async (service, { email }, { text, other }) => {
    const context = { ip: text, userAgent: other, sessionToken: other, startSession: true };
    await service.emailCode.sendCode({ email: email! }, context);
    await service.emailCode.verify({ email: email!, code: '000000' }, context).catch(() => undefined);
    await service.emailPassword.login({ email: email!, password: text }, context);
  },
  'unknown ids': async ({ apiKeys, refresh, sessionsProvider }, _user, { text, other }) => {
    await apiKeys.revoke(text);
    await sessionsProvider.revokeDevice(other);
    await refresh.revokeAllForUser(text);
  },
};

describeAdapters(
  'Stored values',
  ({ adapter }) => {
    const clock = testClock();
    let tested: TestService;
    let reference: TestService;
    let users: ServiceUser[];

    beforeAll(async () => {
      const shared = { ...license, clock, providers: proProviders };
      tested = await makeService({ ...shared, adapter: adapter() });
      reference = await makeService({ ...shared, adapter: memoryAdapter() });
      const signUp = async ({ service, adapter: storage }: TestService) => {
        const ada = { email: 'ada@example.com', password: 'correct horse' };
        const { user } = await service.emailPassword.signup(ada);
        await storage.users.markEmailVerified(user.id, new Date(clock.now()));
        return user;
      };
      users = [await signUp(tested), await signUp(reference)];
    });

    for (const [name, keep] of Object.entries(storeCalls)) {
      itHolds(
        `rejects or stores ${name} as in memory`,
        () =>
          fc.asyncProperty(fc.record({ text: anyText, other: anyText, json: anyJson }), async (given) => {
            clock.advance(16 * minute);
            const outcome = await outcomeOf(() => keep(tested.service, users[0]!, given));
            expect(outcome).not.toMatch(/^not a ServiceError|internal_error/);
            expect(outcome).toBe(await outcomeOf(() => keep(reference.service, users[1]!, given)));
          }),
        { runs: 60, weight: 0.5 },
      );
    }

    itHolds(
      'rejects or stores metadata with a code as in memory',
      () =>
        fc.asyncProperty(fc.nat(), fc.dictionary(anyText, anyJson, { maxKeys: 3 }), async (nth, metadata) => {
          clock.advance(16 * minute);
          const keep = async ({ service, mail }: TestService) => {
            const email = `person-${nth}-${clock.now()}@example.com`;
            await service.emailCode.sendCode({ email, metadata });
            const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
            expect(user.metadata).toEqual(JSON.parse(JSON.stringify(metadata)));
          };
          const outcome = await outcomeOf(() => keep(tested));
          expect(['ok', 'invalid_request']).toContain(outcome);
          expect(await outcomeOf(() => keep(reference))).toBe(outcome);
        }),
      { runs: 60 },
    );
  },
  storages,
);
