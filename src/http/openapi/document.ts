/** The OpenAPI 3.1 document, made of what the routers mount and of the schemas that parse the requests. */
import { messages } from '../../errors/messages.js';
import type { ServiceErrorCode } from '../../errors/service-error.js';
import { optional } from '../../kit/input.js';
import { describingTools, type EndpointTools } from '../endpoint-tools.js';
import { statusOf } from '../error-handler.js';
import { proRoutes } from '../pro-router.js';
import { freeRoutes } from '../router.js';
import { codesOf, type ListedRoute } from './codes.js';
import { failureComponents, operationOf, previewOf, tagOf, type OpenApiOperation } from './operation.js';
import { SchemaWriter, type JsonSchema } from './schemas.js';

export interface OpenApiOptions {
  /** Where the routers are mounted; a path or a URL. Default `/api/auth`. */
  basePath?: string;
  /** Default `svc-auth`. */
  title?: string;
  /** The version of your API. Default `1.0.0`. */
  version?: string;
  /** `session.cookie.name` of the configuration. Default `svc_session`. */
  cookieName?: string;
  /** `false` leaves out what `createProRouter` mounts. Default true. */
  pro?: boolean;
}

/** As much of the format as is used here. */
export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string };
  servers: { url: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: Record<'schemas' | 'responses' | 'examples' | 'securitySchemes', Record<string, JsonSchema>>;
}

/** Every route of both routers, in the order of the documents. */
export function listRoutes(tools: EndpointTools): ListedRoute[] {
  return [
    ...freeRoutes(tools).map((route) => ({ ...route, pro: false })),
    ...proRoutes(tools).map((route) => ({ ...route, pro: true })),
  ];
}

/** The routes as an OpenAPI 3.1 document: plain JSON, a new object each time, to be served or changed as you like. */
export function openapiDocument(options: OpenApiOptions = {}): OpenApiDocument {
  const {
    basePath = '/api/auth',
    title = 'svc-auth',
    version = '1.0.0',
    cookieName = 'svc_session',
    pro = true,
  } = optional(options);
  const tools = describingTools();
  const schemas = new SchemaWriter(tools.z);
  const routes = listRoutes(tools).filter((route) => pro || !route.pro);
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
        session: { type: 'apiKey', in: 'cookie', name: cookieName, description: 'Set by every sign-in.' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'A session token.' },
      },
    },
  };
}

const failureSchemas = {
  Error: {
    type: 'object',
    properties: {
      error: { type: 'string', description: 'The stable code.' },
      message: { type: 'string', description: 'A constant text per code, to be shown.' },
      reason: { type: 'string', description: 'Narrows the code; stable and documented under it.' },
      field: { type: 'string', description: 'The field of the request that is at fault.' },
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
  const tags = new Map(routes.map((route) => [tagOf(route), route.pro]));
  return [...tags].map(([name, pro]) => ({ name, ...(pro && { description: 'Pro tier' }) }));
}

function examplesOf(routes: ListedRoute[]): Record<string, JsonSchema> {
  const used = new Set(routes.flatMap(codesOf));
  const codes = (Object.keys(statusOf) as ServiceErrorCode[]).filter((code) => used.has(code));
  return Object.fromEntries(
    codes.map((error) => {
      const wait = error === 'rate_limit_exceeded' ? { retryAfterMs: 60_000 } : {};
      return [error, { value: { error, message: messages[error], ...wait } }];
    }),
  );
}
