/**
 * The JSON bodies of successful responses: for the OpenAPI document, and for the tests that compare
 * responses with it. Every schema is created at its first use, because most processes never write
 * the document.
 */
import * as z from 'zod';
import { deviceKinds } from '../domain/signed-in-device.js';
import { orgRoles } from '../domain/org.js';
import { secondFactorMethods } from '../domain/second-factor.js';
import { statisticsRanges } from '../core/support/statistics-periods.js';
import { lazily } from '../runtime/load.js';

/**
 * The names of schemas that several responses share. Zod's global registry belongs to the
 * application.
 */
export const schemaNames = z.registry<{ id: string }>();

function object<Shape extends z.ZodRawShape>(shape: () => Shape) {
  return lazily(() => z.object(shape()));
}

function named<Shape extends z.ZodRawShape>(id: string, shape: () => Shape) {
  return lazily(() => z.object(shape()).register(schemaNames, { id }));
}

/** One page of rows. `nextCursor` is null on the last page. */
function page<Name extends string, Schema extends z.ZodType>(name: Name, schema: () => Schema) {
  return lazily(() => {
    const rows = { [name]: z.array(schema()) } as Record<Name, z.ZodArray<Schema>>;
    return z.object({ ...rows, nextCursor: z.string().nullable() });
  });
}

const time = lazily(() => z.iso.datetime());
const json = lazily(() => z.record(z.string(), z.unknown()));
const role = lazily(() => z.enum(orgRoles));

const secondFactorMethod = lazily(() => z.enum(secondFactorMethods));
/** `preferred` is one of `methods`. */
const secondStepMethods = () => ({ methods: z.array(secondFactorMethod()), preferred: secondFactorMethod() });

const device = object(() => ({
  name: z.string().optional(),
  userAgent: z.string().optional(),
  ip: z.string().optional(),
}));

const user = named('User', () => ({
  id: z.uuid(),
  email: z.string().nullable(),
  emailVerified: z.boolean(),
  metadata: json(),
  createdAt: time(),
  updatedAt: time(),
}));

const userRecord = named('UserRecord', () => ({
  ...user().shape,
  username: z.string().nullable(),
  externalId: z.string().nullable(),
  roles: z.array(z.string()),
  blocked: z.object({ at: time(), until: time().nullable(), reason: z.string().nullable() }).nullable(),
  hasPassword: z.boolean(),
  twoFactor: z.boolean(),
  isGuest: z.boolean(),
  lastSignInAt: time().nullable(),
}));

const session = named('Session', () => ({
  id: z.uuid(),
  userId: z.uuid(),
  device: device(),
  createdAt: time(),
  lastSeenAt: time(),
  expiresAt: time(),
  revokedAt: time().nullable(),
  boundAt: time().nullable(),
  current: z.boolean(),
}));

const outcome = lazily(() => z.enum(['success', 'failure']));

const activity = named('Activity', () => ({
  id: z.uuid(),
  at: time(),
  action: z.string(),
  outcome: outcome(),
  by: z.enum(['user', 'administrator', 'agent', 'api_key', 'system', 'unknown']),
  method: z.string().nullable(),
  count: z.int(),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  place: z.string().nullable(),
}));

const auditActor = object(() => ({
  type: z.enum(['user', 'administrator', 'agent', 'api_key', 'system', 'command_line', 'anonymous']),
  id: z.string().optional(),
}));

const auditRecord = named('AuditRecord', () => ({
  id: z.uuid(),
  at: time(),
  action: z.string(),
  outcome: outcome(),
  reason: z.string().nullable(),
  userId: z.uuid().nullable(),
  orgId: z.uuid().nullable(),
  clientId: z.string().nullable(),
  actors: z.array(auditActor()),
  requestId: z.string().nullable(),
  details: json(),
  origin: z
    .object({
      ip: z.string().optional(),
      userAgent: z.string().optional(),
      address: z.string().optional(),
      note: z.string().optional(),
    })
    .nullable(),
  seal: z.int().nullable(),
}));

const signedInDevice = named('SignedInDevice', () => ({
  kind: z.enum(deviceKinds),
  id: z.uuid(),
  name: z.string().nullable(),
  client: z.string().nullable(),
  ip: z.string().nullable(),
  place: z.string().nullable(),
  createdAt: time(),
  lastSeenAt: time().nullable(),
  expiresAt: time(),
  trust: z.object({ id: z.uuid(), expiresAt: time() }).nullable(),
  bound: z.boolean(),
  current: z.boolean(),
}));

const refreshFamily = named('RefreshFamily', () => ({
  id: z.uuid(),
  device: device(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  expiresAt: time(),
  current: z.boolean(),
}));

const passkey = named('Passkey', () => ({
  id: z.string(),
  userId: z.uuid(),
  name: z.string(),
  counter: z.number(),
  transports: z.array(z.string()),
  backupEligible: z.boolean(),
  backedUp: z.boolean(),
  aaguid: z.string(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  lastUsedFrom: device().nullable(),
}));

const totpApp = named('TotpApp', () => ({
  id: z.uuid(),
  name: z.string().nullable(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
}));

const trustedBrowser = named('TrustedBrowser', () => ({
  id: z.uuid(),
  userId: z.uuid(),
  device: device(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  expiresAt: time(),
  current: z.boolean(),
}));

const identity = named('Identity', () => ({
  id: z.uuid(),
  userId: z.uuid(),
  provider: z.string(),
  providerAccountId: z.string(),
  createdAt: time(),
}));

const phone = named('Phone', () => ({
  id: z.uuid(),
  /** In E.164. */
  phone: z.string(),
  createdAt: time(),
}));

const connectedApp = named('ConnectedApp', () => ({
  clientId: z.string(),
  name: z.string(),
  host: z.string().nullable(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  scopes: z.array(z.object({ resource: z.string(), name: z.string(), description: z.string() })),
}));

const apiKey = named('ApiKey', () => ({
  id: z.uuid(),
  name: z.string(),
  prefix: z.string(),
  userId: z.uuid().nullable(),
  orgId: z.uuid().nullable(),
  scopes: z.array(z.string()),
  metadata: json(),
  createdAt: time(),
  lastUsedAt: time().nullable(),
  expiresAt: time().nullable(),
  revokedAt: time().nullable(),
}));

const org = named('Org', () => ({
  id: z.uuid(),
  name: z.string(),
  slug: z.string(),
  metadata: json(),
  createdAt: time(),
  updatedAt: time(),
}));

const membership = named('OrgMembership', () => ({
  orgId: z.uuid(),
  userId: z.uuid(),
  role: role(),
  createdAt: time(),
}));

const invite = named('OrgInvite', () => ({
  id: z.uuid(),
  orgId: z.uuid(),
  email: z.string(),
  role: role(),
  invitedByUserId: z.uuid().nullable(),
  createdAt: time(),
  expiresAt: time(),
  acceptedAt: time().nullable(),
}));

const tokenPair = named('TokenPair', () => ({
  tokenType: z.literal('DPoP').optional(),
  accessToken: z.string(),
  accessExpiresAt: time(),
  refreshToken: z.string(),
  refreshExpiresAt: time(),
  familyId: z.uuid(),
}));

function extended(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodObject ? schema.safeExtend({ bearer: tokenPair().optional() }) : schema;
}

const codeFormat = () => ({ codeFormat: z.literal('letters').optional() });

const pendingSignUp = () =>
  z.object({
    expiresAt: time(),
    ...codeFormat(),
    pending: z.object({ token: z.string(), expiresAt: time() }).optional(),
  });

/** Adds the tokens of a bearer session, which replace the cookie. */
export function withBearer(response: () => z.ZodType): () => z.ZodType {
  return lazily(() => {
    const schema = response();
    if (schema instanceof z.ZodUnion)
      return z.union(schema.options.map((each) => extended(each as z.ZodType)));
    return extended(schema);
  });
}

export const responses = {
  user: object(() => ({ user: user() })),
  signIn: object(() => ({ user: user(), created: z.boolean() })),
  sent: object(() => ({ expiresAt: time() })),
  /** `codeFormat` if the code has ten letters. */
  codeSent: object(() => ({ expiresAt: time(), ...codeFormat() })),
  /** With `signUp.revealExisting: false`, `expiresAt`, and for a client without cookies the token of the sign-up. */
  signUp: lazily(() => z.union([z.object({ user: user() }), pendingSignUp()])),
  /** With `magicLink.withCode`, the expiry of the code too. */
  linkSent: object(() => ({ expiresAt: time(), codeExpiresAt: time().optional(), ...codeFormat() })),
  resetRequested: object(() => ({ sent: z.literal(true) })),
  username: object(() => ({ username: z.string().nullable() })),
  sentIfNeeded: object(() => ({ expiresAt: time().nullable() })),
  changeSent: object(() => ({ expiresAt: time(), currentCodeSent: z.boolean() })),
  account: object(() => ({
    user: user(),
    hasPassword: z.boolean(),
    isGuest: z.boolean(),
    language: z.string().nullable(),
    languages: z.array(z.string()),
  })),
  language: object(() => ({ language: z.string().nullable() })),
  /** `UserDataExport`. Later versions add fields. */
  accountExport: lazily(() =>
    z.looseObject({ version: z.literal(1), exportedAt: time(), user: user(), hasPassword: z.boolean() }),
  ),
  ok: object(() => ({ ok: z.literal(true) })),
  devices: page('devices', session),
  allDevices: page('devices', signedInDevice),
  sessions: page('sessions', session),
  /** `recoveryCodesLeft` after a recovery code. */
  secondStep: object(() => ({ user: user(), recoveryCodesLeft: z.number().optional() })),
  pendingSignIn: object(() => ({ ...secondStepMethods(), expiresAt: time() })),
  secondFactor: object(() => ({ enabled: z.boolean(), ...secondStepMethods(), email: z.boolean() })),
  trustedBrowsers: object(() => ({ trustedBrowsers: z.array(trustedBrowser()) })),
  totpApps: object(() => ({ apps: z.array(totpApp()) })),
  /** `recoveryCodes` with the first app. */
  newTotpApp: object(() => ({ app: totpApp(), recoveryCodes: z.array(z.string()).optional() })),
  totp: object(() => ({ enabled: z.boolean(), recoveryCodesLeft: z.number() })),
  enrollment: object(() => ({ secret: z.string(), uri: z.string() })),
  recoveryCodes: object(() => ({ recoveryCodes: z.array(z.string()) })),
  passkey: object(() => ({ passkey: passkey() })),
  passkeys: page('passkeys', passkey),
  passkeySignals: object(() => ({
    rpId: z.string(),
    userId: z.string(),
    credentialIds: z.array(z.string()).nullable(),
    name: z.string().nullable(),
    displayName: z.string(),
  })),
  /** `passkeys` names those that the browser can remove. */
  accountDeleted: object(() => ({
    ok: z.literal(true),
    passkeys: object(() => ({ rpId: z.string(), userId: z.string() }))().optional(),
  })),
  /** The argument of `navigator.credentials` and of `@simplewebauthn/browser`. */
  ceremony: object(() => ({ options: json() })),
  /** The URL to send the browser to. */
  redirectUrl: object(() => ({ url: z.url() })),
  identities: object(() => ({ identities: z.array(identity()) })),
  phone: object(() => ({ phone: phone() })),
  phones: object(() => ({ phones: z.array(phone()) })),
  connectedApps: object(() => ({ apps: z.array(connectedApp()) })),
  activity: page('activity', activity),
  auditRecords: page('records', auditRecord),
  tokenPair,
  refreshFamilies: page('families', refreshFamily),
  /** The only response that contains the key itself. */
  newApiKey: object(() => ({ key: z.string(), record: apiKey() })),
  apiKeys: page('apiKeys', apiKey),
  org: object(() => ({ org: org(), membership: membership() })),
  changedOrg: object(() => ({ org: org() })),
  orgs: page(
    'orgs',
    object(() => ({ org: org(), membership: membership() })),
  ),
  membership: object(() => ({ membership: membership() })),
  /** Admins and owners also get the verified address of each member, or null. */
  members: page('members', () =>
    membership().extend({
      name: z.string().nullable(),
      picture: z.string().nullable(),
      email: z.string().nullable().optional(),
    }),
  ),
  invite: object(() => ({ invite: invite() })),
  invites: page('invites', invite),
  /** Both addresses are masked. */
  invitePreview: object(() => ({
    organization: z.object({ name: z.string(), slug: z.string() }),
    inviter: z.string().nullable(),
    email: z.string(),
    role: role(),
    expiresAt: time(),
  })),
  userRecord: object(() => ({ user: userRecord() })),
  users: page('users', userRecord),
  /** Exact up to 10,000. */
  userCount: object(() => ({ count: z.union([z.number(), z.object({ atLeast: z.number() })]) })),
  lockdown: object(() => ({ users: z.int().nullable() })),
  /** Numbers only: no counter has a value that a client chooses. */
  statistics: object(() => ({
    range: z.enum(statisticsRanges),
    periods: z.array(z.string()),
    series: z.array(z.object({ name: z.string(), label: z.string(), counts: z.array(z.number()) })),
    activeUsers: z.object({ day: z.number(), month: z.number(), year: z.number() }),
  })),
  invitedUser: object(() => ({ user: userRecord(), created: z.boolean(), expiresAt: time() })),
};

export type ResponseSchemas = typeof responses;
