// API keys of another system at the guard of routes: accepted with `apiKeys.foreign` alone.
import { createHash, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { requireApiKey } from 'svc-auth';
import { describeAdapters } from '../support/describe-adapters.js';
import { httpClient } from '../support/http-client.js';
import { listen } from '../support/http-site.js';
import { oldUser } from '../support/imported-users.js';
import { proFixtures } from '../support/make-pro-service.js';

describeAdapters('API keys of another system', (on) => {
  const { makePro } = proFixtures(on);

  async function open(foreign: boolean) {
    const test = await makePro({ providers: { apiKeys: { foreign, scopes: ['read'] } } });
    const key = `sk_live_${randomBytes(20).toString('hex')}`;
    const digest = createHash('sha256').update(key).digest('base64url');
    const record = oldUser({ passwordHash: null, apiKeys: [{ name: 'CI', digest, scopes: ['read'] }] });
    const report = await test.service.users.import([record]);
    const user = (await test.service.users.find({ externalId: String(record.externalId) }))!;
    const app = express();
    app.get('/key', requireApiKey(test.service, { scopes: ['read'] }), (req, res) => {
      res.json({ userId: req.apiKey?.userId });
    });
    const server = await listen(app);
    const client = httpClient((server.address() as AddressInfo).port);
    const close = () => {
      client.close();
      server.closeAllConnections();
      server.close();
    };
    return { ...test, key, report, user, client, close };
  }

  const statusOf = async ({ client }: Awaited<ReturnType<typeof open>>, headers: Record<string, string>) =>
    (await client.send({ method: 'GET', path: '/key', headers })).status;

  it('are accepted in both headers, until they are revoked or their user is blocked', async () => {
    const site = await open(true);
    expect(site.report.warnings).toEqual([]);
    const headers: Record<string, string>[] = [
      { Authorization: `Bearer ${site.key}` },
      { 'X-Api-Key': site.key },
    ];
    for (const each of headers) expect(await statusOf(site, each)).toBe(200);
    for (const wrong of [`${site.key}0`, site.key.slice(1), site.key.toUpperCase(), '', 'x'])
      expect(await statusOf(site, { 'X-Api-Key': wrong })).toBe(401);
    await site.service.users.block(site.user.id);
    expect(await statusOf(site, headers[0]!)).toBe(403);
    await site.service.users.unblock(site.user.id);
    const [record] = await site.service.apiKeys.list({ userId: site.user.id });
    await site.service.apiKeys.revoke(record!.id);
    expect(await statusOf(site, headers[0]!)).toBe(401);
    site.close();
  });

  it('are refused without the option, of which the import warns', async () => {
    const site = await open(false);
    expect(site.report.warnings).toEqual([expect.stringMatching(/foreign: true/)]);
    expect(await statusOf(site, { 'X-Api-Key': site.key })).toBe(401);
    site.close();
  });

  it('are not the digest of the database, and no other key is accepted by its secret alone', async () => {
    const site = await open(true);
    const { key } = await site.service.apiKeys.create({ userId: site.user.id, name: 'ours' });
    const [, , secret] = key.split('_');
    const digest = createHash('sha256').update(site.key).digest('base64url');
    for (const each of [secret!, digest, `svc_${site.key}`])
      expect(await statusOf(site, { 'X-Api-Key': each })).toBe(401);
    expect(await statusOf(site, { 'X-Api-Key': key })).toBe(403);
    site.close();
  });
});
