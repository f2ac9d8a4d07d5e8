// refresh tokens and API keys in the hands of somebody who has no right to them; and guards that would guard nothing.
import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { requireApiKey, requireOrgRole, requireSession } from 'svc-auth';
import { describeAdapters } from '../../support/describe-adapters.js';
import { day, minute, nobody } from '../../support/make-pro-service.js';
import { outcomeOf } from '../../support/outcomes.js';
import { isIn, issueTokens } from '../../support/people.js';
import { wholeProduct, type WholeSite } from '../../support/whole-product.js';
import { guards } from './guarded-app.js';

const bearer = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });

describeAdapters('Credentials of the Pro tier', (on) => {
  const open = wholeProduct(on.adapter);
  const refresh = (site: WholeSite, refreshToken: string) => site.post('/token/refresh', { refreshToken });
  const inApp = async (site: WholeSite, path: string, options: object) =>
    (await site.send('GET', `/app/${path}`, undefined, options)).status;

  it('A-98 a refresh token rotates; one that comes back late ends its family, the thief’s and the victim’s tokens alike', async () => {
    const site = await open();
    const events: string[] = [];
    site.service.on('refresh.reuse_detected', ({ familyId }) => void events.push(familyId));
    const me = await site.signInByCode();
    const [first, other] = [await issueTokens(site, me), await issueTokens(site, me)];
    const second = (await refresh(site, first.refreshToken)).json;
    expect(second.refreshToken).not.toBe(first.refreshToken);
    // Two tabs, a lost answer: for ten seconds the last one gets the live one, and no other.
    expect((await refresh(site, first.refreshToken)).json.refreshToken).toBe(second.refreshToken);
    site.clock.advance(10_001);
    expect((await refresh(site, first.refreshToken)).json.error).toBe('refresh_token_invalid');
    expect((await refresh(site, second.refreshToken)).json.error).toBe('refresh_token_invalid');
    for (const { accessToken } of [first, second])
      expect(await isIn(site, `svc_session=${accessToken}`)).toBe(false);
    expect(await isIn(site, me.cookie)).toBe(true);
    expect((await refresh(site, other.refreshToken)).status).toBe(200);
    await site.settle();
    expect(events).toEqual([first.familyId]);
  });

  it('A-98 of twenty at once all get the one that is live, and none is forged by another counter, family or letter', async () => {
    const site = await open();
    const { refreshToken, familyId } = await issueTokens(site, await site.signInByCode());
    const stranger = await issueTokens(site, await site.signInByCode());
    const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(site, refreshToken)));
    const next = new Set(answers.map(({ json }) => json.refreshToken as string));
    expect([answers.every(({ status }) => status === 200), next.size]).toEqual([true, 1]);
    const [live] = [...next] as [string];
    const [, counter, mac] = live.split('.') as [string, string, string];
    expect(counter).toBe('1');
    for (const forged of [
      `${familyId}.2.${mac}`,
      `${familyId}.01.${mac}`,
      `${familyId}.-1.${mac}`,
      `${familyId}.1e0.${mac}`,
      `${stranger.familyId}.1.${mac}`,
      `${familyId.toUpperCase()}.1.${mac}`,
      `${nobody}.0.${mac}`,
      `${live}.x`,
      ` ${live}`,
      `${live}\n`,
    ]) {
      expect([forged, (await refresh(site, forged)).json.error]).toEqual([forged, 'refresh_token_invalid']);
    }
    expect((await refresh(site, live)).status).toBe(200);
  });

  it('A-98 a family ends thirty days after its issue however often it rotates, an access token after a quarter of an hour', async () => {
    const site = await open();
    let { refreshToken, accessToken } = await issueTokens(site, await site.signInByCode());
    site.clock.advance(15 * minute);
    expect(await isIn(site, `svc_session=${accessToken}`)).toBe(false);
    for (let age = 0; age < 29; age += 1) {
      site.clock.advance(day);
      const answer = await refresh(site, refreshToken);
      expect([age, answer.status]).toEqual([age, 200]);
      ({ refreshToken, accessToken } = answer.json as { refreshToken: string; accessToken: string });
    }
    site.clock.advance(day - 15 * minute);
    expect((await refresh(site, refreshToken)).status).toBe(401);
    expect(await isIn(site, `svc_session=${accessToken}`)).toBe(false);
  });

  it('A-98 an access token makes no family and no cookie, and an impersonation no token', async () => {
    const site = await open();
    const me = await site.signInByCode();
    const { accessToken } = await issueTokens(site, me);
    for (const options of [bearer(accessToken), { cookie: `svc_session=${accessToken}` }]) {
      const answer = await site.post('/token/issue', {}, options);
      expect([answer.status, answer.json.error, answer.cookies]).toEqual([403, 'not_authorized', []]);
      const changed = await site.post(
        '/account/password',
        { newPassword: 'another horse battery', currentPassword: 'another horse battery' },
        options,
      );
      expect(changed.cookies).toEqual([]);
    }
    const admin = await site.signInByCode();
    const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, me.user.id);
    for (const path of ['/token/issue', '/api-keys']) {
      expect((await site.post(path, { name: 'x' }, bearer(token))).json.error).toBe('not_authorized');
    }
  });

  it('A-99 a key has 256 bits, is told once and kept as a digest, and opens what its scopes say and nothing else', async () => {
    const site = await open({ after: guards });
    const me = await site.signInByCode();
    const made = await site.post('/api-keys', { name: 'script', scopes: ['read'] }, me);
    const { key, record } = made.json as { key: string; record: { id: string } };
    const secret = /^svc_[0-9a-f]{32}_([0-9a-f]{64})_[0-9a-f]{8}$/.exec(key)![1]!;
    const stored = (await site.adapter.apiKeys!.findById(record.id))!;
    expect(stored.secretHash).toBe(createHash('sha256').update(secret).digest('base64url'));
    expect(
      JSON.stringify([
        stored,
        (await site.get('/api-keys', me)).json,
        (await site.get('/account/export', me)).json,
      ]),
    ).not.toContain(secret);
    for (const options of [bearer(key), { headers: { 'X-Api-Key': key } }]) {
      expect([
        await inApp(site, 'any', options),
        await inApp(site, 'read', options),
        await inApp(site, 'both', options),
      ]).toEqual([200, 200, 403]);
    }
    // A key is no session, and a session no key.
    expect([
      await isIn(site, `svc_session=${key}`),
      (await site.get('/session', bearer(key))).status,
    ]).toEqual([false, 401]);
    expect(await inApp(site, 'any', { cookie: me.cookie, ...bearer(me.cookie.slice(12)) })).toBe(401);
    for (const scopes of [
      ['admin'],
      ['*'],
      ['read*'],
      ['Read'],
      ['read '],
      [''],
      ['read', 'admin'],
      ['__proto__'],
    ]) {
      const { status, json } = await site.post('/api-keys', { name: 'x', scopes }, me);
      expect([scopes, status, json.error]).toEqual([scopes, 400, 'invalid_request']);
    }
    const sum = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8);
    const id = record.id.replaceAll('-', '');
    for (const body of [
      `svc_${id}_${'0'.repeat(64)}`,
      `svc_${nobody.replaceAll('-', '')}_${secret}`,
      `svc_${id}_${stored.secretHash}`,
    ]) {
      for (const forged of [body, `${body}_${sum(body)}`, `${body}_${key.slice(-8)}`]) {
        expect([forged, await inApp(site, 'any', { headers: { 'X-Api-Key': forged } })]).toEqual([
          forged,
          401,
        ]);
      }
    }
  });

  it('A-99 a key belongs to whoever made it, is ended by nobody else, and dies with its end, its owner and its organisation', async () => {
    const site = await open({ after: guards });
    const [me, other] = [await site.signInByCode(), await site.signInByCode()];
    const make = async (path: string, body: object = {}) =>
      (await site.post(path, { name: 'script', userId: other.user.id, ...body }, me)).json as {
        key: string;
        record: { id: string };
      };
    const [mine, revoked] = [await make('/api-keys'), await make('/api-keys')];
    const short = await make('/api-keys', { expiresAt: new Date(site.clock.now() + minute).toISOString() });
    const { org } = (await site.post('/orgs', { name: 'Acme' }, me)).json;
    const shared = await make(`/orgs/${org.id}/api-keys`);
    const alive = async () =>
      Promise.all(
        [mine, revoked, short, shared].map(
          async ({ key }) => (await inApp(site, 'any', bearer(key))) === 200,
        ),
      );
    for (const { record } of [mine, revoked, shared]) {
      await site.send('DELETE', `/api-keys/${record.id}`, undefined, other);
      await site.send('DELETE', `/orgs/${org.id}/api-keys/${record.id}`, undefined, other);
    }
    await site.send('DELETE', `/api-keys/${shared.record.id}`, undefined, me);
    await site.send('DELETE', `/orgs/${org.id}/api-keys/${mine.record.id}`, undefined, me);
    expect(await alive()).toEqual([true, true, true, true]);
    expect((await site.send('GET', '/app/any', undefined, bearer(mine.key))).json.owner).toBe(me.user.id);
    expect((await site.get('/api-keys', other)).json.apiKeys).toEqual([]);
    await site.send('DELETE', `/api-keys/${revoked.record.id}`, undefined, me);
    site.clock.advance(minute);
    expect(await alive()).toEqual([true, false, false, true]);
    await site.send('DELETE', `/orgs/${org.id}`, undefined, me);
    expect(await alive()).toEqual([true, false, false, false]);
    expect((await site.send('DELETE', '/account', undefined, me)).status).toBe(200);
    expect(await alive()).toEqual([false, false, false, false]);
  });
});

describe('The guards of the Pro tier', () => {
  const open = wholeProduct();
  const made = (make: () => unknown) => outcomeOf(make);

  it('A-99 A-100 refuse to be made with an option that they do not have, which would guard nothing', async () => {
    const { service } = await open();
    const org = (req: Request) => req.params['org'];
    const odd = (options: object) => options as { min: 'admin'; org: typeof org };
    for (const options of [{ scope: ['read'] }, { scopes: 'read' }, { Scopes: ['read'] }, { mfa: true }]) {
      expect([options, await made(() => requireApiKey(service, options as object))]).toEqual([
        options,
        'invalid_request',
      ]);
    }
    for (const others of [{ mfa: true }, { maxAgeMs: minute }, { role: 'owner' }, { orgs: org }]) {
      const outcome = await made(() => requireOrgRole(service, odd({ min: 'admin', org, ...others })));
      expect([others, outcome]).toEqual([others, 'invalid_request']);
    }
    for (const stateless of ['false', 'no', 1, 0, {}, null]) {
      const outcome = await made(() => requireSession(service, { stateless } as object));
      expect([stateless, outcome]).toEqual([stateless, 'invalid_request']);
    }
    expect(await made(() => requireApiKey(service, { scopes: ['read'] }))).toBe('ok');
  });
});
