// Paged lists: every row once, in order, by opaque cursors; and the number of statements on
// PostgreSQL.
import knexPackage from 'knex';
import type { PageRequest } from 'svc-auth';
import { knexAdapter } from '../../src/adapters/knex-adapter.js';
import { describeAdapters } from '../support/describe-adapters.js';
import { makeService } from '../support/make-service.js';
import { license, proFixtures, proProviders } from '../support/make-pro-service.js';
import { errorOf, outcomeOf } from '../support/outcomes.js';
import { createMigratedDatabase } from '../support/postgres.js';

const webauthn = { rpId: 'app.test', origins: ['https://app.test'] };

describeAdapters('Pages of lists', ({ make, uniqueEmail }) => {
  const { makePro, verifiedUser } = proFixtures({ make, uniqueEmail });

  /** A user with five entries in every list, and the lists. */
  async function scene() {
    const test = await makePro({ providers: { webauthn } });
    const { apiKeys, orgs, refresh, sessionsProvider, webauthn: passkeys } = test.service;
    const owner = await verifiedUser(test);
    const { id: ownerUserId } = owner;
    for (let i = 0; i < 5; i += 1) await orgs.create({ name: `Acme ${i}`, ownerUserId });
    const { orgId } = (await orgs.listForUser(ownerUserId))[0]!;
    for (let i = 0; i < 5; i += 1) {
      if (i > 0) await orgs.addMember(orgId, (await verifiedUser(test)).id, 'member');
      await orgs.invite({ orgId, email: uniqueEmail() });
      await apiKeys.create({ userId: ownerUserId, name: `key ${i}` });
      await apiKeys.create({ orgId, name: `key ${i}` });
      await sessionsProvider.create({ userId: ownerUserId });
      await refresh.issue({ userId: ownerUserId });
    }
    const acting = { actingUserId: ownerUserId };
    const lists: Record<string, (page?: PageRequest) => Promise<unknown>> = {
      devices: (page) =>
        page
          ? sessionsProvider.listDevices(ownerUserId, undefined, page)
          : sessionsProvider.listDevices(ownerUserId),
      apiKeys: (page) =>
        page ? apiKeys.list({ userId: ownerUserId }, undefined, page) : apiKeys.list({ userId: ownerUserId }),
      'apiKeys of an organization': (page) =>
        page ? apiKeys.list({ orgId }, acting, page) : apiKeys.list({ orgId }),
      families: (page) => (page ? refresh.list(ownerUserId, undefined, page) : refresh.list(ownerUserId)),
      memberships: (page) => (page ? orgs.listForUser(ownerUserId, page) : orgs.listForUser(ownerUserId)),
      members: (page) => (page ? orgs.listMembers(orgId, undefined, page) : orgs.listMembers(orgId)),
      'members for an admin': (page) =>
        page ? orgs.listMembers(orgId, acting, page) : orgs.listMembers(orgId, acting),
      invites: (page) => (page ? orgs.listInvites(orgId, acting, page) : orgs.listInvites(orgId, acting)),
      credentials: (page) =>
        page ? passkeys.listCredentials(ownerUserId, page) : passkeys.listCredentials(ownerUserId),
    };
    return { test, owner, orgId, lists };
  }

  it('returns each row of every list once, in the order of the whole list', async () => {
    const { lists, test, owner } = await scene();
    for (const [name, list] of Object.entries(lists)) {
      const all = (await list()) as Record<string, unknown>[];
      expect([name, all.length]).toEqual([name, name === 'credentials' ? 0 : 5]);
      const rows: Record<string, unknown>[] = [];
      let cursor: string | null = null;
      do {
        const page = (await list({ cursor, limit: 2 })) as Record<string, unknown>;
        const [part] = Object.values(page).filter(Array.isArray) as Record<string, unknown>[][];
        expect(part!.length).toBeLessThanOrEqual(2);
        rows.push(...part!);
        cursor = page['nextCursor'] as string | null;
      } while (cursor !== null);
      const withoutOrgs = rows.map(({ org: _, ...row }) => row);
      expect([name, withoutOrgs]).toEqual([name, all]);
    }
    const { memberships } = await test.service.orgs.listForUser(owner.id, {});
    expect(memberships.map(({ org }) => org.name).sort()).toEqual([0, 1, 2, 3, 4].map((i) => `Acme ${i}`));
  });

  it('rejects a limit outside 1 to 200 and a malformed cursor with invalid_request and the field', async () => {
    const { lists } = await scene();
    const opaque = (text: string) => Buffer.from(text).toString('base64url');
    const cursors = ['', 'x', ' ', opaque('1'), opaque('1 '), opaque('-1 x'), opaque('9999999999999999 x')];
    const tooLate = opaque(`${8.64e15} 0190f6a0-0000-7000-8000-000000000001`);
    for (const list of Object.values(lists)) {
      for (const limit of [0, 201, -1, 1.5, Number.NaN, '5', null]) {
        const error = await errorOf(() => list({ limit: limit as never }));
        expect([error['code'], error['field']]).toEqual(['invalid_request', 'limit']);
      }
      for (const cursor of [...cursors, tooLate, `${opaque('1 x')}=`, 7, {}]) {
        const error = await errorOf(() => list({ cursor: cursor as never }));
        expect([error['code'], error['field']]).toEqual(['invalid_request', 'cursor']);
      }
      expect(await outcomeOf(() => list('x' as never))).toBe('invalid_request');
      expect(await outcomeOf(() => list({ cursor: null, limit: 200 }))).toBe('ok');
    }
  });
});

describe('Statements on PostgreSQL', () => {
  it('executes as many statements for a long list as for a short one', async () => {
    const database = await createMigratedDatabase();
    const knex = knexPackage({ client: 'pg', connection: database.url, pool: { min: 0, max: 2 } });
    const { service, mail } = await makeService({
      ...license,
      adapter: knexAdapter(knex),
      providers: proProviders,
    });
    let sent: string[] = [];
    knex.on('query', ({ sql }: { sql: string }) => void sent.push(sql));
    const count = async (act: () => Promise<unknown>) => {
      sent = [];
      await act();
      return sent.length;
    };
    try {
      const email = 'ada@example.com';
      await service.emailCode.sendCode({ email });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      const userId = user.id;
      const measure = async (rows: number) => {
        for (let i = 0; i < rows; i += 1) await service.orgs.create({ name: 'Acme', ownerUserId: userId });
        const { org } = await service.orgs.create({ name: 'Acme', ownerUserId: userId });
        for (let i = 0; i < rows; i += 1)
          await service.orgs.invite({ orgId: org.id, email: `p${i}@example.com` });
        const { token } = await service.sessionsProvider.create({ userId });
        const others: { session: { id: string } }[] = [];
        for (let i = 0; i < rows; i += 1) others.push(await service.sessionsProvider.create({ userId }));
        const { record } = await service.apiKeys.create({ userId, name: 'CI' });
        const acting = { actingUserId: userId };
        return {
          'list organizations': await count(() => service.orgs.listForUser(userId, {})),
          'list members': await count(() => service.orgs.listMembers(org.id, acting, {})),
          invite: await count(() =>
            service.orgs.invite({ orgId: org.id, email: 'last@example.com', invitedByUserId: userId }),
          ),
          'revoke a device': await count(() =>
            service.sessionsProvider.revokeDevice(others[0]!.session.id, acting),
          ),
          'sign out others': await count(() => service.sessionsProvider.revokeOthers(userId, token)),
          'revoke a key': await count(() => service.apiKeys.revoke(record.id, acting)),
        };
      };
      const few = await measure(1);
      expect(await measure(60)).toEqual(few);
      // The end of a device ends the trust in its browser too, and who may revoke a key is decided under a lock: both are transactions.
      expect([few['list organizations'], few['revoke a device'], few['revoke a key']]).toEqual([2, 5, 5]);
      expect(await service.sessionsProvider.listDevices(userId)).toHaveLength(1);
    } finally {
      await knex.destroy();
      await database.drop();
    }
  });
});
