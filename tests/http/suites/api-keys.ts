/**
 * GET and POST /api-keys, DELETE /api-keys/:id. Keys of organizations are tested in org-invites.ts.
 */
import { day, proProviders } from '../../support/make-pro-service.js';
import { origin } from '../../support/every-provider.js';
import { validPassword } from '../../support/http-site.js';
import { outcomeOf } from '../../support/outcomes.js';
import { addPasskey, requestResetToken } from '../../support/site-actions.js';
import type { OpenSite } from '../matrix.js';
import { expectError, expectTooMany, isoDate, uuidV7 } from './expect.js';

export function apiKeys(open: OpenSite): void {
  const openWithKeys = () => open({ pro: true, service: { providers: proProviders } });

  describe('API keys', () => {
    it('POST /api-keys returns the key once; the key belongs to its creator and is listed without its secret', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const response = await site.post('/api-keys', { name: 'CI', scopes: ['read', 'read'] }, { cookie });
      expect(response.json).toEqual({
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
      const { key, record } = response.json;
      expect(await site.service.apiKeys.verify(key)).toMatchObject({ id: record.id });
      const list = await site.get('/api-keys', { cookie });
      expect(list.json.apiKeys).toMatchObject([{ id: record.id }]);
      expect(list.text).not.toContain(key);
    });

    it('POST /password/reset revokes passkeys and API keys if revokeCredentials is true', async () => {
      const webauthn = { rpId: 'app.test', origins: [origin] };
      const site = await open({ pro: true, service: { providers: { ...proProviders, webauthn } } });
      for (const revokeCredentials of [undefined, false, true]) {
        const { email, cookie, user } = await site.signInByCode();
        const { key } = (await site.post('/api-keys', { name: 'CI' }, { cookie })).json;
        await addPasskey(site, cookie);
        const token = await requestResetToken(site, email);
        const body = { token, newPassword: validPassword, revokeCredentials };
        const malformed = await site.post('/password/reset', { ...body, revokeCredentials: 'true' });
        expectError(malformed, 400, 'invalid_request');
        expect((await site.post('/password/reset', body)).json.user.id).toBe(user.id);
        const passkeys = await site.service.webauthn.listCredentials(user.id);
        const verified = await outcomeOf(() => site.service.apiKeys.verify(key));
        const expected = revokeCredentials ? [0, 'api_key_invalid'] : [1, 'ok'];
        expect([passkeys.length, verified]).toEqual(expected);
      }
    });

    it('POST /api-keys accepts only scopes from the configured user scopes', async () => {
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

    it('POST /api-keys accepts no scopes if none are configured', async () => {
      const site = await open({ pro: true, service: { providers: { ...proProviders, apiKeys: true } } });
      const { cookie } = await site.signInByCode();
      expectError(
        await site.post('/api-keys', { name: 'x', scopes: ['read'] }, { cookie }),
        400,
        'invalid_request',
      );
      const response = await site.post('/api-keys', { name: 'x', scopes: [] }, { cookie });
      expect(response.json.record.scopes).toEqual([]);
    });

    it('POST /api-keys allows a hundred keys a day per user, organization keys included; rejected requests do not count', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Mine', ownerUserId: user.id });
      const createKey = (path: string, name = 'x') => site.post(path, { name }, { cookie });
      expectError(await createKey('/api-keys', ''), 400, 'invalid_request');
      for (let i = 0; i < 50; i += 1) {
        expect((await createKey('/api-keys')).status).toBe(200);
        expect((await createKey(`/orgs/${org.id}/api-keys`)).status).toBe(200);
      }
      for (const path of ['/api-keys', `/orgs/${org.id}/api-keys`]) expectTooMany(await createKey(path), day);
      const other = await site.signInByCode();
      expect((await site.post('/api-keys', { name: 'x' }, { cookie: other.cookie })).status).toBe(200);
      // The application's own code has no limit.
      expect(await site.service.apiKeys.create({ userId: user.id, name: 'x' })).toBeDefined();
    });

    it('POST /api-keys takes the owner from the session and ignores metadata in the body', async () => {
      const site = await openWithKeys();
      const [me, other] = [await site.signInByCode(), await site.signInByCode()];
      const { org } = await site.service.orgs.create({ name: 'Theirs', ownerUserId: other.user.id });
      const body = { name: 'x', userId: other.user.id, orgId: org.id, metadata: { a: 1 } };
      const response = await site.post('/api-keys', body, { cookie: me.cookie });
      expect(response.json.record).toMatchObject({ userId: me.user.id, orgId: null, metadata: {} });
    });

    it('POST /api-keys accepts expiresAt in any time zone and returns 400 for a past or malformed time', async () => {
      const site = await openWithKeys();
      const { cookie } = await site.signInByCode();
      const at = new Date(site.clock.now() + day);
      const zoned = new Date(at.getTime() + 2 * 60 * 60_000).toISOString().replace('Z', '+02:00');
      const response = await site.post('/api-keys', { name: 'x', expiresAt: zoned }, { cookie });
      expect(response.json.record.expiresAt).toBe(at.toISOString());
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
      await expect(site.service.apiKeys.verify(response.json.key)).rejects.toMatchObject({
        code: 'api_key_invalid',
      });
    });

    it('DELETE /api-keys/:id revokes a key only for its owner and does not reveal to others whether it exists', async () => {
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

    it('DELETE /api-keys/:id does not revoke an organization’s key', async () => {
      const site = await openWithKeys();
      const { cookie, user } = await site.signInByCode();
      const { org } = await site.service.orgs.create({ name: 'Mine', ownerUserId: user.id });
      const { key, record } = await site.service.apiKeys.create({ name: 'x', orgId: org.id });
      await site.send('DELETE', `/api-keys/${record.id}`, undefined, { cookie });
      expect(await site.service.apiKeys.verify(key)).toMatchObject({ id: record.id });
    });

    it('POST /api-keys returns 403 not_authorized to a guest', async () => {
      const site = await openWithKeys();
      const cookie = (await site.post('/guest')).cookie();
      expectError(await site.post('/api-keys', { name: 'x' }, { cookie }), 403, 'not_authorized');
    });

    it('GET /api-keys returns 401 token_invalid for an API key, which is not a session', async () => {
      const site = await openWithKeys();
      const { cookie } = await site.signInByCode();
      const { key } = (await site.post('/api-keys', { name: 'x' }, { cookie })).json;
      const headers = { Authorization: `Bearer ${key}`, 'X-Api-Key': key };
      expectError(await site.get('/api-keys', { headers }), 401, 'token_invalid');
    });
  });
}
