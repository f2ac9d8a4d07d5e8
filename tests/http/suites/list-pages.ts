/**
 * `cursor` and `limit` of every route that lists, `nextCursor` of every body, and previews of
 * invites.
 */
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany } from './expect.js';
import { newSlug, orgScenes, put } from './org-scenes.js';

export function listPages(open: OpenSite): void {
  const { openWithOrgs, newOrg, member, inviteToken } = orgScenes(open);

  describe('list pages', () => {
    it('the pages of a list together are the whole list', async () => {
      const site = await openWithOrgs();
      const { founder, id } = await newOrg(site);
      const { cookie } = founder;
      for (let i = 0; i < 3; i += 1) {
        await member(site, id);
        await site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie });
        await site.post('/api-keys', { name: 'CI' }, { cookie });
        await site.post(`/orgs/${id}/api-keys`, { name: 'CI' }, { cookie });
        await site.post(`/orgs/${id}/invites`, { email: site.uniqueEmail() }, { cookie });
        await site.service.sessionsProvider.create({ userId: founder.user.id });
      }
      const lists = {
        devices: '/devices',
        apiKeys: '/api-keys',
        orgs: '/orgs',
        members: `/orgs/${id}/members`,
        invites: `/orgs/${id}/invites`,
      };
      for (const [name, path] of [...Object.entries(lists), ['apiKeys', `/orgs/${id}/api-keys`] as const]) {
        const { json } = await site.get(path, { cookie });
        const rows = json[name] as unknown[];
        expect([path, rows.length >= 3, json.nextCursor]).toEqual([path, true, null]);
        const first = (await site.get(`${path}?limit=2`, { cookie })).json;
        expect([path, first[name]]).toEqual([path, rows.slice(0, 2)]);
        const cursor = encodeURIComponent(first.nextCursor as string);
        const second = (await site.get(`${path}?limit=200&cursor=${cursor}`, { cookie })).json;
        expect([path, second]).toEqual([path, { [name]: rows.slice(2), nextCursor: null }]);
      }
    });

    it('a list returns 400 invalid_request for a limit outside 1 to 200, a malformed cursor and a parameter given twice', async () => {
      const site = await openWithOrgs();
      const { founder, id } = await newOrg(site);
      for (const path of [
        '/devices',
        '/tokens',
        '/api-keys',
        '/orgs',
        `/orgs/${id}/members`,
        `/orgs/${id}/invites`,
      ]) {
        const limits = ['0', '201', '-1', '1.5', '', 'x', '0x10', '1e2', '1&limit=2'];
        for (const query of [
          ...limits.map((limit) => `limit=${limit}`),
          'cursor=x',
          'cursor=',
          'cursor=x&cursor=y',
        ]) {
          const response = await site.get(`${path}?${query}`, { cookie: founder.cookie });
          expectError(response, 400, 'invalid_request');
          expect(response.json.field).toBe(query.startsWith('limit') ? 'limit' : 'cursor');
        }
      }
    });

    it('a list contains no rows of another user, for any cursor', async () => {
      const site = await openWithOrgs();
      const [{ founder, id }, stranger] = [await newOrg(site), await site.signInByCode()];
      for (let i = 0; i < 2; i += 1) await site.post('/api-keys', { name: 'CI' }, { cookie: founder.cookie });
      const { nextCursor } = (await site.get('/api-keys?limit=1', { cookie: founder.cookie })).json;
      const query = `?cursor=${encodeURIComponent(nextCursor as string)}`;
      const { cookie } = stranger;
      expect((await site.get(`/api-keys${query}`, { cookie })).json).toEqual({
        apiKeys: [],
        nextCursor: null,
      });
      expectError(await site.get(`/orgs/${id}/members${query}`, { cookie }), 403, 'not_authorized');
    });
  });

  describe('POST /orgs/invites/preview', () => {
    it('POST /orgs/invites/preview accepts the token only, returns masked addresses and does not use the invite', async () => {
      const site = await openWithOrgs();
      const { founder, id, slug } = await newOrg(site);
      const email = site.uniqueEmail();
      const sent = await site.post(
        `/orgs/${id}/invites`,
        { email, role: 'admin' },
        { cookie: founder.cookie },
      );
      const token = inviteToken(email);
      const masked = (address: string) => address.replace(/^(.).*@/, '$1***@');
      const preview = await site.post('/orgs/invites/preview', { token });
      expect(preview.json).toEqual({
        organization: { name: 'Acme', slug },
        inviter: masked(founder.email),
        email: masked(email),
        role: 'admin',
        expiresAt: sent.json.invite.expiresAt,
      });
      const { cookie } = await site.signInByCode(email);
      expect((await site.post('/orgs/invites/accept', { token }, { cookie })).status).toBe(200);
      expectError(await site.post('/orgs/invites/preview', { token }), 401, 'token_invalid');
      expectError(await site.post('/orgs/invites/preview', { token: 'x' }), 401, 'token_invalid');
      expectError(await site.post('/orgs/invites/preview', {}), 400, 'invalid_request');
    });

    it('POST /orgs/invites/preview is limited per client', async () => {
      const site = await openWithOrgs();
      const headers = { 'X-Forwarded-For': '198.51.100.77' };
      const preview = () => site.post('/orgs/invites/preview', { token: 'x' }, { headers });
      for (let i = 0; i < 100; i += 1) expectError(await preview(), 401, 'token_invalid');
      expectTooMany(await preview(), 15 * 60_000);
    });
  });

  describe('users with an unverified address', () => {
    it('a user with an unverified address cannot create organizations or keys, or invite members', async () => {
      const site = await openWithOrgs();
      const { cookie: unverified, email, user } = await site.signUp();
      const { id } = await newOrg(site);
      await site.service.orgs.addMember(id, user.id, 'owner');
      const attempts: [path: string, body: object][] = [
        ['/orgs', { name: 'Acme' }],
        ['/api-keys', { name: 'CI' }],
        [`/orgs/${id}/api-keys`, { name: 'CI' }],
        [`/orgs/${id}/invites`, { email: site.uniqueEmail() }],
      ];
      for (const [path, body] of attempts) {
        expectError(await site.post(path, body, { cookie: unverified }), 403, 'email_unverified');
      }
      await site.post('/email-code/send', { email });
      const proof = { email, code: site.mail.lastCode(email) };
      // Verified in a session of the account itself, which is therefore not reclaimed.
      const verified = await site.post('/email-code/verify', proof, { cookie: unverified });
      expect(verified.status).toBe(200);
      const cookie = verified.cookie();
      for (const [path, body] of attempts) expect((await site.post(path, body, { cookie })).status).toBe(200);
      // The others of an organization stay as they were.
      expect((await put(site, cookie, `/orgs/${id}/members/${user.id}`, { role: 'admin' })).status).toBe(200);
    });
  });
}
