/** `cursor` and `limit` of every route that lists, `nextCursor` of every body, and previews of invites. */
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany } from './expect.js';
import { newSlug, orgScenes, put } from './org-scenes.js';

export function listPages(open: OpenSite): void {
  const { openWithOrgs, founded, member, inviteToken } = orgScenes(open);

  describe('Lists', () => {
    it('come in pages that together are the whole list', async () => {
      const site = await openWithOrgs();
      const { founder, id } = await founded(site);
      const { cookie } = founder;
      for (let i = 0; i < 3; i += 1) {
        await member(site, id);
        await site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie });
        await site.post('/api-keys', { name: 'CI' }, { cookie });
        await site.post(`/orgs/${id}/api-keys`, { name: 'CI' }, { cookie });
        await site.post(`/orgs/${id}/invites`, { email: site.address() }, { cookie });
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

    it('refuse another limit than 1 to 200, a malformed cursor, and a parameter that is given twice', async () => {
      const site = await openWithOrgs();
      const { founder, id } = await founded(site);
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
          const answer = await site.get(`${path}?${query}`, { cookie: founder.cookie });
          expectError(answer, 400, 'invalid_request');
          expect(answer.json.field).toBe(query.startsWith('limit') ? 'limit' : 'cursor');
        }
      }
    });

    it('have no rows of another user, whatever cursor is given', async () => {
      const site = await openWithOrgs();
      const [{ founder, id }, stranger] = [await founded(site), await site.signInByCode()];
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

  describe('A preview of an invite', () => {
    it('takes the token alone, answers masked addresses, and leaves the invite as it is', async () => {
      const site = await openWithOrgs();
      const { founder, id, slug } = await founded(site);
      const email = site.address();
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

    it('is limited per client', async () => {
      const site = await openWithOrgs();
      const headers = { 'X-Forwarded-For': '198.51.100.77' };
      const preview = () => site.post('/orgs/invites/preview', { token: 'x' }, { headers });
      for (let i = 0; i < 100; i += 1) expectError(await preview(), 401, 'token_invalid');
      expectTooMany(await preview(), 15 * 60_000);
    });
  });

  describe('A user with an unverified address', () => {
    it('creates no organization and no key, and invites no one, before the address is verified', async () => {
      const site = await openWithOrgs();
      const { cookie: unverified, email, user } = await site.signUp();
      const { id } = await founded(site);
      await site.service.orgs.addMember(id, user.id, 'owner');
      const attempts: [path: string, body: object][] = [
        ['/orgs', { name: 'Acme' }],
        ['/api-keys', { name: 'CI' }],
        [`/orgs/${id}/api-keys`, { name: 'CI' }],
        [`/orgs/${id}/invites`, { email: site.address() }],
      ];
      for (const [path, body] of attempts) {
        expectError(await site.post(path, body, { cookie: unverified }), 403, 'email_unverified');
      }
      await site.post('/email-code/send', { email });
      const proof = { email, code: site.mail.lastCode(email) };
      // Proven in the session of the account itself, which is therefore not reclaimed.
      const verified = await site.post('/email-code/verify', proof, { cookie: unverified });
      expect(verified.status).toBe(200);
      const cookie = verified.cookie();
      for (const [path, body] of attempts) expect((await site.post(path, body, { cookie })).status).toBe(200);
      // The others of an organization stay as they were.
      expect((await put(site, cookie, `/orgs/${id}/members/${user.id}`, { role: 'admin' })).status).toBe(200);
    });
  });
}
