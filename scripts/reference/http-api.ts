/** The lists of routes in docs/http-api.md, from the routers' tables and the OpenAPI document. */
import { openapiDocument, type OpenApiDocument } from '../../src/http/openapi/document.js';
import { listRoutes, type ListedRoute } from '../../src/http/openapi/list-routes.js';
import { operationName } from '../../src/http/openapi/operation-name.js';
import { tagOf } from '../../src/http/openapi/operation.js';

/** The part of OpenAPI's JSON Schema that a cell is made of. */
interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

const accessNames = {
  open: 'anyone',
  session: 'session',
  'no-impersonation': 'no impersonation',
  recent: 'recent',
};

/** Fields that the page explains once, for all routes. */
const usualFields = new Set(['remember', 'challengeSolution', 'bearer', 'pending']);

/** Headings of several tags; a tag without an entry has its own name. */
const subjects: Record<string, string> = {
  session: 'Session',
  'email-code': 'Email codes',
  'magic-link': 'Magic links',
  password: 'Passwords',
  'sign-up': 'Fields of a sign-up',
  google: 'Google and OpenID providers',
  idp: 'Google and OpenID providers',
  username: 'User names',
  mfa: 'Second step of a sign-in',
  totp: 'Second factors',
  'second-factor': 'Second factors',
  'trusted-browsers': 'Second factors',
  passkeys: 'Passkeys',
  devices: 'Devices',
  'connected-apps': 'Connected apps',
  'not-me': 'Notices',
  oauth: 'OAuth and linked accounts',
  identities: 'OAuth and linked accounts',
  phone: 'Phone numbers',
  phones: 'Phone numbers',
  token: 'Refresh tokens',
  tokens: 'Refresh tokens',
  'api-keys': 'API keys',
  orgs: 'Organizations',
  account: 'Accounts',
  guest: 'Guests',
};

export function httpApiParts(): Record<string, string> {
  const document = openapiDocument();
  const routes = listRoutes();
  const free = routes.filter(({ pro, action }) => !pro && !action);
  return {
    routes: bySubject(free, document),
    'pro-routes': bySubject(
      routes.filter(({ pro, action }) => pro && !action),
      document,
    ),
    'admin-routes': list(
      routes.filter(({ action }) => action !== undefined),
      document,
    ),
  };
}

function bySubject(routes: ListedRoute[], document: OpenApiDocument): string {
  const groups = new Map<string, ListedRoute[]>();
  for (const route of routes) {
    // Google is linked with a route of the Pro tier, next to other identity providers.
    const tag = route.pro && tagOf(route) === 'google' ? 'oauth' : tagOf(route);
    const subject = subjects[tag];
    if (subject === undefined) throw new Error(`scripts/reference/http-api.ts has no heading for ${tag}`);
    groups.set(subject, [...(groups.get(subject) ?? []), route]);
  }
  return [...groups].map(([subject, group]) => `### ${subject}\n\n${list(group, document)}`).join('\n\n');
}

function list(routes: ListedRoute[], document: OpenApiDocument): string {
  const previews = routes.filter(({ method, redirects }) => method === 'get' && redirects !== undefined);
  return [
    ...routes.map((route) => item(route, document)),
    ...(previews.length > 0 ? [previewItem(previews)] : []),
  ].join('\n');
}

/** An item: method and path, the client's method or the action, access, input, result, summary. */
function item(route: ListedRoute, document: OpenApiDocument): string {
  const { access, action, method, path, pro, summary } = route;
  const name = action === undefined ? clientMethodOf(route) : `\`${action}\``;
  const about = [...(name === '' ? [] : [name]), accessNames[access], ...(action && pro ? ['Pro'] : [])];
  const [input, result] = [inputOf(route, document), successOf(route, document)];
  const exchange = `${input}${result === '' ? '' : ` → ${result}`}`.trim();
  const call = `- \`${method.toUpperCase()} ${path}\` (${about.join(', ')}): `;
  return `${call}${exchange === '' ? '' : `${exchange}. `}${summary}`;
}

function previewItem(routes: ListedRoute[]): string {
  return `- ${routes.map(({ path }) => `\`HEAD ${path}\``).join(', ')}: no effect`;
}

/** The method of `svc-auth/client`. */
function clientMethodOf(route: ListedRoute): string {
  if (route.redirects === 'away') return `\`${operationName(route)}Url\``;
  return route.redirects || route.path.startsWith('/idp/') ? '' : `\`${operationName(route)}\``;
}

function operation({ method, path }: ListedRoute, document: OpenApiDocument) {
  const found = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method];
  if (!found) throw new Error(`${method} ${path} is not in the OpenAPI document`);
  return found;
}

/** Query parameters that every list, and every sign-in, has. The page explains them once. */
const usualQuery = new Set(['cursor', 'limit', 'remember']);

function inputOf(route: ListedRoute, document: OpenApiDocument): string {
  const { parameters = [], requestBody } = operation(route, document);
  const query = parameters
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => ({ name: String(parameter['name']), required: parameter['required'] === true }));
  const own = query.filter(({ name }) => !usualQuery.has(name));
  const schema = (requestBody?.['content'] as Content | undefined)?.['application/json']?.schema;
  return [
    ...(query.some(({ name }) => name === 'cursor') ? ['[page](#pages)'] : []),
    ...(own.length > 0
      ? [`\`?${own.map(({ name, required }) => (required ? `${name}=` : `[${name}=]`)).join('&')}\``]
      : []),
    ...(schema ? [fieldsOf(schema, document)] : []),
  ].join(', ');
}

type Content = Record<string, { schema: Schema }>;

function successOf(route: ListedRoute, document: OpenApiDocument): string {
  const { responses } = operation(route, document);
  const [status] = Object.keys(responses).filter((each) => /^[23]/.test(each) && each !== '204');
  if (route.redirects) return `redirect${route.setsSession ? ', cookie' : ''}`;
  if (status === undefined) throw new Error(`${route.path} has no success`);
  const schema = (responses[status]?.['content'] as Content | undefined)?.['application/json']?.schema;
  return [...(schema ? [fieldsOf(schema, document)] : []), ...(route.setsSession ? ['cookie'] : [])]
    .filter((text) => text !== '')
    .join(', ');
}

/** `email, code?`, with every field of alternatives. */
function fieldsOf(schema: Schema, document: OpenApiDocument): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return fieldsOf(document.components.schemas[name] as Schema, document);
  }
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) {
    const texts = alternatives.map((each) => fieldsOf(each, document)).filter((text) => text !== '');
    return [...new Set(texts)].join(' or ');
  }
  if (schema.allOf) return fieldsOf(merged(schema.allOf), document);
  const required = new Set(schema.required);
  const names = Object.keys(schema.properties ?? {}).filter((name) => !usualFields.has(name));
  if (names.length === 0 || names.join() === 'ok') return '';
  return `\`${names.map((name) => (required.has(name) ? name : `${name}?`)).join(', ')}\``;
}

function merged(parts: Schema[]): Schema {
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)) as Record<string, Schema>,
    required: parts.flatMap(({ required = [] }) => required),
  };
}
