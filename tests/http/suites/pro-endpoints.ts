/**
 * What every JSON endpoint of the Pro router refuses. The list comes from the router, and the
 * bodies are generated from its schemas, so that new endpoints are tested without further work.
 */
import * as z from 'zod';
import { outbox, smsOutbox } from 'svc-auth/testing';
import { listRoutes, type ListedRoute } from '../../../src/http/openapi/list-routes.js';
import { encryptionKey, everyProvider } from '../../support/every-provider.js';
import type { Schema } from '../../support/every-route.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { RequestOptions, Site } from '../../support/http-site.js';
import { minute, unknownId } from '../../support/make-pro-service.js';
import type { Overrides } from '../../support/make-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

const endpoints = listRoutes().filter(({ pro, redirects }) => pro && !redirects);

const mail = outbox();
const configured: Overrides = {
  mail,
  encryptionKey,
  providers: {
    ...everyProvider({ mail, sms: smsOutbox() }),
    sessions: { canImpersonate: () => true },
  },
};

/** The second step, passkeys and refresh tokens of users who have them. */
const worksWithoutLicense =
  /^(?:GET \/mfa|(?:GET|DELETE) \/identities.*|POST \/(?:google\/link|mfa\/.*|token\/refresh|passkeys\/authenticate\/\w+))$/;

const foreignPages: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://evil.test' },
];

const named = (list: readonly ListedRoute[]) =>
  list.map((endpoint) => [`${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint] as const);

const schemaOf = (endpoint: ListedRoute) => z.toJSONSchema(endpoint.body!(), { io: 'input' }) as Schema;

/** Returns a value that the schema accepts. */
function sample(schema: Schema): unknown {
  const { type, anyOf, properties = {}, required = [], format } = schema;
  if (anyOf) return sample(anyOf[0]!);
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sample(properties[name]!)]));
  if (type === 'string') return format === 'date-time' ? '2199-01-01T00:00:00Z' : 'text';
  return type === 'array' ? [] : null;
}

const isNullable = ({ anyOf = [], type: own }: Schema) =>
  anyOf.some(({ type }) => type === 'null') || (own?.includes('null') ?? false);

/**
 * Returns bodies that the schema rejects: not an object, and for each field a value of a wrong
 * type.
 */
function wrongBodies(schema: Schema): unknown[] {
  const { anyOf, properties = {} } = schema;
  if (anyOf) return [[], ...anyOf.flatMap(({ required = [] }) => required.map((name) => ({ [name]: 42 })))];
  const fields = Object.keys(properties);
  const wrongTypes = fields.flatMap((name) =>
    [42, ...(isNullable(properties[name]!) ? [] : [null])].map((value) => ({
      ...(sample(schema) as object),
      [name]: value,
    })),
  );
  return [[], 'text', ...(schema.required?.length ? [{}] : []), ...wrongTypes];
}

function call(
  site: Site,
  endpoint: ListedRoute,
  options: RequestOptions = {},
  body?: unknown,
): Promise<HttpResponse> {
  const path = endpoint.path.replace(':name', 'acme').replace(/:\w+/g, unknownId);
  const requestBody = body ?? (endpoint.body ? sample(schemaOf(endpoint)) : undefined);
  return site.send(endpoint.method.toUpperCase(), path, requestBody, options);
}

export function proEndpointRefusals(open: OpenSite): void {
  const openPro = (service: Overrides = configured) => open({ pro: true, service });
  const member = endpoints.filter(({ access }) => access !== 'open');
  const fresh = endpoints.filter(({ access }) => access === 'recent');
  const changing = endpoints.filter(({ method }) => method !== 'get');
  const withBody = endpoints.filter(({ body }) => body !== undefined);

  describe('endpoints of the Pro router', () => {
    it('every Pro endpoint is registered once, and those that make permanent changes require a recent sign-in', () => {
      const names = named(endpoints).map(([name]) => name);
      expect(new Set(names).size).toBe(names.length);
      const relaxed = named(changing.filter(({ access }) => access === 'session')).map(([name]) => name);
      expect(relaxed.sort()).toEqual([
        'DELETE /devices/:id',
        'DELETE /devices/:kind/:id',
        'DELETE /tokens/:id',
        'DELETE /trusted-browsers/:id',
        'POST /account/verify-email/send',
        'POST /devices/revoke-others',
        'POST /trusted-browsers/revoke-all',
      ]);
      const own = named(changing.filter(({ access }) => access === 'no-impersonation')).map(([name]) => name);
      expect(own.sort()).toEqual([
        'PATCH /account/profile',
        'PATCH /orgs/:id',
        'PATCH /passkeys/:id',
        'PATCH /totp/apps/:id',
        'POST /account/verify-email',
        'POST /guest/upgrade',
        'POST /guest/upgrade/send',
        'POST /orgs',
        'POST /orgs/invites/accept',
        'POST /orgs/invites/decline',
        'PUT /account/language',
        'PUT /second-factor/preferred',
      ]);
    });

    it('Pro endpoints return 401 token_invalid without a session, before any other check', async () => {
      const site = await openPro();
      for (const [name, endpoint] of named(member)) {
        for (const options of [{}, { cookie: 'svc_session=x' }, { headers: { Authorization: 'Bearer x' } }]) {
          const response = await call(site, endpoint, options);
          expect([name, response.status, response.json.error]).toEqual([name, 401, 'token_invalid']);
          expect(response.cookies).toEqual([]);
        }
      }
    });

    it('Pro endpoints that change something return 403 not_authorized to a page of another site', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(changing)) {
        for (const headers of foreignPages) {
          const response = await call(site, endpoint, { cookie, headers });
          expect([name, response.status, response.json.error]).toEqual([name, 403, 'not_authorized']);
        }
      }
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('Pro endpoints that require a recent sign-in return 403 reauth_required after ten minutes', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      site.clock.advance(10 * minute + 1);
      for (const [name, endpoint] of named(fresh)) {
        const response = await call(site, endpoint, { cookie });
        expect([name, response.status, response.json.error]).toEqual([name, 403, 'reauth_required']);
      }
    });

    it('a sign-in is recent for exactly ten minutes, or for freshMs', async () => {
      const usual = await openPro();
      const { cookie } = await usual.signInByCode();
      usual.clock.advance(10 * minute);
      expect((await usual.post('/api-keys', { name: 'mine' }, { cookie })).status).toBe(200);
      const strict = await open({ pro: { freshMs: minute }, service: configured });
      const person = await strict.signInByCode();
      strict.clock.advance(minute + 1);
      expectError(
        await strict.post('/api-keys', { name: 'mine' }, { cookie: person.cookie }),
        403,
        'reauth_required',
      );
    });

    it('Pro endpoints that require a recent sign-in return 403 not_authorized to an impersonator', async () => {
      const site = await openPro();
      const [admin, target] = [await site.signInByCode(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, target.user.id);
      for (const [name, endpoint] of named(fresh)) {
        const response = await call(site, endpoint, { cookie: `svc_session=${token}` });
        expect([name, response.status, response.json.error]).toEqual([name, 403, 'not_authorized']);
      }
    });

    it('Pro endpoints return 400 invalid_request for bodies of wrong types', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(withBody)) {
        for (const body of wrongBodies(schemaOf(endpoint))) {
          const text = JSON.stringify(body);
          const response = await call(site, endpoint, { cookie }, body);
          expect([name, text, response.status, response.json.error]).toEqual([
            name,
            text,
            400,
            'invalid_request',
          ]);
        }
        const form = { cookie, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } };
        expectError(await call(site, endpoint, form, 'name=x'), 400, 'invalid_request');
      }
    });

    it('Pro endpoints return 501 license_required without a license', async () => {
      const site = await openPro({ ...configured, licenseKey: undefined, licensePublicKey: undefined });
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(endpoints)) {
        // An expired or missing license must not lock users out.
        if (worksWithoutLicense.test(name)) continue;
        const response = await call(site, endpoint, { cookie });
        expect([name, response.status, response.json.error]).toEqual([name, 501, 'license_required']);
      }
    });

    it('Pro endpoints return 501 provider_not_configured if their provider is not configured, for every caller and body', async () => {
      const site = await openPro({ providers: { emailPassword: undefined } });
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(endpoints)) {
        // Linked identities are listed and unlinked without a configured provider.
        if (endpoint.path.startsWith('/identities')) continue;
        const response = await call(site, endpoint, { cookie });
        expect([name, response.status, response.json.error]).toEqual([name, 501, 'provider_not_configured']);
        // The path names the provider.
        if (endpoint.path === '/oauth/:name/link') continue;
        const early = await call(site, endpoint, {}, endpoint.body && []);
        expect([name, early.status, early.json.error]).toEqual([name, 501, 'provider_not_configured']);
      }
    });

    it('Pro endpoints return 400 invalid_request for a malformed path', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [method, path] of [
        ['GET', '/orgs/%zz'],
        ['DELETE', '/devices/%E0%A4%A'],
        ['GET', '/oauth/%ff/start'],
        // Not a redirect: Express calls no route.
        ['GET', '/oauth/%ff/callback'],
        ['POST', '/oauth/%ff/callback'],
      ] as const) {
        expectError(await site.send(method, path, undefined, { cookie }), 400, 'invalid_request');
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    });

    it('Pro endpoints treat malformed ids like unknown ids', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const id of [
        unknownId,
        unknownId.toUpperCase(),
        'x',
        "'%20or%201=1",
        '%00',
        '%F0%9F%98%80',
        '__proto__',
      ]) {
        for (const path of ['/api-keys', '/devices', '/identities']) {
          const response = await site.send('DELETE', `${path}/${id}`, undefined, { cookie });
          expect([path, id, response.status, response.json]).toEqual([path, id, 200, { ok: true }]);
        }
        expectError(await site.get(`/orgs/${id}`, { cookie }), 403, 'not_authorized');
        expectError(await site.get(`/oauth/${id}/start`), 501, 'provider_not_configured');
      }
    });
  });
}
