/** The OpenAPI 3.1 document, generated from the routers' tables and the endpoints' schemas. */
import { errorCodes, type ServiceErrorCode } from '../../errors/service-error.js';
import { OptionFaults } from '../../core/support/options.js';
import { codesOf } from './codes.js';
import { listRoutes, type ListedRoute } from './list-routes.js';
import { failureComponents, operationOf, previewOf, tagOf, type OpenApiOperation } from './operation.js';
import { SchemaWriter, type JsonSchema } from './schemas.js';

export interface OpenApiOptions {
  /** The path or URL at which the routers are mounted. Default `/api/auth`. */
  basePath?: string;
  /** Default `svc-auth`. */
  title?: string;
  /** The version of your API. Default `1.0.0`. */
  version?: string;
  /** `session.cookie.name` of the configuration. Default `svc_session`. */
  cookieName?: string;
  /** Whether to include the routes of `createProRouter`. Default true. */
  pro?: boolean;
  /** Whether to include the routes of `createAdminRouter`. Default true. */
  admin?: boolean;
}

/** The part of the format that is used here. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Record<'schemas' | 'responses' | 'examples' | 'securitySchemes', Record<string, JsonSchema>>;
}

/**
 * Returns the routes as an OpenAPI 3.1 document: plain JSON, a new object at each call, which the
 * caller may change. @throws ConfigError for unknown or malformed options.
 */
export function openapiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const faults = new OptionFaults('openapiDocument');
  const {
    basePath = '/api/auth',
    title = 'svc-auth',
    version = '1.0.0',
    cookieName = 'svc_session',
    pro = true,
    admin = true,
    ...others
  } = faults.of(options);
  faults.unknown(others, ['basePath', 'title', 'version', 'cookieName', 'pro', 'admin']);
  for (const [name, value] of Object.entries({ basePath, title, version, cookieName }))
    faults.check(typeof value === 'string', name, 'must be a string');
  faults.throwIfAny();
  const schemas = new SchemaWriter();
  const routes = listRoutes().filter((route) => (pro || !route.pro) && (admin || !route.action));
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes) {
    const path = (paths[route.path.replace(/:(\w+)/g, '{$1}')] ??= {});
    path[route.method] = operationOf(route, schemas);
    if (route.redirects && route.method === 'get') path['head'] = previewOf(route, schemas);
  }
  const { Error: error, TooManyRequests } = failureSchemas;
  return {
    openapi: '3.1.0',
    info: { title, version },
    servers: [{ url: basePath }],
    tags: tagsOf(routes),
    paths,
    components: {
      schemas: { ...schemas.components, Error: error, TooManyRequests },
      responses: failureComponents(routes),
      examples: examplesOf(routes),
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName,
          description: 'The session cookie, which every sign-in sets.',
        },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A session token.' },
      },
    },
  };
}

const failureSchemas = {
  Error: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'The stable error code.' },
      message: { type: 'string', description: 'A constant message per code, which you can show to users.' },
      reason: { type: 'string', description: 'A stable code that narrows `error`, documented with it.' },
      field: { type: 'string', description: 'The field of the request that caused the error.' },
      diagnosis: {
        type: 'string',
        description: 'Only outside production: why the request was refused, as the header `svc-auth-reason`.',
      },
      serverTime: {
        type: 'integer',
        description:
          'If the proof of a key is of another time (DPoP): the time of the server, in seconds. The clock of the client may be wrong.',
      },
      issues: {
        type: 'array',
        description:
          'With the reason `field_invalid`: each faulty field of `signUp.fields`, with the message of its schema.',
        items: {
          type: 'object',
          properties: { field: { type: 'string' }, message: { type: 'string' } },
          required: ['field', 'message'],
        },
      },
      pending: {
        type: 'object',
        description:
          'For a client without cookies. With `mfa_required`: the pending sign-in, whose token is sent as `svc-mfa` to `POST /mfa/verify`. With `fields_required`: the pending sign-up, whose token is sent as `token` to `POST /sign-up/complete`.',
        properties: { token: { type: 'string' }, expiresAt: { type: 'string', format: 'date-time' } },
        required: ['token', 'expiresAt'],
      },
    },
    required: ['error', 'message'],
  },
  TooManyRequests: {
    allOf: [{ $ref: '#/components/schemas/Error' }],
    type: 'object',
    properties: { retryAfterMs: { type: 'integer', minimum: 0 } },
    required: ['retryAfterMs'],
  },
};

function tagsOf(routes: ListedRoute[]) {
  const free = new Set(routes.filter(({ pro }) => !pro).map(tagOf));
  return [...new Set(routes.map(tagOf))].map((name) => ({
    name,
    ...(!free.has(name) && { description: 'Pro tier' }),
  }));
}

function examplesOf(routes: ListedRoute[]): Record<string, JsonSchema> {
  const used = new Set(routes.flatMap(codesOf));
  const codes = (Object.keys(errorCodes) as ServiceErrorCode[]).filter((code) => used.has(code));
  return Object.fromEntries(
    codes.map((error) => {
      const wait = error === 'rate_limit_exceeded' ? { retryAfterMs: 60_000 } : {};
      return [error, { value: { error, message: errorCodes[error].message, ...wait } }];
    }),
  );
}
