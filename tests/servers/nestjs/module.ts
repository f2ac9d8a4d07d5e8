/** The module: routes of the service next to the body parser of Nest, start and end. */
import { fieldsOf, unescaped } from '../../support/admin-pages.js';
import { cookieOf, signIn, siteOf, stranger, type Starters } from './visitor.js';

const actionOf = (form: string) => unescaped(/\saction="([^"]*)"/.exec(form)?.[1] ?? '');

export function describeModule(starters: Starters): void {
  describe.each([
    ['with the body parser of Nest', { rawBody: true }],
    ['without a body parser', { bodyParser: false }],
  ])('the module %s', (_name, options) => {
    const site = siteOf(starters, { ...options, cors: 'https://app.example', globalPrefix: 'v1' });

    it('mounts the routes of the service, and other routers, apart from the global prefix', async () => {
      const ada = await signIn(site());
      expect(await ada.get('/api/auth/session')).toMatchObject({
        status: 200,
        body: { user: { id: ada.id } },
      });
      expect(await ada.get('/v1/me')).toMatchObject({ status: 200 });
      const page = await stranger(site()).get('/sign-in');
      expect(page.body['text']).toContain('<html lang="en"');
    });

    it('reads the form of a page', async () => {
      const { url } = site();
      const page = await fetch(`${url}/sign-in`);
      const [form = ''] = /<form[^]*?<\/form>/.exec(await page.text()) ?? [];
      const sent = await fetch(url + actionOf(form), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: cookieOf(page.headers), 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ ...fieldsOf(form), email: 'form@example.com' }),
      });
      // Without the address it would be 422.
      expect(sent.status).toBe(303);
    });

    it('refuses a malformed body', async () => {
      const reply = await stranger(site()).post('/api/auth/email-code/send', '{"email":');
      expect(reply).toMatchObject({ status: 400 });
      expect(JSON.stringify(reply.body)).not.toContain('node_modules');
    });

    it('answers unknown routes of the service in the form of Nest', async () => {
      expect(await stranger(site()).get('/api/auth/unknown')).toMatchObject({
        status: 404,
        body: { statusCode: 404 },
      });
    });

    it('leaves the body of other routes to the application', async () => {
      const reply = await stranger(site()).post('/v1/webhook', { paid: true });
      const raw = 'bodyParser' in options ? null : '{"paid":true}';
      expect(reply.body).toMatchObject({ raw, ...(raw && { body: { paid: true } }) });
    });

    it('sends the CORS headers of the application with its own responses', async () => {
      const { headers } = await stranger(site()).get('/api/auth/session', { origin: 'https://app.example' });
      expect(headers.get('access-control-allow-origin')).toBe('https://app.example');
    });
  });

  describe('the module', () => {
    it('accepts a service, guards one controller, and leaves the service open', async () => {
      const site = await (await starters()).startLocal();
      try {
        expect((await stranger(site).get('/unguarded')).status).toBe(200);
        expect(await stranger(site).get('/guarded')).toMatchObject({
          status: 401,
          body: { statusCode: 401, error: 'token_invalid' },
        });
        const ada = await signIn(site, 'ada@example.com', '/login');
        expect((await ada.get('/guarded')).status).toBe(200);
        await site.close();
        expect(await site.service.users.get(ada.id)).toMatchObject({ id: ada.id });
      } finally {
        await site.service.close();
      }
    });

    it('refuses unknown, missing and contradicting options by name', async () => {
      const { SvcAuthModule } = await starters();
      const errorOf = (options: object) => {
        try {
          SvcAuthModule.forRoot(options);
        } catch (error) {
          return String(error);
        }
        return 'none';
      };
      expect(errorOf({})).toContain('either a service or a config');
      expect(errorOf({ service: {}, config: {} })).toContain('either a service or a config');
      expect(errorOf({ config: {}, routes: {} })).toMatch(/routes.*router/);
      expect(errorOf({ config: {}, router: { path: 3 } })).toContain('router.path');
      expect(errorOf({ config: {}, mount: [{ router: 3 }] })).toContain('mount.router');
      expect(errorOf({ config: {}, migrate: 'no' })).toContain('migrate');
      expect(errorOf({ config: {}, migrations: false })).toMatch(/migrations.*migrate/);
      expect(errorOf({ config: {}, isGlobal: 'yes' })).toContain('isGlobal');
      expect(() => SvcAuthModule.forRootAsync({})).toThrow('useFactory');
    });
  });
}
