// The options of pages and routers: every fault with its path, and pages below another path than the root.
import {
  memoryAdapter,
  createAdminRouter,
  createAuthRouter,
  createProRouter,
  openapiDocument,
} from 'svc-auth';
import { createAdminPages } from 'svc-auth/admin';
import { createPages } from 'svc-auth/pages';
import express from 'express';
import { faultsOf, validConfig } from '../support/config-faults.js';
import { openSite } from '../support/http-site.js';
import { makeService } from '../support/make-service.js';
import { errorOf } from '../support/outcomes.js';

const authorize = () => true;

describe('an unknown or malformed option', () => {
  it.each([
    [
      'createPages',
      'logos',
      'logo',
      (service, options) => createPages(service, { name: 'Acme', ...options }),
    ],
    [
      'createAdminPages',
      'nam',
      'name',
      (service, options) => createAdminPages(service, { authorize, ...options }),
    ],
    [
      'createAdminRouter',
      'fresh',
      'freshMs',
      (service, options) => createAdminRouter(service, { authorize, ...options }),
    ],
    ['createProRouter', 'freshMS', 'freshMs', (service, options) => createProRouter(service, options)],
    [
      'createAuthRouter',
      'successRedirects',
      'successRedirect',
      (service, options) => createAuthRouter(service, options),
    ],
  ] as [string, string, string, (service: never, options: object) => unknown][])(
    'of %s is config_invalid, with its path and the closest name',
    async (owner, misspelled, right, create) => {
      const { service } = await makeService();
      const error = await errorOf(() =>
        create(service as never, {
          [misspelled]: '/',
          freshMs: owner === 'createAuthRouter' ? undefined : -1,
        }),
      );
      expect(error.code).toBe('config_invalid');
      expect(error.message).toContain(`${owner}(service, { ${misspelled} })`);
      expect(error.message).toContain(`did you mean ${right}?`);
      if (owner !== 'createAuthRouter') expect(error.message).toContain(`${owner}(service, { freshMs })`);
    },
  );

  it.each([
    ['createPages', createPages],
    ['createAdminPages', createAdminPages],
    ['createAdminRouter', createAdminRouter],
    ['createProRouter', createProRouter],
    ['createAuthRouter', createAuthRouter],
    ['openapiDocument', (_service: unknown, options: unknown) => openapiDocument(options as never)],
  ] as [string, (service: never, options: never) => unknown][])(
    'of %s that is not an object is config_invalid',
    async (owner, create) => {
      const { service } = await makeService();
      for (const options of ['Acme', 5, ['Acme'], true]) {
        const { code, message } = await errorOf(() => create(service as never, options as never));
        expect(code).toBe('config_invalid');
        expect(message).toContain(`${owner}(…)`);
      }
    },
  );

  it.each([
    [{ paths: null }, 'paths'],
    [{ paths: { signin: '/in' } }, 'paths.signin', 'signIn'],
    [{ templates: null }, 'templates'],
    [{ templates: { signIns: () => '' } }, 'templates.signIns', 'signIn'],
    [{ languages: null }, 'languages'],
    [{ languages: ['de'] }, 'languages'],
    [{ slots: 'footer' }, 'slots'],
    [{ slots: { foter: () => '' } }, 'slots.foter', 'footer'],
    [{ slots: { footer: 'Imprint' } }, 'slots.footer'],
    [{ providers: 'GitHub' }, 'providers'],
    [{ providers: { github: 'GitHub' } }, 'providers.github'],
    [{ providers: { github: { label: 5 } } }, 'providers.github.label'],
    [{ providers: { github: { icon: 'https://example.com/logo.svg' } } }, 'providers.github.icon'],
    [{ providers: { github: { icon: '//example.com/logo.svg' } } }, 'providers.github.icon'],
    [{ providers: { github: { name: 'GitHub' } } }, 'providers.github.name'],
    [{ captcha: null }, 'captcha'],
    [{ captcha: { render: () => '', field: 'f', origins: [], origns: [] } }, 'captcha'],
  ] as [object, string, string?][])(
    'of createPages, %j, is a fault at its path',
    async (options, path, right) => {
      const { service } = await makeService();
      const error = await errorOf(() => createPages(service, { name: 'Acme', ...options }));
      expect(error.code).toBe('config_invalid');
      expect(error.message).toContain(`createPages(service, { ${path} })`);
      if (right !== undefined) expect(error.message).toContain(`did you mean ${right}?`);
    },
  );

  it('of openapiDocument is config_invalid, with the closest name', async () => {
    const { code, message } = await errorOf(() => openapiDocument({ basepath: '/auth' } as never));
    expect(code).toBe('config_invalid');
    expect(message).toContain('did you mean basePath?');
  });

  it.each([
    ['session.bearer.accessTtl', { session: { ...validConfig.session, bearer: { accessTtl: 1 } } }],
    ['session.bearer', { session: { ...validConfig.session, bearer: 'yes' } }],
    [
      'providers.emailPassword.breachedPasswords.url',
      {
        providers: {
          emailPassword: { sender: { send: async () => undefined }, breachedPasswords: { url: 'nowhere' } },
        },
      },
    ],
    ['providers.totp.trusted', { providers: { totp: { trusted: true } } }],
  ])('inside an option that is true or an object is reported at %s', (path, config) => {
    const faults = faultsOf({ ...validConfig, ...config });
    expect(faults.map((fault) => fault.split(':')[0])).toContain(path);
    for (const fault of faults) expect(fault).not.toMatch(/: Invalid input$/);
  });
});

describe('pages below another path', () => {
  const open = (basePath: string | undefined) =>
    openSite(express, memoryAdapter(), {
      after(app, { service }) {
        app.use('/app', createPages(service, { name: 'Acme', ...(basePath && { basePath }) }));
      },
    });

  it.each(['/app', '/app/'])('are where mailed links end, with basePath %s', async (basePath) => {
    const site = await open(basePath);
    const email = site.uniqueEmail();
    await site.post('/magic-link/send', { email });
    const signedIn = await site.get(`/magic-link/verify?token=${site.mailedToken(email)}`);
    expect(signedIn.location).toMatch(/^\/app\/sign-in\/done/);
    expect((await site.get('/magic-link/verify?token=bad')).location).toMatch(/^\/app\/sign-in\?error=/);
    await site.send('GET', '/app/sign-in', undefined, { skipChecks: true });
    expect(site.log.filter(({ fields }) => fields['option'] === 'basePath')).toEqual([]);
    await site.close();
  });

  it('are reported once if basePath does not say so', async () => {
    const site = await open(undefined);
    for (let i = 0; i < 2; i += 1) await site.send('GET', '/app/sign-in', undefined, { skipChecks: true });
    expect(site.log.filter(({ fields }) => fields['option'] === 'basePath')).toHaveLength(1);
    await site.close();
  });

  it.each(['/a?b=1', '/a#b', '/:tenant', '/*', '/../a', '/a/../..//evil.test', '/a//b'])(
    'cannot have the basePath or the authPath %s',
    async (path) => {
      for (const option of ['basePath', 'authPath']) {
        const { service } = await makeService();
        const error = await errorOf(() => createPages(service, { name: 'Acme', [option]: path }));
        expect(error.message).toContain(`{ ${option} }`);
      }
    },
  );

  it('of a service are created once', async () => {
    const { service } = await makeService();
    createPages(service, { name: 'Acme' });
    expect((await errorOf(() => createPages(service, { name: 'Other' }))).code).toBe('config_invalid');
  });
});
