/** The example application has no mistakes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import express from 'express';
import { createAuthRouter, createProRouter, createService } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import { createAuth } from '../../example-app/auth.js';
import { createInbox } from '../../example-app/inbox.js';
import { readSettings } from '../../example-app/settings.js';
import { browserRules } from '../../example-app/browser-rules.js';

const folder = mkdtempSync(path.join(tmpdir(), 'svc-auth-example-'));
const { DATA } = process.env;
beforeAll(() => (process.env['DATA'] = folder));
afterAll(() => {
  if (DATA === undefined) delete process.env['DATA'];
  else process.env['DATA'] = DATA;
  rmSync(folder, { recursive: true, force: true });
});

it('finds neither errors nor warnings in the example', async () => {
  const origin = 'http://localhost:3000';
  const settings = readSettings({ DATA: folder });
  const { service, identityProvider } = await createAuth(origin, settings, createInbox());
  await service.init();
  const app = express();
  app.use(browserRules(origin));
  app.use('/api/auth', createAuthRouter(service), createProRouter(service));
  app.use(createPages(service, { name: 'Acme' }));
  app.use('/admin', createAdminPages(service, { authorize: ({ roles }) => roles.includes('admin') }));
  try {
    expect(await service.diagnose({ app })).toEqual([]);
  } finally {
    await service.close();
    await identityProvider.close();
  }
});

it('finds neither errors nor warnings in the configuration of the commands of the example', async () => {
  const { default: config } = await import('../../example-app/users.config.js');
  const service = createService(config);
  await service.init();
  try {
    expect(await service.diagnose()).toEqual([]);
  } finally {
    await service.close();
  }
});
