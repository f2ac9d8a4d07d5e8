/** What an application closes over HTTP: sign-ups, guests and new organizations. tests/attack/requirements has every sign-up method. */
import * as z from 'zod';
import { validPassword } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, userLike } from './expect.js';
import { newSlug } from './org-scenes.js';

export function signUpPolicy(open: OpenSite): void {
  const openPro = (providers: object) =>
    open({ pro: true, service: { providers: { ...proProviders, ...providers } } });

  describe('the sign-up policy', () => {
    it('POST /password/signup takes the fields of signUp.fields, and stores them in the metadata', async () => {
      const fields = z.object({ company: z.string(), newsletter: z.boolean().default(false) });
      const site = await open({ service: { signUp: { fields } } });
      const email = site.uniqueEmail();
      const body = { email, password: validPassword, fields: { company: 'Acme' } };
      const response = await site.post('/password/signup', body);
      expect(response.status).toBe(200);
      const metadata = { company: 'Acme', newsletter: false };
      expect(response.json).toEqual({ user: { ...userLike({ email, emailVerified: false }), metadata } });
    });

    it('POST /password/signup returns 400 with the field and the reason for missing, invalid and unknown fields', async () => {
      const fields = z.object({ company: z.string() });
      const site = await open({ service: { signUp: { fields } } });
      const { email: taken } = await open().then((other) => other.signUp());
      for (const email of [site.uniqueEmail(), taken]) {
        const signUp = (given?: unknown) =>
          site.post('/password/signup', { email, password: validPassword, fields: given });
        for (const invalid of [undefined, {}, { company: 1 }]) {
          const response = await signUp(invalid);
          expectError(response, 400, 'invalid_request');
          expect(response.json).toMatchObject({
            field: 'fields.company',
            reason: 'field_invalid',
            issues: [{ field: 'fields.company', message: expect.any(String) }],
          });
        }
        const unknown = await signUp({ company: 'Acme', admin: true });
        expectError(unknown, 400, 'invalid_request');
        expect(unknown.json).toMatchObject({ field: 'fields.admin', reason: 'field_unknown' });
        for (const malformed of ['Acme', [], 7, null])
          expectError(await signUp(malformed), 400, 'invalid_request');
      }
    });

    it('POST /password/signup ignores metadata, and refuses fields that are not configured', async () => {
      const site = await open();
      const body = { email: site.uniqueEmail(), password: validPassword };
      const unknown = await site.post('/password/signup', { ...body, fields: { company: 'Acme' } });
      expectError(unknown, 400, 'invalid_request');
      const response = await site.post('/password/signup', { ...body, metadata: { admin: true } });
      expect(response.json.user.metadata).toEqual({});
    });

    it('POST /guest returns 403 sign_up_disabled with guests: false, and the current user to a signed-in client', async () => {
      const site = await openPro({ sessions: { guests: false } });
      const refused = await site.post('/guest');
      expectError(refused, 403, 'sign_up_disabled');
      expect(refused.cookies).toEqual([]);
      const { cookie, user } = await site.signInByCode();
      const current = await site.post('/guest', undefined, { cookie });
      expect(current.json).toMatchObject({ user: { id: user.id }, created: false });
    });

    it.each([
      [true, { none: 200, support: 200, admin: 200 }],
      ['roles', { none: 403, support: 200, admin: 200 }],
      [['admin', 'billing'], { none: 403, support: 403, admin: 200 }],
      [false, { none: 403, support: 403, admin: 403 }],
    ])(
      'POST /orgs lets users with the right roles create organizations with create: %j',
      async (create, expected) => {
        const site = await openPro({ orgs: { create } });
        const statuses: Record<string, number> = {};
        for (const role of Object.keys(expected)) {
          const { user, cookie } = await site.signInByCode();
          await site.service.users.update(user.id as string, { roles: role === 'none' ? [] : [role] });
          const response = await site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie });
          statuses[role] = response.status;
          if (response.status === 403) {
            expectError(response, 403, 'not_authorized');
            expect((await site.get('/orgs', { cookie })).json.orgs).toEqual([]);
            // The application's own code may.
            await site.service.orgs.create({ name: 'Acme', slug: newSlug(), ownerUserId: user.id as string });
          }
        }
        expect(statuses).toEqual(expected);
      },
    );

    it('POST /orgs returns the same 403 for a taken slug to a user who may not create organizations', async () => {
      const site = await openPro({ orgs: { create: false } });
      const { user, cookie } = await site.signInByCode();
      const slug = newSlug();
      await site.service.orgs.create({ name: 'Acme', slug, ownerUserId: user.id as string });
      expectError(await site.post('/orgs', { name: 'Acme', slug }, { cookie }), 403, 'not_authorized');
    });

    it('POST /orgs refuses a user at the next request after the role is removed', async () => {
      const site = await openPro({ orgs: { create: ['admin'] } });
      const { user, cookie } = await site.signInByCode();
      const create = () => site.post('/orgs', { name: 'Acme', slug: newSlug() }, { cookie });
      await site.service.users.update(user.id as string, { roles: ['admin'] });
      expect((await create()).status).toBe(200);
      await site.service.users.update(user.id as string, { roles: ['support'] });
      expectError(await create(), 403, 'not_authorized');
    });
  });
}
