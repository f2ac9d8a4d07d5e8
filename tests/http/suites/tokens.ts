/** POST /token/issue, /token/refresh, /token/revoke. */
import { codeAt } from '../../support/authenticator-app.js';
import type { Site } from '../../support/http-site.js';
import { minute, proProviders } from '../../support/make-pro-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError, isoDate, uuidV7 } from './expect.js';

export function tokens(open: OpenSite): void {
  const openWithTokens = () =>
    open({
      pro: true,
      service: { providers: { ...proProviders, sessions: { canImpersonate: () => true } } },
      before: (app) => void app.set('trust proxy', true),
    });

  const issue = async (site: Site, cookie: string, body: object = {}) =>
    site.post('/token/issue', body, { cookie, headers: { 'User-Agent': 'acme-app/1.0' } });
  const refresh = (site: Site, refreshToken: unknown) => site.post('/token/refresh', { refreshToken });
  const revoke = (site: Site, refreshToken: unknown) => site.post('/token/revoke', { refreshToken });
  const bearer = (accessToken: string) => ({ headers: { Authorization: `Bearer ${accessToken}` } });

  describe('token routes', () => {
    it('POST /token/issue returns a token pair to a recent session, with the device of the request, and keeps its cookie', async () => {
      const site = await openWithTokens();
      const { cookie, user } = await site.signInByCode();
      const response = await issue(site, cookie, {
        device: { name: 'my phone', ip: '6.6.6.6', userAgent: 'lies' },
      });
      expect(response.status).toBe(200);
      expect(response.cookies).toEqual([]);
      expect(response.json).toEqual({
        accessToken: expect.any(String) as string,
        accessExpiresAt: expect.stringMatching(isoDate) as string,
        refreshToken: expect.any(String) as string,
        refreshExpiresAt: expect.stringMatching(isoDate) as string,
        familyId: expect.stringMatching(uuidV7) as string,
      });
      const [family] = (await site.adapter.refreshFamilies?.listForUser(user.id)) ?? [];
      expect(family?.device).toEqual({ name: 'my phone', ip: '127.0.0.1', userAgent: 'acme-app/1.0' });
      const { json } = await site.get('/session', bearer(response.json.accessToken));
      expect(json.user.id).toBe(user.id);
    });

    it('an access token can manage a second factor like a session; the change ends its family and sets no cookie', async () => {
      const site = await open({
        pro: true,
        service: {
          encryptionKey: 'an encryption key of the tests, 32 bytes',
          providers: { ...proProviders, totp: true },
        },
      });
      const { cookie } = await site.signInByCode();
      const { accessToken, refreshToken } = (await issue(site, cookie)).json;
      expect((await site.get('/totp', bearer(accessToken))).json).toMatchObject({ enabled: false });
      const { secret } = (await site.post('/totp/enroll', undefined, bearer(accessToken))).json;
      const code = codeAt(secret, site.clock.now());
      const confirmed = await site.post('/totp/confirm', { code }, bearer(accessToken));
      expect([confirmed.status, confirmed.cookies]).toEqual([200, []]);
      expect(confirmed.json.recoveryCodes).toHaveLength(10);
      expectError(await site.get('/totp', bearer(accessToken)), 401, 'token_invalid');
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
    });

    it('POST /token/issue returns 400 for an overlong device name, and accepts a missing one', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      expectError(await issue(site, cookie, { device: { name: 'x'.repeat(513) } }), 400, 'invalid_request');
      expect((await issue(site, cookie, { device: {} })).status).toBe(200);
    });

    it('POST /token/issue returns 403 not_authorized for an access token, which could otherwise remain recent forever', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      const { accessToken } = (await issue(site, cookie)).json;
      expectError(await site.post('/token/issue', {}, bearer(accessToken)), 403, 'not_authorized');
      // It is still a session, and recent for as long as its family.
      expect((await site.get('/api-keys', bearer(accessToken))).status).toBe(200);
      expect((await site.post('/api-keys', { name: 'x' }, bearer(accessToken))).status).toBe(200);
      site.clock.advance(10 * minute + 1);
      expectError(await site.post('/api-keys', { name: 'x' }, bearer(accessToken)), 403, 'reauth_required');
    });

    it('POST /token/refresh returns the next pair without a session, and the reuse of a replaced token ends the family', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      const first = (await issue(site, cookie)).json;
      const second = await refresh(site, first.refreshToken);
      expect(second.status).toBe(200);
      expect(second.json.familyId).toBe(first.familyId);
      expect(second.json.refreshToken).not.toBe(first.refreshToken);
      site.clock.advance(minute);
      expectError(await refresh(site, first.refreshToken), 401, 'refresh_token_invalid');
      expectError(await refresh(site, second.json.refreshToken), 401, 'refresh_token_invalid');
      expectError(await site.get('/session', bearer(second.json.accessToken)), 401, 'token_invalid');
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('POST /devices/revoke-others ends every family except that of the caller', async () => {
      const site = await openWithTokens();
      const [person, other] = [await site.signInByCode(), await site.signInByCode()];
      const { cookie: elsewhere } = await site.signInByCode(person.email);
      const [mine, theirs] = [
        (await issue(site, person.cookie)).json,
        (await issue(site, person.cookie)).json,
      ];
      const otherUserPair = (await issue(site, other.cookie)).json;
      expect((await site.post('/devices/revoke-others', undefined, bearer(mine.accessToken))).status).toBe(
        200,
      );
      for (const options of [{ cookie: person.cookie }, { cookie: elsewhere }, bearer(theirs.accessToken)]) {
        expectError(await site.get('/session', options), 401, 'token_invalid');
      }
      expectError(await refresh(site, theirs.refreshToken), 401, 'refresh_token_invalid');
      for (const { refreshToken } of [mine, otherUserPair]) {
        expect((await refresh(site, refreshToken)).status).toBe(200);
      }
      const { cookie } = await site.signInByCode(person.email);
      await site.post('/devices/revoke-others', undefined, { cookie });
      expectError(await site.get('/session', bearer(mine.accessToken)), 401, 'token_invalid');
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('concurrent requests to refresh one token all return the same next token', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      const { refreshToken } = (await issue(site, cookie)).json;
      const responses = await Promise.all(Array.from({ length: 5 }, () => refresh(site, refreshToken)));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(responses.map(({ json }) => json.refreshToken as string)).size).toBe(1);
    });

    it('POST /token/revoke ends the family and returns 200 for revoked and invalid tokens, too (RFC 7009, 2.2)', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      const { refreshToken, accessToken } = (await issue(site, cookie)).json;
      for (const token of [refreshToken, refreshToken, 'x', '', `${refreshToken}x`]) {
        const response = await revoke(site, token);
        expect([response.status, response.json]).toEqual([200, { ok: true }]);
      }
      expectError(await refresh(site, refreshToken), 401, 'refresh_token_invalid');
      expectError(await site.get('/session', bearer(accessToken)), 401, 'token_invalid');
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('GET /tokens lists the active tokens of the signed-in user, newest first, and marks the current one', async () => {
      const site = await openWithTokens();
      const [person, other] = [await site.signInByCode(), await site.signInByCode()];
      const first = (await issue(site, person.cookie, { device: { name: 'phone' } })).json;
      site.clock.advance(1000);
      const second = (await issue(site, person.cookie)).json;
      await revoke(site, (await issue(site, person.cookie)).json.refreshToken);
      await issue(site, other.cookie);
      const refreshed = (await refresh(site, first.refreshToken)).json;
      const list = await site.get('/tokens', bearer(refreshed.accessToken));
      expect(list.status).toBe(200);
      expect(list.json.families).toEqual([
        {
          id: second.familyId,
          device: { ip: '127.0.0.1', userAgent: 'acme-app/1.0' },
          createdAt: expect.stringMatching(isoDate) as string,
          lastUsedAt: null,
          expiresAt: second.refreshExpiresAt,
          current: false,
        },
        {
          id: first.familyId,
          device: { name: 'phone', ip: '127.0.0.1', userAgent: 'acme-app/1.0' },
          createdAt: expect.stringMatching(isoDate) as string,
          lastUsedAt: new Date(site.clock.now()).toISOString(),
          expiresAt: first.refreshExpiresAt,
          current: true,
        },
      ]);
      expect(list.text).not.toContain(String(refreshed.refreshToken));
      expectError(await site.get('/tokens'), 401, 'token_invalid');
    });

    it('DELETE /tokens/:id revokes one token of the user, and no tokens of other users', async () => {
      const site = await openWithTokens();
      const [person, other] = [await site.signInByCode(), await site.signInByCode()];
      const revoked = (await issue(site, person.cookie)).json;
      const kept = (await issue(site, person.cookie)).json;
      const remove = (id: string, cookie: string) =>
        site.send('DELETE', `/tokens/${id}`, undefined, { cookie });
      for (const id of [kept.familyId, 'malformed', person.user.id]) {
        expect((await remove(String(id), other.cookie)).json).toEqual({ ok: true });
      }
      for (let round = 0; round < 2; round += 1) {
        expect((await remove(revoked.familyId, person.cookie)).json).toEqual({ ok: true });
      }
      expectError(await refresh(site, revoked.refreshToken), 401, 'refresh_token_invalid');
      expectError(await site.get('/session', bearer(revoked.accessToken)), 401, 'token_invalid');
      expect((await refresh(site, kept.refreshToken)).status).toBe(200);
      expectError(await remove(kept.familyId, ''), 401, 'token_invalid');
    });

    it('POST /token/refresh returns 401 refresh_token_invalid for anything that is not a refresh token', async () => {
      const site = await openWithTokens();
      const { cookie } = await site.signInByCode();
      const { refreshToken, accessToken }: Record<'refreshToken' | 'accessToken', string> = (
        await issue(site, cookie)
      ).json;
      const others = ['', 'x', accessToken, cookie, refreshToken.replace(/.$/, '!'), 'x'.repeat(5000)];
      for (const other of others) expectError(await refresh(site, other), 401, 'refresh_token_invalid');
    });
  });
}
