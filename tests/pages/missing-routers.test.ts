// The pages without the JSON routes that passkeys, identity providers and mailed links need.
import express from 'express';
import { createAuthRouter, createProRouter } from 'svc-auth';
import { createPages } from 'svc-auth/pages';
import request from 'supertest';
import { license } from '../support/make-pro-service.js';
import { encryptionKey, origin } from '../support/every-provider.js';
import { makeService } from '../support/make-service.js';

type Routers = readonly (typeof createAuthRouter | typeof createProRouter)[];

const client = { clientId: 'client', clientSecret: 'secret' };

/** Opens the sign-in page twice. The routers are created after the pages. */
async function openSignIn(routers: Routers) {
  const { service, log } = await makeService({
    ...license,
    encryptionKey,
    providers: {
      webauthn: { rpId: 'app.test', origins: [origin] },
      google: { ...client, redirectUri: `${origin}/api/auth/google/callback` },
      oauth: {
        acme: {
          ...client,
          issuer: 'https://idp.test',
          redirectUri: `${origin}/api/auth/oauth/acme/callback`,
        },
      },
    },
  });
  const app = express();
  app.use(createPages(service, { name: 'Acme', authPath: '/auth' }));
  for (const createRouter of routers) app.use('/auth', createRouter(service));
  await request(app).get('/sign-in').expect(200);
  const { text } = await request(app).get('/sign-in').expect(200);
  await service.close();
  const warnings = log
    .filter(({ fields }) => 'router' in fields)
    .map(({ level, message }) => [level, message]);
  const offered = ['data-passkey=', 'webauthn"', '/google/start', '/oauth/acme/start'].filter((part) =>
    text.includes(part),
  );
  return { warnings, offered };
}

const line = `app.use('/auth', createAuthRouter(service), createProRouter(service))`;

it('with both routers, the pages offer everything and warn of nothing', async () => {
  const { warnings, offered } = await openSignIn([createAuthRouter, createProRouter]);
  expect(warnings).toEqual([]);
  expect(offered).toEqual(['data-passkey=', 'webauthn"', '/google/start', '/oauth/acme/start']);
});

it('without createProRouter, the pages offer neither passkeys nor OAuth providers, and one warning names the line to add', async () => {
  const { warnings, offered } = await openSignIn([createAuthRouter]);
  expect(offered).toEqual(['/google/start']);
  expect(warnings).toEqual([
    ['warn', `createPages: passkeys, acme need the routes of createProRouter, which are missing: ${line}`],
  ]);
});

it('without createAuthRouter, the pages do not offer google, and one warning names the line to add', async () => {
  const { warnings, offered } = await openSignIn([createProRouter]);
  expect(offered).toEqual(['data-passkey=', 'webauthn"', '/oauth/acme/start']);
  expect(warnings).toEqual([
    [
      'warn',
      `createPages: mailed links, google need the routes of createAuthRouter, which are missing: ${line}`,
    ],
  ]);
});
