/** Converts a route to an operation of the document. */
import type { ServiceErrorCode } from '../../errors/service-error.js';
import { statusOf } from '../error-handler.js';
import { refusedStatuses } from '../refusal.js';
import { isOptional } from '../request-body.js';
import { acceptsShownUser, codesOf } from './codes.js';
import type { ListedRoute } from './list-routes.js';
import { operationName, pathParameters } from './operation-name.js';
import type { JsonSchema, SchemaWriter } from './schemas.js';

export interface OpenApiOperation {
  operationId?: string;
  summary: string;
  description?: string;
  tags: string[];
  security?: Record<string, string[]>[];
  parameters?: JsonSchema[];
  requestBody?: JsonSchema;
  responses: Record<string, JsonSchema>;
}

const signedIn: Record<string, string[]>[] = [{ session: [] }, { bearer: [] }];

/** What the security requirement does not express. */
const accessNotes: Record<string, string> = {
  'no-impersonation': 'Refused with `not_authorized` during impersonation.',
  recent:
    'Requires a sign-in within the last minutes (`reauth_required` otherwise). Refused with `not_authorized` during impersonation.',
};

const header = (description: string) => ({ description, schema: { type: 'string' } });

export function operationOf(route: ListedRoute, schemas: SchemaWriter): OpenApiOperation {
  const { access, body, summary } = route;
  const operationId = operationName(route);
  const description = descriptionOf(route);
  const parameters = parametersOf(route, schemas);
  return {
    operationId,
    summary,
    ...(description !== '' && { description }),
    tags: [tagOf(route)],
    ...(access !== 'open' && { security: signedIn }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: !isOptional(body()), content: json(schemas.write(body())) } }),
    responses: { ...successOf(route, schemas), ...failuresOf(route) },
  };
}

/**
 * Returns the HEAD operation of a route that redirects. Mail scanners send HEAD before users open a
 * link.
 */
export function previewOf(route: ListedRoute, schemas: SchemaWriter): OpenApiOperation {
  return {
    summary: 'Has no effect: consumes neither tokens nor codes',
    tags: [tagOf(route)],
    parameters: parametersOf(route, schemas),
    responses: { 200: { description: 'Empty' } },
  };
}

/** Returns the first segment of the path; `/logout` belongs to `session`. */
export function tagOf(route: ListedRoute): string {
  const first = route.path.split('/')[1] ?? '';
  return operationName(route).includes('.') ? first : 'session';
}

function descriptionOf({ access, action, pro, redirects, setsSession }: ListedRoute): string {
  return [
    ...(pro ? ['Pro tier.'] : []),
    ...(action ? ['Requires the permission of `authorize` (`not_authorized` otherwise).'] : []),
    ...(access in accessNotes ? [accessNotes[access]] : []),
    ...(redirects === 'back' ? ['Errors redirect too, to the failure target.'] : []),
    ...(setsSession && access === 'open' ? ['Ends the session that the request carries.'] : []),
  ].join(' ');
}

const shownUser: JsonSchema = {
  name: 'svc-user',
  in: 'header',
  required: false,
  description:
    'The id of the user whom the page shows. If another user is signed in, the request is refused with `session_changed`.',
  schema: { type: 'string' },
};

function parametersOf(route: ListedRoute, schemas: SchemaWriter): JsonSchema[] {
  const { path, query } = route;
  const inPath = pathParameters(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  if (!query) return [...inPath, ...(acceptsShownUser(route) ? [shownUser] : [])];
  const { properties = {}, required = [] } = schemas.write(query()) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  const inQuery = Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
  }));
  return [...inPath, ...inQuery];
}

function successOf(
  { access, response: body, method, redirects, page, setsSession }: ListedRoute,
  schemas: SchemaWriter,
): Record<string, JsonSchema> {
  const cookie = setsSession
    ? header('The session cookie.')
    : access === 'open'
      ? undefined
      : header('The session cookie, if the session was renewed.');
  const headers = {
    ...(redirects && { Location: header('The URL to continue at.') }),
    ...(cookie && { 'Set-Cookie': cookie }),
  };
  const response = {
    description: redirects ? 'Redirects, with an empty body' : 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(body && { content: json(schemas.write(body())) }),
  };
  if (!redirects) return { 200: response };
  const content = { 'text/html': { schema: { type: 'string' } } };
  const shown =
    page === undefined ? undefined : { 200: { description: `A page that asks for ${page}`, content } };
  // After a POST the browser continues with a GET. Prefetches are not redirected.
  if (method !== 'get') return { ...shown, 303: response };
  return {
    ...shown,
    204: { description: 'Empty response to a prefetch, which has no effect' },
    302: response,
  };
}

function failuresOf(route: ListedRoute): Record<string, JsonSchema> {
  const failures = failuresByStatus(route).map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${codes.join('.')}` },
  ]);
  return Object.fromEntries(failures) as Record<string, JsonSchema>;
}

/** Returns the error responses of the routes, each set of codes once. */
export function failureComponents(routes: readonly ListedRoute[]): Record<string, JsonSchema> {
  const failures = routes.flatMap(failuresByStatus);
  return Object.fromEntries(failures.map(([status, codes]) => [codes.join('.'), failure(status, codes)]));
}

function failuresByStatus(route: ListedRoute): [status: number, codes: ServiceErrorCode[]][] {
  const codes = codesOf(route);
  const statuses = [...new Set(codes.map((code) => statusOf(code)))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => statusOf(code) === status)]);
}

function failure(status: number, codes: ServiceErrorCode[]): JsonSchema {
  const cookies = [
    codes.includes('mfa_required') &&
      'With `mfa_required`: the `svc_mfa` cookie, with which `POST /mfa/verify` completes the sign-in.',
    codes.includes('fields_required') &&
      'With `fields_required`: the `svc_sign_up_fields` cookie, with which `POST /sign-up/complete` creates the account.',
  ].filter((sentence) => sentence !== false);
  const headers = {
    ...(status === 429 && {
      'Retry-After': {
        description: 'Seconds until the next attempt is allowed.',
        schema: { type: 'integer' },
      },
    }),
    ...(refusedStatuses.includes(status) && {
      'svc-auth-reason': header('Only outside production: why the request was refused.'),
    }),
    ...(cookies.length > 0 && { 'Set-Cookie': header(cookies.join(' ')) }),
  };
  const base = { $ref: `#/components/schemas/${status === 429 ? 'TooManyRequests' : 'Error'}` };
  const challenge = {
    type: 'object',
    description: 'With `challenge_required`: solve it, and repeat the request with `challengeSolution`.',
  };
  const narrowed = {
    properties: { error: { enum: codes }, ...(codes.includes('challenge_required') && { challenge }) },
  };
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: codes.map((code) => `\`${code}\``).join(', '),
    ...(Object.keys(headers).length > 0 && { headers }),
    content: {
      'application/json': {
        schema: { allOf: [base, narrowed] },
        examples: Object.fromEntries(examples) as JsonSchema,
      },
    },
  };
}

function json(schema: JsonSchema) {
  return { 'application/json': { schema } };
}
