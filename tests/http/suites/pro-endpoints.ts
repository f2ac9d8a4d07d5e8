/**
 * What every JSON endpoint of the Pro router refuses, whatever it is about: the list comes from the router itself, and bodies are made
 * from the schemas that read them, so an endpoint that is new is tested from its first day.
 */
import { z } from 'zod';
import { outbox, smsOutbox } from 'svc-auth/testing';
import type { Endpoint } from '../../../src/http/endpoint.js';
import { createEndpointTools } from '../../../src/http/endpoint-tools.js';
import { proEndpoints } from '../../../src/http/pro-router.js';
import { encryptionKey, everyProvider } from '../../support/every-provider.js';
import type { Schema } from '../../support/every-route.js';
import type { Answer } from '../../support/http-client.js';
import type { RequestOptions, Site } from '../../support/http-site.js';
import { minute, nobody } from '../../support/make-pro-service.js';
import type { Overrides } from '../../support/make-service.js';
import type { OpenSite } from '../matrix.js';
import { expectError } from './expect.js';

// Handlers ask the service for their provider when they are called, and here none is.
const endpoints = proEndpoints(createEndpointTools(undefined as never));

const mail = outbox();
const configured: Overrides = {
  mail,
  encryptionKey,
  providers: {
    ...everyProvider({ mail, texts: smsOutbox() }),
    sessions: { canImpersonate: () => true },
  },
};

const foreignPages: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'https://evil.test' },
];

const named = (list: readonly Endpoint[]) =>
  list.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each] as const);

const schemaOf = (endpoint: Endpoint) => z.toJSONSchema(endpoint.body!, { io: 'input' }) as Schema;

/** Something that the schema takes. */
function sample(schema: Schema): unknown {
  const { type, anyOf, properties = {}, required = [], format } = schema;
  if (anyOf) return sample(anyOf[0]!);
  if (type === 'object') return Object.fromEntries(required.map((name) => [name, sample(properties[name]!)]));
  if (type === 'string') return format === 'date-time' ? '2199-01-01T00:00:00Z' : 'text';
  return type === 'array' ? [] : null;
}

/** Bodies that the schema does not take: no object, and for each field a value of a wrong type. */
function wrongBodies(schema: Schema): unknown[] {
  const { anyOf, properties = {} } = schema;
  if (anyOf) return [[], ...anyOf.flatMap(({ required = [] }) => required.map((name) => ({ [name]: 42 })))];
  const fields = Object.keys(properties);
  const odd = fields.flatMap((name) =>
    [42, null].map((value) => ({ ...(sample(schema) as object), [name]: value })),
  );
  return [[], 'text', ...(schema.required?.length ? [{}] : []), ...odd];
}

function call(site: Site, endpoint: Endpoint, options: RequestOptions = {}, body?: unknown): Promise<Answer> {
  const path = endpoint.path.replace(':name', 'acme').replace(/:\w+/g, nobody);
  const given = body ?? (endpoint.body ? sample(schemaOf(endpoint)) : undefined);
  return site.send(endpoint.method.toUpperCase(), path, given, options);
}

export function proEndpointRefusals(open: OpenSite): void {
  const openPro = (service: Overrides = configured) => open({ pro: true, service });
  const member = endpoints.filter(({ access }) => access !== 'open');
  const fresh = endpoints.filter(({ access }) => access === 'fresh');
  const changing = endpoints.filter(({ method }) => method !== 'get');
  const withBody = endpoints.filter(({ body }) => body !== undefined);

  describe('the endpoints of the Pro router', () => {
    it('are each there once, and all that change something for good want a fresh sign-in', () => {
      const names = named(endpoints).map(([name]) => name);
      expect(new Set(names).size).toBe(names.length);
      const relaxed = named(changing.filter(({ access }) => access === 'session')).map(([name]) => name);
      expect(relaxed.sort()).toEqual([
        'DELETE /devices/:id',
        'DELETE /tokens/:id',
        'POST /account/verify-email/send',
        'POST /devices/revoke-others',
      ]);
      const own = named(changing.filter(({ access }) => access === 'own')).map(([name]) => name);
      expect(own.sort()).toEqual([
        'POST /account/verify-email',
        'POST /guest/upgrade',
        'POST /guest/upgrade/send',
        'POST /orgs',
        'POST /orgs/invites/accept',
      ]);
    });

    it('answer 401 token_invalid without a session, before they look at anything else', async () => {
      const site = await openPro();
      for (const [name, endpoint] of named(member)) {
        for (const options of [{}, { cookie: 'svc_session=x' }, { headers: { Authorization: 'Bearer x' } }]) {
          const answer = await call(site, endpoint, options);
          expect([name, answer.status, answer.json.error]).toEqual([name, 401, 'token_invalid']);
          expect(answer.cookies).toEqual([]);
        }
      }
    });

    it('answer 403 not_authorized to a page of another site, where they change anything', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(changing)) {
        for (const headers of foreignPages) {
          const answer = await call(site, endpoint, { cookie, headers });
          expect([name, answer.status, answer.json.error]).toEqual([name, 403, 'not_authorized']);
        }
      }
      expect((await site.get('/session', { cookie })).status).toBe(200);
    });

    it('answer 403 reauth_required where they want a fresh sign-in and it is older than ten minutes', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      site.clock.advance(10 * minute + 1);
      for (const [name, endpoint] of named(fresh)) {
        const answer = await call(site, endpoint, { cookie });
        expect([name, answer.status, answer.json.error]).toEqual([name, 403, 'reauth_required']);
      }
    });

    it('count ten minutes exactly, or what the application says', async () => {
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

    it('answer 403 not_authorized to an administrator who acts as somebody, where they want a fresh sign-in', async () => {
      const site = await openPro();
      const [admin, target] = [await site.signInByCode(), await site.signInByCode()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, target.user.id);
      for (const [name, endpoint] of named(fresh)) {
        const answer = await call(site, endpoint, { cookie: `svc_session=${token}` });
        expect([name, answer.status, answer.json.error]).toEqual([name, 403, 'not_authorized']);
      }
    });

    it('answer 400 invalid_request to bodies of wrong types', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(withBody)) {
        for (const body of wrongBodies(schemaOf(endpoint))) {
          const text = JSON.stringify(body);
          const answer = await call(site, endpoint, { cookie }, body);
          expect([name, text, answer.status, answer.json.error]).toEqual([
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

    it('answer 501 license_required without a licence', async () => {
      const site = await openPro({ ...configured, licenseKey: undefined, licensePublicKey: undefined });
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(endpoints)) {
        // A license that ends locks no one out.
        if (/^POST \/(?:mfa\/verify|token\/refresh|passkeys\/authenticate\/\w+)$/.test(name)) continue;
        const answer = await call(site, endpoint, { cookie });
        expect([name, answer.status, answer.json.error]).toEqual([name, 501, 'license_required']);
      }
    });

    it('answer 501 provider_not_configured where their provider is not configured, whoever asks for whatever', async () => {
      const site = await openPro({ providers: { emailPassword: undefined } });
      const { cookie } = await site.signInByCode();
      for (const [name, endpoint] of named(endpoints)) {
        // Linked accounts are listed and unlinked whatever is configured.
        if (endpoint.path.startsWith('/identities')) continue;
        const answer = await call(site, endpoint, { cookie });
        expect([name, answer.status, answer.json.error]).toEqual([name, 501, 'provider_not_configured']);
        // Which provider it is for, the path says.
        if (endpoint.path === '/oauth/:name/link') continue;
        const early = await call(site, endpoint, {}, endpoint.body && []);
        expect([name, early.status, early.json.error]).toEqual([name, 501, 'provider_not_configured']);
      }
    });

    it('answer 400 invalid_request to a path that is malformed', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const [method, path] of [
        ['GET', '/orgs/%zz'],
        ['DELETE', '/devices/%E0%A4%A'],
        ['GET', '/oauth/%ff/start'],
        // No redirect: Express asks no route.
        ['GET', '/oauth/%ff/callback'],
        ['POST', '/oauth/%ff/callback'],
      ] as const) {
        expectError(await site.send(method, path, undefined, { cookie }), 400, 'invalid_request');
      }
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
    });

    it('answer ids that are none, or are odd, as ids of nobody', async () => {
      const site = await openPro();
      const { cookie } = await site.signInByCode();
      for (const id of [
        nobody,
        nobody.toUpperCase(),
        'x',
        "'%20or%201=1",
        '%00',
        '%F0%9F%98%80',
        '__proto__',
      ]) {
        for (const path of ['/api-keys', '/devices', '/identities']) {
          const answer = await site.send('DELETE', `${path}/${id}`, undefined, { cookie });
          expect([path, id, answer.status, answer.json]).toEqual([path, id, 200, { ok: true }]);
        }
        expectError(await site.get(`/orgs/${id}`, { cookie }), 403, 'not_authorized');
        expectError(await site.get(`/oauth/${id}/start`), 501, 'provider_not_configured');
      }
    });
  });
}
