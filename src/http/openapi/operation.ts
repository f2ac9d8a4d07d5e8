/** One route as an operation of the document. */
import type { ServiceErrorCode } from '../../errors/service-error.js';
import { statusOf } from '../error-handler.js';
import { codesOf, takesShownUser, type ListedRoute } from './codes.js';
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

/** Of the kinds of access that need a word beside the security requirement. */
const accessNotes: Record<string, string> = {
  own: 'Not for who acts in somebody’s place.',
  fresh: 'Needs a sign-in of the last minutes, in person: `reauth_required` otherwise.',
};

const text = (description: string) => ({ description, schema: { type: 'string' } });

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
    ...(body && { requestBody: { required: true, content: json(schemas.write(body)) } }),
    responses: { ...successOf(route, schemas), ...failuresOf(route) },
  };
}

/** HEAD on a route that redirects, which mail scanners send before people open a link. */
export function previewOf(route: ListedRoute, schemas: SchemaWriter): OpenApiOperation {
  return {
    summary: 'Nothing happens, and nothing is used up',
    tags: [tagOf(route)],
    parameters: parametersOf(route, schemas),
    responses: { 200: { description: 'Empty' } },
  };
}

/** The first word of the path; `/logout` is about the session. */
export function tagOf(route: ListedRoute): string {
  const first = route.path.split('/')[1] ?? '';
  return operationName(route).includes('.') ? first : 'session';
}

function descriptionOf({ access, pro, redirects, setsSession }: ListedRoute): string {
  return [
    ...(pro ? ['Pro tier.'] : []),
    ...(access in accessNotes ? [accessNotes[access]] : []),
    ...(redirects === 'back' ? ['Every failure redirects too, to the failure target.'] : []),
    ...(setsSession && access === 'open' ? ['Ends the session that the request carries.'] : []),
  ].join(' ');
}

const shownUser: JsonSchema = {
  name: 'svc-user',
  in: 'header',
  required: false,
  description: 'The id of the user that the page shows: `session_changed` if another user is signed in.',
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
  if (!query) return [...inPath, ...(takesShownUser(route) ? [shownUser] : [])];
  const { properties = {}, required = [] } = schemas.write(query) as {
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
  { access, answer, method, redirects, setsSession }: ListedRoute,
  schemas: SchemaWriter,
): Record<string, JsonSchema> {
  const cookie = setsSession
    ? text('The session cookie.')
    : access === 'open'
      ? undefined
      : text('The session cookie again, where the session was renewed.');
  const headers = {
    ...(redirects && { Location: text('Where the browser goes on.') }),
    ...(cookie && { 'Set-Cookie': cookie }),
  };
  const response = {
    description: redirects ? 'Redirects, with an empty body' : 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(answer && { content: json(schemas.write(answer)) }),
  };
  if (!redirects) return { 200: response };
  // After a POST the browser continues with a GET. A request that a browser makes in advance is not redirected.
  if (method !== 'get') return { 303: response };
  return { 204: { description: 'Empty, for a prefetch: nothing happens' }, 302: response };
}

function failuresOf(route: ListedRoute): Record<string, JsonSchema> {
  const failures = failuresByStatus(route).map(([status, codes]) => [
    status,
    { $ref: `#/components/responses/${codes.join('.')}` },
  ]);
  return Object.fromEntries(failures) as Record<string, JsonSchema>;
}

/** The failures of these routes, each set of codes once. */
export function failureComponents(routes: readonly ListedRoute[]): Record<string, JsonSchema> {
  const failures = routes.flatMap(failuresByStatus);
  return Object.fromEntries(failures.map(([status, codes]) => [codes.join('.'), failure(status, codes)]));
}

function failuresByStatus(route: ListedRoute): [status: number, codes: ServiceErrorCode[]][] {
  const codes = codesOf(route);
  const statuses = [...new Set(codes.map((code) => statusOf[code]))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => statusOf[code] === status)]);
}

function failure(status: number, codes: ServiceErrorCode[]): JsonSchema {
  const headers = {
    ...(status === 429 && {
      'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
    }),
    ...(codes.includes('mfa_required') && {
      'Set-Cookie': text('With `mfa_required`: `svc_mfa`, by which `POST /mfa/verify` finishes the sign-in.'),
    }),
  };
  const base = { $ref: `#/components/schemas/${status === 429 ? 'TooManyRequests' : 'Error'}` };
  const narrowed = { properties: { error: { enum: codes } } };
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
