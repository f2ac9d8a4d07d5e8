/** The options of the OAuth server. */
import * as z from 'zod';
import { ConfigError } from '../errors/catalog.js';
import { lazily } from '../runtime/load.js';
import type { MetadataDocumentOptions, OAuthServerOptions } from './interface.js';

const minute = 60_000;
const day = 24 * 60 * minute;

export type OAuthServerSettings = Required<Omit<OAuthServerOptions, 'metadataDocuments' | 'resources'>> & {
  /** Null if there are no such clients. */
  metadataDocuments: MetadataDocumentOptions | null;
  resources: ReadonlyMap<
    string,
    {
      scopes: Readonly<Record<string, string>>;
      defaultScopes: readonly string[];
      accessTokens: 'opaque' | 'jwt';
    }
  >;
};

/** The scopes of OpenID Connect. */
export const noResource = ['openid', 'offline_access', 'profile', 'email'];

/** The scopes of all resources, and of none. */
export function knownScopesOf({ resources }: OAuthServerSettings): ReadonlySet<string> {
  const names = [...resources.values()].flatMap(({ scopes }) => Object.keys(scopes));
  return new Set([...noResource, ...names]);
}

/** Plain HTTP is for this computer alone (RFC 8252, 8.3). */
function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

function isIssuer(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && url.origin === value && isSafe(url);
}

function isResource(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  return url !== null && !value.includes('#') && url.username === '' && url.password === '' && isSafe(url);
}

function areDistinct(addresses: readonly string[]): boolean {
  const all = addresses.filter((each) => URL.canParse(each)).map((each) => new URL(each).href);
  return new Set(all).size === all.length;
}

const scopeName = /^[\x21\x23-\x5b\x5d-\x7e]+$/;
const milliseconds = (smallest: number) =>
  z
    .number()
    .int()
    .min(smallest)
    .max(3650 * day);

const documentOptions = lazily(() =>
  z.strictObject(
    {
      allow: z
        .custom<MetadataDocumentOptions['allow']>(
          (value) => typeof value === 'function',
          'must be a function',
        )
        .optional(),
    },
    { error: ({ code }) => (code === 'invalid_type' ? 'must be a boolean or an object' : undefined) },
  ),
);

const schema = lazily(() =>
  z.strictObject({
    issuer: z
      .string()
      .refine(
        isIssuer,
        'must be the origin of the application without a slash at the end, such as https://acme.example',
      ),
    resources: z
      .record(
        z.string().refine(isResource, 'must be an https URL without a fragment (#) and without credentials'),
        z
          .strictObject({
            scopes: z.record(
              z.string().regex(scopeName, 'must be the name of a scope: printable ASCII without spaces'),
              z.string().trim().min(1),
            ),
            defaultScopes: z.array(z.string()).optional(),
            accessTokens: z.enum(['opaque', 'jwt']).default('opaque'),
          })
          .refine(
            ({ scopes, defaultScopes = [] }) => defaultScopes.every((scope) => Object.hasOwn(scopes, scope)),
            { message: 'must be names in scopes', path: ['defaultScopes'] },
          ),
      )
      .refine((resources) => Object.keys(resources).length > 0, 'must name at least one resource')
      .refine(
        (resources) => areDistinct(Object.keys(resources)),
        'must name each resource once: an address with and without a slash at its end can be the same',
      ),
    registration: z.boolean().default(false),
    dpop: z.enum(['accepted', 'required']).default('accepted'),
    metadataDocuments: z
      .preprocess(
        (value) => (value === true ? {} : value === false ? null : value),
        documentOptions().nullable(),
      )
      .default({}),
    accessTtlMs: milliseconds(minute).default(60 * minute),
    refreshTtlMs: milliseconds(minute).default(90 * day),
    refreshGraceMs: milliseconds(0)
      .max(10 * minute)
      .default(minute),
  }),
);

/** @throws ConfigError */
export function parseOAuthServerOptions(options: unknown): OAuthServerSettings {
  const result = schema().safeParse(options);
  if (!result.success)
    throw new ConfigError(
      result.error.issues.map((issue) => ({
        path: ['createOAuthServer', ...issue.path].join('.'),
        // What is wrong with the name of an entry is within.
        message: (issue.code === 'invalid_key' && issue.issues[0]?.message) || issue.message,
      })),
    );
  const { resources, ...settings } = result.data;
  const parsed = Object.entries(resources).map(
    ([resource, { defaultScopes, ...others }]) =>
      [resource, { ...others, defaultScopes: defaultScopes ?? Object.keys(others.scopes) }] as const,
  );
  return { ...settings, resources: new Map(parsed) };
}
