/** GET and POST /api-keys, DELETE /api-keys/:id. Those of organisations are in org-invites.ts. */
import { day, proProviders } from '../../support/make-pro-service.js';
import { origin } from '../../support/every-provider.js';
import { goodPassword } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { addPasskey, mailedReset } from '../../support/people.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';

export function apiKeys(open: OpenSite): void {
  const openWithKeys = () => open({ pro: true, service: { providers: proProviders } });

  describe('API keys', () => {
    it('a key is told once, belongs to who made it, and is listed without its secret', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const answer = await site.post('/api-keys', { name: 'CI', scopes: ['read', 'read'] }, { cookie });
      expect(answer.json).toEqual({
        key: expect.stringMatching(/^svc_/) as string,
        record: {
          id: expect.stringMatching(uuidV7) as string,
          name: 'CI',
          prefix: expect.any(String) as string,
          userId: user.id,
          orgId: null,
          scopes: ['read'],
          metadata: {},
          createdAt: expect.stringMatching(isoDate) as string,
          lastUsedAt: null,
          expiresAt: null,
          revokedAt: null,
        },
      });
      const { key, record } = answer.json;
      expect(await site.service.apiKeys.verify(key)).toMatchObject({ id: record.id });
      const list = await site.get('/api-keys', { cookie });
      expect(list.json.apiKeys).toMatchObject([{ id: record.id }]);
      expect(list.text).not.toContain(key);
    });

    it('POST /password/reset revokes passkeys and API keys if it is asked to', async () => {
      const webauthn = { rpId: 'app.test', origins: [origin] };
      const site = await open({ pro: true, service: { providers: { ...proProviders, webauthn } } });
      for (const revokeCredentials of [undefined, false, true]) {
        const { email, cookie, user } = await site.signInByCode();
        const { key } = (await site.post('/api-keys', { name: 'CI' }, { cookie })).json;
        await addPasskey(site, cookie);
        const token = await mailedReset(site, email);
        const body = { token, newPassword: goodPassword, revokeCredentials };
        const malformed = await site.post('/password/reset', { ...body, revokeCredentials: 'true' });
        expectError(malformed, 400, 'invalid_request');
        expect((await site.post('/password/reset', body)).json.user.id).toBe(user.id);
        const passkeys = await site.service.webauthn.listCredentials(user.id);
        const verified = await outcomeOf(() => site.service.apiKeys.verify(key));
        const expected = revokeCredentials ? [0, 'api_key_invalid'] : [1, 'ok'];
        expect([passkeys.length, verified]).toEqual(expected);
      }
    });

    it('a key has scopes that the application lets strangers have, and no others', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Mine', ownerUserId: user.id });
      for (const path of ['/api-keys', `/orgs/${org.id}/api-keys`]) {
        const scopes = ['write', 'read'];
        expect((await site.post(path, { name: 'x', scopes }, { cookie })).json.record).toMatchObject({
          scopes,
        });
        for (const wrong of [['admin'], ['read', 'admin'], ['Read'], [''], ['read*'], ['__proto__']])
          expectError(
            await site.post(path, { name: 'x', scopes: wrong }, { cookie }),
            400,
            'invalid_request',
          );
      }
      const { record } = await site.service.apiKeys.create({ userId: user.id, name: 'x', scopes: ['admin'] });
      expect(record.scopes).toEqual(['admin']);
    });

    it('a key has no scopes where the application names none', async () => {
      const site = await open({ pro: true, service: { providers: { ...proProviders, apiKeys: true } } });
      const { cookie } = await site.signInByCode();
      expectError(
        await site.post('/api-keys', { name: 'x', scopes: ['read'] }, { cookie }),
        400,
        'invalid_request',
      );
      const answer = await site.post('/api-keys', { name: 'x', scopes: [] }, { cookie });
      expect(answer.json.record.scopes).toEqual([]);
    });

    it('a user makes a hundred keys a day, their own and those of organisations; a refusal counts for nothing', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Mine', ownerUserId: user.id });
      const make = (path: string, name = 'x') => site.post(path, { name }, { cookie });
      expectError(await make('/api-keys', ''), 400, 'invalid_request');
      for (let i = 0; i < 50; i += 1) {
        expect((await make('/api-keys')).status).toBe(200);
        expect((await make(`/orgs/${org.id}/api-keys`)).status).toBe(200);
      }
      for (const path of ['/api-keys', `/orgs/${org.id}/api-keys`]) expectTooMany(await make(path), day);
      const other = await site.signInByCode();
      expect((await site.post('/api-keys', { name: 'x' }, { cookie: other.cookie })).status).toBe(200);
      // The application's own code makes as many as it likes.
      expect(await site.service.apiKeys.create({ userId: user.id, name: 'x' })).toBeDefined();
    });

    it('the owner comes from the session, and metadata is not for a body to set', async () => {
      const site = await openWithKeys();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const { org } = await site.service.orgs.create({ name: 'Theirs', ownerUserId: other.user.id });
      const body = { name: 'x', userId: other.user.id, orgId: org.id, metadata: { a: 1 } };
      const answer = await site.post('/api-keys', body, { cookie: me.cookie });
      expect(answer.json.record).toMatchObject({ userId: me.user.id, orgId: null, metadata: {} });
    });

    it('a key ends when it says, given in any zone; a time that is past, or is none, is 400', async () => {
      const site = await openWithKeys();
      const { cookie } = await site.signInByCode();
      const at = new Date(site.clock.now() + day);
      const zoned = new Date(at.getTime() + 2 * 60 * 60_000).toISOString().replace('Z', '+02:00');
      const answer = await site.post('/api-keys', { name: 'x', expiresAt: zoned }, { cookie });
      expect(answer.json.record.expiresAt).toBe(at.toISOString());
      for (const expiresAt of [new Date(site.clock.now()).toISOString(), '2199', 'tomorrow', '']) {
        expectError(
          await site.post('/api-keys', { name: 'x', expiresAt }, { cookie }),
          400,
          'invalid_request',
        );
      }
      for (const body of [
        { name: '' },
        { name: 'a\nb' },
        { name: 'x', scopes: ['two words'] },
        { name: 'x', scopes: [1] },
      ]) {
        expectError(await site.post('/api-keys', body, { cookie }), 400, 'invalid_request');
      }
      site.clock.advance(day);
      await expect(site.service.apiKeys.verify(answer.json.key)).rejects.toMatchObject({
        code: 'api_key_invalid',
      });
    });

    it('a key is ended by its owner alone; nobody else learns whether there is one', async () => {
      const site = await openWithKeys();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const { key, record } = (await site.post('/api-keys', { name: 'x' }, { cookie: me.cookie })).json;
      const remove = (cookie: string, id: string) =>
        site.send('DELETE', `/api-keys/${id}`, undefined, { cookie });
      expect((await remove(other.cookie, record.id)).json).toEqual({ ok: true });
      expect(await site.service.apiKeys.verify(key)).toMatchObject({ id: record.id });
      expect((await site.get('/api-keys', { cookie: other.cookie })).json).toEqual({
        apiKeys: [],
        nextCursor: null,
      });
      for (let i = 0; i < 2; i += 1) expect((await remove(me.cookie, record.id)).json).toEqual({ ok: true });
      await expect(site.service.apiKeys.verify(key)).rejects.toMatchObject({ code: 'api_key_invalid' });
      const { apiKeys } = (await site.get('/api-keys', { cookie: me.cookie })).json;
      expect(apiKeys).toMatchObject([{ id: record.id, revokedAt: expect.stringMatching(isoDate) as string }]);
    });

    it('a key of an organisation is not ended by this route, whoever asks', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Mine', ownerUserId: user.id });
      const { key, record } = await site.service.apiKeys.create({ name: 'x', orgId: org.id });
      await site.send('DELETE', `/api-keys/${record.id}`, undefined, { cookie });
      expect(await site.service.apiKeys.verify(key)).toMatchObject({ id: record.id });
    });

    it('a guest has no keys', async () => {
      const site = await openWithKeys();
      const cookie = (await site.post('/guest')).cookie();
      expectError(await site.post('/api-keys', { name: 'x' }, { cookie }), 403, 'not_authorized');
    });

    it('a key is no session: it opens none of these routes', async () => {
      const site = await openWithKeys();
      const { cookie } = await site.signInByCode();
      const { key } = (await site.post('/api-keys', { name: 'x' }, { cookie })).json;
      const headers = { Authorization: `Bearer ${key}`, 'X-Api-Key': key };
      expectError(await site.get('/api-keys', { headers }), 401, 'token_invalid');
    });
  });
}
