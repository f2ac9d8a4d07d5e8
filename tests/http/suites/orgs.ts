/** /orgs: organizations and members over HTTP. tests/pro/org-roles.test.ts has the rules for roles. */
import type { Account } from '../../support/http-site.js';
import { minute, unknownId } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';
import { newSlug, orgScenes, put, remove } from './org-scenes.js';

export function orgs(open: OpenSite): void {
  const { openWithOrgs, newOrg, member, sent } = orgScenes(open);

  describe('organizations', () => {
    it('POST /orgs makes the creator the owner, and GET /orgs/:id accepts the id and the slug', async () => {
      const site = await openWithOrgs();
      const { cookie, user } = await site.signInByCode();
      const slug = newSlug();
      const response = await site.post('/orgs', { name: ' Acme ', slug, metadata: { a: 1 } }, { cookie });
      expect(response.json).toEqual({
        org: {
          id: expect.stringMatching(uuidV7) as string,
          name: 'Acme',
          slug,
          metadata: {},
          createdAt: expect.stringMatching(isoDate) as string,
          updatedAt: expect.stringMatching(isoDate) as string,
        },
        membership: {
          orgId: response.json.org.id,
          userId: user.id,
          role: 'owner',
          createdAt: expect.stringMatching(isoDate) as string,
        },
      });
      for (const name of [response.json.org.id, slug]) {
        expect((await site.get(`/orgs/${name}`, { cookie })).json).toEqual(response.json);
      }
      const second = await site.post('/orgs', { name: 'Żółw & Söhne' }, { cookie });
      expect(second.status).toBe(200);
      expect((await site.get('/orgs', { cookie })).json.orgs).toHaveLength(2);
      expect((await site.get('/orgs', { cookie })).json.orgs).toContainEqual(response.json);
    });

    it('one of several concurrent POST /orgs with the same slug succeeds', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const slug = newSlug();
      const responses = await Promise.all(
        Array.from({ length: 5 }, () => site.post('/orgs', { name: 'Acme', slug }, { cookie })),
      );
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
      expectError(
        responses.find(({ status }) => status === 400)!,
        400,
        'org_error',
      );
    });

    it('POST /orgs returns 400 for invalid names and slugs, and 403 to a guest', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      for (const body of [
        { name: '' },
        { name: 'a\nb' },
        { name: 'x', slug: 'Not A Slug' },
        { name: 'x', slug: unknownId },
      ]) {
        expectError(await site.post('/orgs', body, { cookie }), 400, 'invalid_request');
      }
      const guest = (await site.post('/guest')).cookie();
      expectError(await site.post('/orgs', { name: 'x' }, { cookie: guest }), 403, 'not_authorized');
    });

    it('every route of an organization returns the same 403 to a user who is not a member, whether or not it exists', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await newOrg(site);
      const { cookie } = await site.signInByCode();
      const { record } = await site.service.apiKeys.create({ name: 'x', orgId: id });
      for (const org of [id, slug, unknownId, 'no-such-slug', '%00']) {
        const responses = [
          await site.get(`/orgs/${org}`, { cookie }),
          await remove(site, cookie, `/orgs/${org}`),
          await site.get(`/orgs/${org}/members`, { cookie }),
          await put(site, cookie, `/orgs/${org}/members/${founder.user.id}`, { role: 'member' }),
          await remove(site, cookie, `/orgs/${org}/members/${founder.user.id}`),
          await site.post(`/orgs/${org}/invites`, { email: site.uniqueEmail() }, { cookie }),
          await site.get(`/orgs/${org}/invites`, { cookie }),
          await remove(site, cookie, `/orgs/${org}/invites/${unknownId}`),
          await site.get(`/orgs/${org}/api-keys`, { cookie }),
          await site.post(`/orgs/${org}/api-keys`, { name: 'x' }, { cookie }),
          await remove(site, cookie, `/orgs/${org}/api-keys/${record.id}`),
        ];
        for (const response of responses) {
          expect([org, response.status, response.json.error]).toEqual([org, 403, 'not_authorized']);
        }
      }
      expect(sent()).toEqual([]);
      expect((await site.get('/orgs', { cookie })).json).toEqual({ orgs: [], nextCursor: null });
    });

    it('GET /orgs/:id/members shows all members to members, and verified addresses only to admins and owners', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const unverified = await site.signUp();
      await site.service.orgs.addMember(id, unverified.user.id, 'member');
      const members = [founder, admin, plain, unverified];
      const membersSeenBy = async ({ cookie }: Account) =>
        (await site.get(`/orgs/${id}/members`, { cookie })).json.members;
      const roles = ['owner', 'admin', 'member', 'member'];
      const withoutAddresses = members.map(({ user }, i) => ({
        orgId: id,
        userId: user.id,
        role: roles[i],
        createdAt: expect.stringMatching(isoDate) as string,
        name: null,
        picture: null,
      }));
      expect(await membersSeenBy(plain)).toEqual(expect.arrayContaining(withoutAddresses));
      const addresses = [founder.email, admin.email, plain.email, null];
      const withAddresses = withoutAddresses.map((membership, i) => ({ ...membership, email: addresses[i] }));
      for (const viewer of [founder, admin])
        expect(await membersSeenBy(viewer)).toEqual(expect.arrayContaining(withAddresses));
    });

    it('PUT /orgs/:id/members/:userId changes roles within the rights of the caller and keeps the last owner', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const path = (account: Account) => `/orgs/${id}/members/${account.user.id}`;
      const changed = await put(site, founder.cookie, path(plain), { role: 'admin' });
      expect(changed.json.membership).toMatchObject({ orgId: id, userId: plain.user.id, role: 'admin' });
      expect((await put(site, admin.cookie, path(plain), { role: 'member' })).status).toBe(200);
      for (const [actor, target, role, status, code] of [
        [plain, plain, 'admin', 403, 'not_authorized'],
        [plain, admin, 'member', 403, 'not_authorized'],
        [admin, admin, 'owner', 403, 'not_authorized'],
        [admin, founder, 'member', 403, 'not_authorized'],
        [founder, founder, 'member', 400, 'org_error'],
        [founder, plain, 'king', 400, 'org_error'],
      ] as const) {
        expectError(await put(site, actor.cookie, path(target), { role }), status, code);
      }
    });

    it('changing or removing a user who is not a member returns the same org_error as for an unknown user', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const stranger = await site.signInByCode();
      for (const userId of [stranger.user.id, unknownId, 'x', '%00']) {
        const path = `/orgs/${id}/members/${userId}`;
        expectError(await put(site, founder.cookie, path, { role: 'admin' }), 400, 'org_error');
        expectError(await remove(site, founder.cookie, path), 400, 'org_error');
      }
    });

    it('DELETE /orgs/:id/members/:userId lets every member except the last owner leave, and admins remove members', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const [admin, plain, other] = [
        await member(site, id, 'admin'),
        await member(site, id),
        await member(site, id),
      ];
      const path = (account: Account) => `/orgs/${id}/members/${account.user.id}`;
      expectError(await remove(site, plain.cookie, path(other)), 403, 'not_authorized');
      expectError(await remove(site, admin.cookie, path(founder)), 403, 'not_authorized');
      expectError(await remove(site, founder.cookie, path(founder)), 400, 'org_error');
      expect((await remove(site, admin.cookie, path(other))).json).toEqual({ ok: true });
      // Leaving does not require a recent sign-in.
      site.clock.advance(11 * minute);
      expect((await remove(site, plain.cookie, path(plain))).json).toEqual({ ok: true });
      expectError(await remove(site, plain.cookie, path(plain)), 403, 'not_authorized');
      expect((await site.get('/orgs', { cookie: plain.cookie })).json).toEqual({
        orgs: [],
        nextCursor: null,
      });
    });

    //
    it('DELETE /orgs/:id/members/:userId requires a recent sign-in to remove others, but not to leave', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const plain = await member(site, id);
      const path = `/orgs/${id}/members/${plain.user.id}`;
      site.clock.advance(10 * minute + 1);
      expectError(await remove(site, founder.cookie, path), 403, 'reauth_required');
      expect((await remove(site, plain.cookie, path)).json).toEqual({ ok: true });
    });

    it('one of two owners who leave concurrently remains', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await newOrg(site);
      const second = await member(site, id, 'owner');
      const leave = ({ cookie, user }: Account) => remove(site, cookie, `/orgs/${id}/members/${user.id}`);
      const responses = await Promise.all([leave(founder), leave(second)]);
      expect(responses.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('DELETE /orgs/:id accepts only owners, by id or slug, and removes the organization for every member', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await newOrg(site);
      const admin = await member(site, id, 'admin');
      expectError(await remove(site, admin.cookie, `/orgs/${id}`), 403, 'not_authorized');
      expect((await remove(site, founder.cookie, `/orgs/${slug}`)).json).toEqual({ ok: true });
      for (const { cookie } of [founder, admin]) {
        expectError(await site.get(`/orgs/${id}`, { cookie }), 403, 'not_authorized');
      }
    });

    it('POST /orgs allows twenty organizations a day per user, including attempts with a taken slug', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const createOrg = (slug: string) => site.post('/orgs', { name: 'x', slug }, { cookie });
      const slug = `taken-${site.port}`;
      expect((await createOrg(slug)).status).toBe(200);
      for (let i = 0; i < 19; i += 1) expectError(await createOrg(slug), 400, 'org_error');
      expectTooMany(await createOrg(slug), 24 * 60 * minute);
    });
  });
}
