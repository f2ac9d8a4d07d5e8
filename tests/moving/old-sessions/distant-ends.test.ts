/** Sessions of a former system that end after the last year of some databases: `exp` in milliseconds is a usual mistake. */
import express from 'express';
import jsonwebtoken from 'jsonwebtoken';
import { jwt } from 'svc-auth/moving';
import { createSharedDatabase } from '../../support/databases.js';
import { openSite } from '../../support/http-site.js';
import { openStorage } from '../../support/open-storage.js';

const secret = 'the secret of the former system, of 32 characters';

it.each(['PostgreSQL', 'SQLite'] as const)('are replaced once, on %s', async (storage) => {
  const database = await createSharedDatabase(storage);
  const adapter = openStorage(database.url);
  await adapter.init();
  const source = jwt({ secret, from: { cookie: 'old' }, userId: ({ sub }) => sub });
  const site = await openSite(express, adapter, { service: { session: { acceptSessionsFrom: [source] } } });
  try {
    await site.service.users.create({
      ...{ email: site.uniqueEmail(), emailVerified: true },
      externalId: 'user-7',
    });
    const token = jsonwebtoken.sign({ sub: 'user-7', exp: site.clock.now() + 1_000 }, secret);
    const statusOf = async () => (await site.get('/session', { cookie: `old=${token}` })).status;
    expect(await statusOf()).toBe(200);
    site.clock.advance(60_000);
    expect(await statusOf()).toBe(401);
  } finally {
    await site.close();
    await adapter.close();
    await database.drop();
  }
});
