/** /orgs: organisations and members over HTTP. The rules on roles are in tests/pro/orgs.test.ts. */
import type { Account } from '../../support/http-site.js';
import { minute, nobody } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';
import { newSlug, orgScenes, put, remove } from './org-scenes.js';

export function orgs(open: OpenSite): void {
  const { openWithOrgs, founded, member, sent } = orgScenes(open);

  describe('organisations', () => {
    it('whoever founds one owns it, and finds it by id and by slug', async () => {
      const site = await openWithOrgs();
      const { cookie, user } = await site.signInByCode();
      const slug = newSlug();
      const answer = await site.post('/orgs', { name: ' Acme ', slug, metadata: { a: 1 } }, { cookie });
      expect(answer.json).toEqual({
        org: {
          id: expect.stringMatching(uuidV7) as string,
          name: 'Acme',
          slug,
          metadata: {},
          createdAt: expect.stringMatching(isoDate) as string,
          updatedAt: expect.stringMatching(isoDate) as string,
        },
        membership: {
          orgId: answer.json.org.id,
          userId: user.id,
          role: 'owner',
          createdAt: expect.stringMatching(isoDate) as string,
        },
      });
      for (const name of [answer.json.org.id, slug]) {
        expect((await site.get(`/orgs/${name}`, { cookie })).json).toEqual(answer.json);
      }
      const second = await site.post('/orgs', { name: 'Żółw & Söhne' }, { cookie });
      expect(second.status).toBe(200);
      expect((await site.get('/orgs', { cookie })).json.orgs).toHaveLength(2);
      expect((await site.get('/orgs', { cookie })).json.orgs).toContainEqual(answer.json);
    });

    it('of parallel foundings under one slug one succeeds', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const slug = newSlug();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => site.post('/orgs', { name: 'Acme', slug }, { cookie })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
      expectError(
        answers.find(({ status }) => status === 400)!,
        400,
        'org_error',
      );
    });

    it('names and slugs that are none are 400, and a guest founds nothing', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      for (const body of [
        { name: '' },
        { name: 'a\nb' },
        { name: 'x', slug: 'Not A Slug' },
        { name: 'x', slug: nobody },
      ]) {
        expectError(await site.post('/orgs', body, { cookie }), 400, 'invalid_request');
      }
      const guest = (await site.post('/guest')).cookie();
      expectError(await site.post('/orgs', { name: 'x' }, { cookie: guest }), 403, 'not_authorized');
    });

    it('who is no member gets the same answer for an organisation of others as for none, on every route', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await founded(site);
      const { cookie } = await site.signInByCode();
      const { record } = await site.service.apiKeys.create({ name: 'x', orgId: id });
      for (const org of [id, slug, nobody, 'no-such-slug', '%00']) {
        const answers = [
          await site.get(`/orgs/${org}`, { cookie }),
          await remove(site, cookie, `/orgs/${org}`),
          await site.get(`/orgs/${org}/members`, { cookie }),
          await put(site, cookie, `/orgs/${org}/members/${founder.user.id}`, { role: 'member' }),
          await remove(site, cookie, `/orgs/${org}/members/${founder.user.id}`),
          await site.post(`/orgs/${org}/invites`, { email: site.address() }, { cookie }),
          await site.get(`/orgs/${org}/invites`, { cookie }),
          await remove(site, cookie, `/orgs/${org}/invites/${nobody}`),
          await site.get(`/orgs/${org}/api-keys`, { cookie }),
          await site.post(`/orgs/${org}/api-keys`, { name: 'x' }, { cookie }),
          await remove(site, cookie, `/orgs/${org}/api-keys/${record.id}`),
        ];
        for (const answer of answers) {
          expect([org, answer.status, answer.json.error]).toEqual([org, 403, 'not_authorized']);
        }
      }
      expect(sent()).toEqual([]);
      expect((await site.get('/orgs', { cookie })).json).toEqual({ orgs: [], nextCursor: null });
    });

    it('members see members; admins and owners see their proven addresses too', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const unproven = await site.signUp();
      await site.service.orgs.addMember(id, unproven.user.id, 'member');
      const everybody = [founder, admin, plain, unproven];
      const seenBy = async ({ cookie }: Account) =>
        (await site.get(`/orgs/${id}/members`, { cookie })).json.members;
      const roles = ['owner', 'admin', 'member', 'member'];
      const bare = everybody.map(({ user }, i) => ({
        orgId: id,
        userId: user.id,
        role: roles[i],
        createdAt: expect.stringMatching(isoDate) as string,
      }));
      expect(await seenBy(plain)).toEqual(expect.arrayContaining(bare));
      const addresses = [founder.email, admin.email, plain.email, null];
      const full = bare.map((each, i) => ({ ...each, email: addresses[i] }));
      for (const who of [founder, admin]) expect(await seenBy(who)).toEqual(expect.arrayContaining(full));
    });

    it('roles change by who may, and the last owner stays one', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const [admin, plain] = [await member(site, id, 'admin'), await member(site, id)];
      const path = (account: Account) => `/orgs/${id}/members/${account.user.id}`;
      const changed = await put(site, founder.cookie, path(plain), { role: 'admin' });
      expect(changed.json.membership).toMatchObject({ orgId: id, userId: plain.user.id, role: 'admin' });
      expect((await put(site, admin.cookie, path(plain), { role: 'member' })).status).toBe(200);
      for (const [who, whom, role, status, code] of [
        [plain, plain, 'admin', 403, 'not_authorized'],
        [plain, admin, 'member', 403, 'not_authorized'],
        [admin, admin, 'owner', 403, 'not_authorized'],
        [admin, founder, 'member', 403, 'not_authorized'],
        [founder, founder, 'member', 400, 'org_error'],
        [founder, plain, 'king', 400, 'org_error'],
      ] as const) {
        expectError(await put(site, who.cookie, path(whom), { role }), status, code);
      }
    });

    it('a user who is no member looks to admins like nobody at all', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const stranger = await site.signInByCode();
      for (const userId of [stranger.user.id, nobody, 'x', '%00']) {
        const path = `/orgs/${id}/members/${userId}`;
        expectError(await put(site, founder.cookie, path, { role: 'admin' }), 400, 'org_error');
        expectError(await remove(site, founder.cookie, path), 400, 'org_error');
      }
    });

    it('everybody may leave but the last owner; admins remove whom they may', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
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
      // Leaving needs no fresh sign-in.
      site.clock.advance(11 * minute);
      expect((await remove(site, plain.cookie, path(plain))).json).toEqual({ ok: true });
      expectError(await remove(site, plain.cookie, path(plain)), 403, 'not_authorized');
      expect((await site.get('/orgs', { cookie: plain.cookie })).json).toEqual({
        orgs: [],
        nextCursor: null,
      });
    });

    it('A-51: others are removed by a fresh session alone, and whoever leaves may do so at any age of theirs', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const plain = await member(site, id);
      const path = `/orgs/${id}/members/${plain.user.id}`;
      site.clock.advance(10 * minute + 1);
      expectError(await remove(site, founder.cookie, path), 403, 'reauth_required');
      expect((await remove(site, plain.cookie, path)).json).toEqual({ ok: true });
    });

    it('of two owners who leave at once one stays', async () => {
      const site = await openWithOrgs();
      const { id, founder } = await founded(site);
      const second = await member(site, id, 'owner');
      const leave = ({ cookie, user }: Account) => remove(site, cookie, `/orgs/${id}/members/${user.id}`);
      const answers = await Promise.all([leave(founder), leave(second)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    });

    it('only owners delete one, by id or slug, and it is gone for everybody', async () => {
      const site = await openWithOrgs();
      const { id, slug, founder } = await founded(site);
      const admin = await member(site, id, 'admin');
      expectError(await remove(site, admin.cookie, `/orgs/${id}`), 403, 'not_authorized');
      expect((await remove(site, founder.cookie, `/orgs/${slug}`)).json).toEqual({ ok: true });
      for (const { cookie } of [founder, admin]) {
        expectError(await site.get(`/orgs/${id}`, { cookie }), 403, 'not_authorized');
      }
    });

    it('a user founds twenty organisations a day, and what is refused for its slug counts as one', async () => {
      const site = await openWithOrgs();
      const { cookie } = await site.signInByCode();
      const found = (slug: string) => site.post('/orgs', { name: 'x', slug }, { cookie });
      const slug = `taken-${site.port}`;
      expect((await found(slug)).status).toBe(200);
      for (let i = 0; i < 19; i += 1) expectError(await found(slug), 400, 'org_error');
      expectTooMany(await found(slug), 24 * 60 * minute);
    });
  });
}
