/** An application with names, pictures and organizations, for tests in a browser. One of its pictures does not exist. */
// cspell:ignore Maximiliane عائشة محمود
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createAdminRouter, createAuthRouter, createProRouter, createService, memoryAdapter } from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import { loginAs, outbox, testLicense } from 'svc-auth/testing';
import type { NamesApplication } from '../browser/support/names-application.js';

const members = [
  ['grace@acme.test', 'Grace Hopper', '/avatars/grace.svg'],
  ['taro@acme.test', '山田 太郎', null],
  ['aisha@acme.test', 'عائشة محمود', '/avatars/missing.png'],
  ['bo@acme.test', null, null],
  ['long@acme.test', 'Wolfeschlegelsteinhausenbergerdorff Maximiliane Alexandra', null],
] as const;

export async function startNamesApplication(): Promise<NamesApplication> {
  const app = express();
  const server = await new Promise<ReturnType<typeof app.listen>>((resolve) => {
    const opened = app.listen(0, '127.0.0.1', () => resolve(opened));
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const sender = outbox();
  const service = createService({
    adapter: memoryAdapter(),
    appName: 'Acme',
    session: { secret: 'a secret of the browser tests, 32 bytes long' },
    usernames: { enabled: true },
    profiles: { pictures: ['/avatars/'] },
    ...testLicense(),
    providers: {
      emailCode: { sender },
      account: { sender },
      orgs: { sender, inviteUrl: `${origin}/join` },
      sessions: true,
    },
  });
  await service.init();
  const authorize = ({ roles }: { roles: string[] }) => roles.includes('admin');
  app.use(
    '/api/auth',
    createAuthRouter(service),
    createProRouter(service),
    createAdminRouter(service, { authorize }),
  );
  const picture =
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#7a3fd9"/><circle cx="4" cy="3" r="1.6" fill="#fff"/></svg>';
  app.get('/avatars/grace.svg', (_req, res) => void res.type('svg').send(picture));
  app.use('/admin', createAdminPages(service, { authorize }));
  app.use(createPages(service, { name: 'Acme' }));
  const { user, token } = await loginAs(service, { email: 'ada@acme.test' });
  await service.users.update(user.id, { roles: ['admin'] });
  const { org } = await service.orgs.create({ name: 'Analytical Engines', ownerUserId: user.id });
  for (const [email, name, avatar] of members) {
    const metadata = { ...(name && { name }), ...(avatar && { picture: avatar }) };
    const { id } = await service.users.create({ email, emailVerified: true, metadata });
    await service.orgs.addMember(org.id, id, 'member');
  }
  const longAddress = `${'long.'.repeat(12)}name@mail.of-a-company-with-a-long-name.test`;
  const { token: longToken } = await loginAs(service, { email: longAddress });
  return {
    origin,
    token,
    longToken,
    orgPath: `/account/organizations/${org.id}`,
    userPath: `/admin/users/${user.id}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
