/** The admin routes about what belongs to a user: sessions, tokens, identities, passkeys, second factor, keys, organizations; and deletion. */
import { unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import {
  activeRecords,
  adminScenes,
  createRecords,
  enableTotp,
  remove,
  type Records,
  type Scene,
} from './admin-scenes.js';
import { expectError } from './expect.js';

type Kind = keyof Records;

const kinds = ['sessions', 'tokens', 'identities', 'passkeys', 'api-keys', 'orgs'] as const;

/** By kind: the name of the list, and the keys of a row. */
const rows: Record<Kind, { list: string; keys: string[] }> = {
  sessions: {
    list: 'sessions',
    keys: [
      'id',
      'userId',
      'device',
      'createdAt',
      'lastSeenAt',
      'expiresAt',
      'revokedAt',
      'boundAt',
      'current',
    ],
  },
  tokens: { list: 'families', keys: ['id', 'device', 'createdAt', 'lastUsedAt', 'expiresAt', 'current'] },
  identities: { list: 'identities', keys: ['id', 'userId', 'provider', 'providerAccountId', 'createdAt'] },
  passkeys: {
    list: 'passkeys',
    keys: [
      'id',
      'userId',
      'counter',
      'transports',
      'backupEligible',
      'backedUp',
      'name',
      'aaguid',
      'createdAt',
      'lastUsedAt',
      'lastUsedFrom',
    ],
  },
  'api-keys': {
    list: 'apiKeys',
    keys: [
      'id',
      'name',
      'prefix',
      'userId',
      'orgId',
      'scopes',
      'metadata',
      'createdAt',
      'lastUsedAt',
      'expiresAt',
      'revokedAt',
    ],
  },
  orgs: { list: 'orgs', keys: ['org', 'membership'] },
};

const events: Record<Kind, string> = {
  sessions: 'session.revoked',
  tokens: 'refresh.revoked',
  identities: 'identity.unlinked',
  passkeys: 'passkey.removed',
  'api-keys': 'api_key.revoked',
  orgs: 'org.member_removed',
};

/** Every route about the records of a user, with an unknown record. */
const recordRoutes = (path: string) => [
  ...kinds.flatMap((kind) => [
    ['GET', `${path}/${kind}`],
    ['DELETE', `${path}/${kind}/${unknownId}`],
  ]),
  ['GET', `${path}/totp`],
  ['DELETE', `${path}/totp`],
  ['DELETE', path],
];

export function adminRecords(open: OpenSite): void {
  const { scene } = adminScenes(open);

  /** Records the events that name an actor. */
  function actedEvents({ site }: Scene) {
    const heard: [string, unknown][] = [];
    site.service.on('*', (name, payload) => {
      if ('actor' in payload) heard.push([name, payload.actor]);
    });
    return heard;
  }

  describe('the records of a user over HTTP', () => {
    it.each(kinds)('lists and ends the %s of a user, with the administrator as the actor', async (kind) => {
      const here = await scene();
      const { site, me, target, options, path } = here;
      const userId = target.user.id as string;
      const records = await createRecords(site, userId);
      const heard = actedEvents(here);
      const before = await activeRecords(site, userId);
      const listed = await site.get(`${path}/${kind}`, options);
      const { list, keys } = rows[kind];
      const found = listed.json[list] as Record<string, unknown>[];
      expect(Object.keys(listed.json)).toEqual(kind === 'identities' ? [list] : [list, 'nextCursor']);
      for (const row of found) expect(Object.keys(row).sort()).toEqual([...keys].sort());
      const idOf = (row: Record<string, unknown>) => (kind === 'orgs' ? row['org'] : row) as { id: string };
      expect(found.map((row) => idOf(row).id)).toContain(records[kind]);

      expect((await remove(site, `${path}/${kind}/${records[kind]}`, options)).json).toEqual({ ok: true });
      const left = before[kind].split(',').filter((id) => id !== records[kind]);
      expect(await activeRecords(site, userId)).toEqual({ ...before, [kind]: left.join() });
      await site.settle();
      const actor = { type: 'user', id: me.user.id };
      expect(heard).toEqual([[events[kind], actor]]);
      const event = events[kind].replace('.', '_');
      expect(site.log.filter(({ fields }) => fields['event'] === event).map(({ fields }) => fields)).toEqual([
        expect.objectContaining({ event, actor }),
      ]);
    });

    it.each(kinds)('leaves the %s of another user unchanged', async (kind) => {
      const { site, target, options, path } = await scene();
      const other = await site.signInByCode();
      const records = await createRecords(site, other.user.id as string);
      await createRecords(site, target.user.id as string);
      const state = async () => [
        await activeRecords(site, other.user.id as string),
        await activeRecords(site, target.user.id as string),
      ];
      const before = await state();
      const response = await remove(site, `${path}/${kind}/${records[kind]}`, options);
      if (kind === 'passkeys') expectError(response, 400, 'invalid_request');
      else if (kind === 'orgs') expectError(response, 400, 'org_error');
      else expect(response.json).toEqual({ ok: true });
      expect(await state()).toEqual(before);
    });

    it('marks the session of the request as current, and shows the device', async () => {
      const { site, me, options, path } = await scene();
      const own = await site.get(`/admin/users/${me.user.id}/sessions`, options);
      expect(own.json.sessions).toEqual([expect.objectContaining({ current: true })]);
      site.clock.advance(1000);
      await site.signInByCode((await site.service.users.get(path.split('/').at(-1)!)).email!, {
        headers: { 'User-Agent': 'Netscape 4' },
      });
      const { sessions } = (await site.get(`${path}/sessions`, options)).json;
      expect(sessions[0]).toMatchObject({
        current: false,
        device: { userAgent: 'Netscape 4', ip: expect.any(String) },
        lastSeenAt: expect.any(String),
      });
    });

    it('pages the lists by limit and cursor, and refuses malformed pages', async () => {
      const { site, target, options, path } = await scene();
      const userId = target.user.id as string;
      for (let index = 0; index < 2; index += 1) await createRecords(site, userId);
      for (const kind of kinds.filter((each) => each !== 'identities')) {
        const { list } = rows[kind];
        const seen: unknown[] = [];
        let cursor = '';
        do {
          const { json } = await site.get(`${path}/${kind}?limit=1${cursor}`, options);
          expect(json[list]).toHaveLength(1);
          seen.push(...json[list]);
          cursor = json.nextCursor === null ? '' : `&cursor=${encodeURIComponent(json.nextCursor)}`;
        } while (cursor !== '');
        expect(seen).toEqual((await site.get(`${path}/${kind}`, options)).json[list]);
        for (const query of ['limit=0', 'limit=201', 'cursor=x', 'limit=1&limit=2'])
          expectError(await site.get(`${path}/${kind}?${query}`, options), 400, 'invalid_request');
      }
    });

    it('shows the state of the second factor and removes it, which ends every session', async () => {
      const here = await scene();
      const { site, me, target, options, path } = here;
      expect((await site.get(`${path}/totp`, options)).json).toEqual({
        enabled: false,
        recoveryCodesLeft: 0,
      });
      await enableTotp(site, target.user.id as string);
      expect((await site.get(`${path}/totp`, options)).json).toEqual({
        enabled: true,
        recoveryCodesLeft: 10,
      });
      await createRecords(site, target.user.id as string);
      const heard = actedEvents(here);
      for (let times = 0; times < 2; times += 1)
        expect((await remove(site, `${path}/totp`, options)).json).toEqual({ ok: true });
      expect((await site.service.users.get(target.user.id as string)).twoFactor).toBe(false);
      expect(await activeRecords(site, target.user.id as string)).toMatchObject({ sessions: '', tokens: '' });
      await site.settle();
      expect(heard).toEqual([['totp.disabled', { type: 'user', id: me.user.id }]]);
      expect((await site.get('/session', options)).status).toBe(200);
    });

    it('removes the last sign-in method of a user, which the user may not', async () => {
      const { site, options } = await scene();
      const person = await site.service.users.create({ username: `ada${site.port}` });
      const path = `/admin/users/${person.id}`;
      const records = await createRecords(site, person.id);
      await expect(
        site.service.identities
          .unlink(person.id, records.identities)
          .then(() => site.service.webauthn.removeCredential(person.id, records.passkeys)),
      ).rejects.toMatchObject({ reason: 'last_sign_in_method' });
      expect((await remove(site, `${path}/passkeys/${records.passkeys}`, options)).status).toBe(200);
      const again = await createRecords(site, person.id);
      expect((await remove(site, `${path}/passkeys/${again.passkeys}`, options)).status).toBe(200);
      expect((await remove(site, `${path}/identities/${again.identities}`, options)).status).toBe(200);
      expect(await activeRecords(site, person.id)).toMatchObject({ identities: '', passkeys: '' });
    });

    it('deletes a user with every record, with the administrator as the actor', async () => {
      const here = await scene();
      const { site, me, target, options, path } = here;
      await createRecords(site, target.user.id as string);
      const heard = actedEvents(here);
      expect((await remove(site, path, options)).json).toEqual({ ok: true });
      expectError(await site.get('/session', { cookie: target.cookie }), 401, 'token_invalid');
      expectError(await site.get(path, options), 404, 'user_not_found');
      expectError(await remove(site, path, options), 404, 'user_not_found');
      await site.settle();
      const actor = { type: 'user', id: me.user.id };
      expect(heard).toEqual([['user.deleted', actor]]);
      const logged = site.log.filter(({ fields }) => fields['event'] === 'user_deleted');
      expect(logged.map(({ fields }) => fields)).toEqual([
        { event: 'user_deleted', userId: target.user.id, actor },
      ]);
    });

    it('neither removes nor deletes the last owner of an organization', async () => {
      const { site, target, options, path } = await scene();
      const userId = target.user.id as string;
      const slug = `last-${site.port}-${Date.now()}`;
      const { org } = await site.service.orgs.create({ name: 'Acme', slug, ownerUserId: userId });
      expectError(await remove(site, `${path}/orgs/${org.id}`, options), 400, 'org_error');
      expectError(await remove(site, path, options), 400, 'org_error');
      expect(await site.service.orgs.roleOf(org.id, userId)).toBe('owner');
      expect((await site.get('/session', { cookie: target.cookie })).status).toBe(200);
    });

    it('returns 404 user_not_found for an unknown user, and treats malformed ids like unknown ids', async () => {
      const { site, options } = await scene();
      for (const id of [unknownId, 'x', "'%20or%201=1", '%00', '__proto__']) {
        for (const [method, path] of recordRoutes(`/admin/users/${id}`)) {
          const { status, json } = await site.send(method!, path!, undefined, options);
          expect([method, path, status, json.error]).toEqual([method, path, 404, 'user_not_found']);
        }
      }
    });

    it('ignores unknown and malformed records, and refuses unknown passkeys and organizations', async () => {
      const { site, target, options, path } = await scene();
      await createRecords(site, target.user.id as string);
      const before = await activeRecords(site, target.user.id as string);
      for (const id of [unknownId, 'x', "'%20or%201=1", '%00', '__proto__']) {
        for (const kind of kinds) {
          const { status, json } = await remove(site, `${path}/${kind}/${id}`, options);
          const expected = { passkeys: '400 invalid_request', orgs: '400 org_error' }[kind as 'orgs'];
          expect([kind, id, `${status} ${json.error ?? 'ok'}`]).toEqual([kind, id, expected ?? '200 ok']);
        }
      }
      expect(await activeRecords(site, target.user.id as string)).toEqual(before);
    });

    it('answers contain no key, token, hash or secret', async () => {
      const { site, target, options, path } = await scene();
      const userId = target.user.id as string;
      await enableTotp(site, userId);
      const records = await createRecords(site, userId);
      const { key } = await site.service.apiKeys.create({ userId, name: 'CI' });
      const secrets = [
        key.split('_')[2]!,
        Buffer.from((await site.adapter.apiKeys!.findById(records['api-keys']))!.secretHash).toString('hex'),
        (await site.adapter.totp!.find(userId))!.secret!,
        (await site.adapter.credentials!.findWithUser(records.passkeys))!.credential.publicKey,
      ];
      for (const [method, route] of recordRoutes(path).filter(([verb]) => verb === 'GET')) {
        const { text } = await site.send(method!, route!, undefined, options);
        for (const secret of secrets) expect(text).not.toContain(secret);
        expect(text).not.toMatch(/epoch|hash|publicKey|secret|counterSign/i);
      }
    });

    it('without a license, sessions and identities work, and the other routes return 501 license_required', async () => {
      const { site, target, options, path } = await scene({ pro: undefined as never, service: {} });
      for (const [method, route] of recordRoutes(path)) {
        const { status, json } = await site.send(method!, route!, undefined, options);
        const isFree = /sessions|identities/.test(route!);
        const expected = isFree ? '200 ok' : '501 license_required';
        expect([method, route, `${status} ${json.error ?? 'ok'}`]).toEqual([method, route, expected]);
      }
      const { sessions } = (await site.get(`${path}/sessions`, options)).json;
      const [{ id }] = sessions as [{ id: string }];
      expect((await remove(site, `${path}/sessions/${id}`, options)).status).toBe(200);
      expectError(await site.get('/session', { cookie: target.cookie }), 401, 'token_invalid');
    });

    it('returns 501 provider_not_configured for the records of a provider that is not configured', async () => {
      const { site, options, path } = await scene({ service: {} });
      for (const [method, route] of recordRoutes(path)) {
        const { status, json } = await site.send(method!, route!, undefined, options);
        const isFree = /sessions|identities/.test(route!);
        const expected = isFree ? '200 ok' : '501 provider_not_configured';
        expect([method, route, `${status} ${json.error ?? 'ok'}`]).toEqual([method, route, expected]);
      }
    });
  });
}
