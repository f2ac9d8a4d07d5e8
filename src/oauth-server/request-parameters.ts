/** What requests say, in one form for everything behind it: without empty parameters, and each resource by the name of the options. */
import type { Provider } from 'oidc-provider';
import { InvalidRequestError } from '../errors/catalog.js';
import { noResource, type OAuthServerSettings } from './options.js';

type Resources = Pick<OAuthServerSettings, 'resources'>;

/** Returns the name of a resource in the options: `https://acme.example` and `https://acme.example/` are one address (RFC 3986, 6.2.3). */
export function resourceName({ resources }: Resources, asked: string): string {
  if (resources.has(asked) || !URL.canParse(asked)) return asked;
  const { href } = new URL(asked);
  return [...resources.keys()].find((name) => new URL(name).href === href) ?? asked;
}

/** Returns the name of a resource in the options. @throws InvalidRequestError for an unknown one. */
export function knownResource(settings: Resources, named: unknown): string {
  const name = resourceName(settings, String(named));
  if (settings.resources.has(name)) return name;
  throw new InvalidRequestError(`resource must be one of: ${[...settings.resources.keys()].join(', ')}.`);
}

/**
 * Returns the resource of a request that names scopes and no resource: the first that has all of them, or else the first. Undefined if
 * it names none of a resource, such as `openid` alone.
 */
function resourceOfScopes({ resources }: Resources, scope: string): string | undefined {
  const names = scope.split(' ').filter((name) => name !== '' && !noResource.includes(name));
  if (names.length === 0) return undefined;
  const [first] = resources.keys();
  const suited = [...resources].find(([, { scopes }]) => names.every((name) => Object.hasOwn(scopes, name)));
  return suited?.[0] ?? first;
}

/**
 * Returns the parameters of an authorization request as they count. One without a value counts as absent (RFC 6749, 3.1). They belong to no
 * URL: each change would write its whole query again.
 */
export function cleanQuery(settings: Resources, given: URLSearchParams): URLSearchParams {
  const pairs = [...given].filter(([, value]) => value !== '');
  const resources = new Set(
    pairs.flatMap(([name, value]) => (name === 'resource' ? resourceName(settings, value) : [])),
  );
  const params = new URLSearchParams(pairs.filter(([name]) => name !== 'resource'));
  for (const resource of resources) params.append('resource', resource);
  const chosen = resources.size > 0 ? undefined : resourceOfScopes(settings, params.get('scope') ?? '');
  if (chosen !== undefined) params.set('resource', chosen);
  return params;
}

type Body = Record<string, string | string[] | undefined>;

function cleanBody(settings: Resources, body: Body, mayChoose: boolean): Body {
  const named = ['resource', 'audience'].map((name) => {
    const values = [body[name] ?? []].flat().filter((value) => value !== '');
    const names = [...new Set(values.map((each) => resourceName(settings, each)))];
    return [name, names.length > 1 ? names : names[0]] as const;
  });
  const { resource, audience } = Object.fromEntries(named);
  const { scope } = body;
  const chosen = mayChoose && typeof scope === 'string' ? resourceOfScopes(settings, scope) : undefined;
  return { ...body, audience, resource: resource ?? chosen };
}

/** The engine reads a form itself, and sets it as `body` of its context. */
export function cleanBodies({ OIDCContext }: Provider, settings: Resources): void {
  const bodies = new WeakMap<object, unknown>();
  Object.defineProperty(OIDCContext.prototype, 'body', {
    get(this: object) {
      return bodies.get(this);
    },
    set(this: { route?: string }, value: unknown) {
      const isForm = typeof value === 'object' && value !== null;
      const mayChoose = this.route === 'device_authorization';
      bodies.set(this, isForm ? cleanBody(settings, value as Body, mayChoose) : value);
    },
  });
}
