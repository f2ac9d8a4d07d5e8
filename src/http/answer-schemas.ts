/** What the endpoints answer, for the OpenAPI document and for the tests that hold the answers against it. */
import type { ZodType } from 'zod';
import { orgRoles } from '../domain/org.js';
import { lazily, loadZod, type Zod } from '../runtime/load.js';

/** Names for the schemas that several answers share. Not zod's global registry, which belongs to the application. */
export const schemaNames = lazily(() => loadZod().registry<{ id: string }>());

function named(schemas: Record<string, ZodType>): void {
  for (const [id, schema] of Object.entries(schemas)) schema.register(schemaNames(), { id });
}

export function answerSchemas(z: Zod) {
  const time = z.iso.datetime();
  const json = z.record(z.string(), z.unknown());
  const device = z.object({
    name: z.string().optional(),
    userAgent: z.string().optional(),
    ip: z.string().optional(),
  });
  const user = z.object({
    id: z.uuid(),
    email: z.string().nullable(),
    emailVerified: z.boolean(),
    metadata: json,
    createdAt: time,
    updatedAt: time,
  });
  const session = z.object({
    id: z.uuid(),
    userId: z.uuid(),
    device,
    createdAt: time,
    lastSeenAt: time,
    expiresAt: time,
    revokedAt: time.nullable(),
    current: z.boolean(),
  });
  const refreshFamily = z.object({
    id: z.uuid(),
    device,
    createdAt: time,
    lastUsedAt: time.nullable(),
    expiresAt: time,
    current: z.boolean(),
  });
  const passkey = z.object({
    id: z.string(),
    userId: z.uuid(),
    counter: z.number(),
    transports: z.array(z.string()),
    backupEligible: z.boolean(),
    backedUp: z.boolean(),
    aaguid: z.string(),
    createdAt: time,
    lastUsedAt: time.nullable(),
  });
  const identity = z.object({
    id: z.uuid(),
    userId: z.uuid(),
    provider: z.string(),
    providerAccountId: z.string(),
    createdAt: time,
  });
  const apiKey = z.object({
    id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    userId: z.uuid().nullable(),
    orgId: z.uuid().nullable(),
    scopes: z.array(z.string()),
    metadata: json,
    createdAt: time,
    lastUsedAt: time.nullable(),
    expiresAt: time.nullable(),
    revokedAt: time.nullable(),
  });
  const role = z.enum(orgRoles);
  const org = z.object({
    id: z.uuid(),
    name: z.string(),
    slug: z.string(),
    metadata: json,
    createdAt: time,
    updatedAt: time,
  });
  const membership = z.object({ orgId: z.uuid(), userId: z.uuid(), role, createdAt: time });
  const invite = z.object({
    id: z.uuid(),
    orgId: z.uuid(),
    email: z.string(),
    role,
    invitedByUserId: z.uuid().nullable(),
    createdAt: time,
    expiresAt: time,
    acceptedAt: time.nullable(),
  });
  const ok = z.object({ ok: z.literal(true) });
  named({ User: user, Session: session, Passkey: passkey, Identity: identity, ApiKey: apiKey });
  named({ RefreshFamily: refreshFamily });
  named({ Org: org, OrgMembership: membership, OrgInvite: invite });
  const list = <Schema extends ZodType>(schema: Schema) => z.array(schema);
  /** One page of rows. `nextCursor` is null on the last page. */
  const page = <Name extends string, Schema extends ZodType>(name: Name, schema: Schema) => {
    const rows = { [name]: list(schema) } as Record<Name, ReturnType<typeof list<Schema>>>;
    return z.object({ ...rows, nextCursor: z.string().nullable() });
  };
  return {
    user: z.object({ user }),
    signIn: z.object({ user, created: z.boolean() }),
    sent: z.object({ expiresAt: time }),
    resetRequested: z.object({ sent: z.literal(true) }),
    sentIfNeeded: z.object({ expiresAt: time.nullable() }),
    changeSent: z.object({ expiresAt: time, currentCodeSent: z.boolean() }),
    account: z.object({ user, hasPassword: z.boolean(), isGuest: z.boolean() }),
    /** `UserDataExport`. A later version adds fields. */
    accountExport: z.looseObject({ version: z.literal(1), exportedAt: time, user, hasPassword: z.boolean() }),
    ok,
    devices: page('devices', session),
    totp: z.object({ enabled: z.boolean(), recoveryCodesLeft: z.number() }),
    enrollment: z.object({ secret: z.string(), uri: z.string() }),
    recoveryCodes: z.object({ recoveryCodes: list(z.string()) }),
    passkey: z.object({ passkey }),
    passkeys: page('passkeys', passkey),
    /** What browsers and `@simplewebauthn/browser` take. */
    ceremony: z.object({ options: json }),
    /** Where to send the browser. */
    redirectUrl: z.object({ url: z.url() }),
    identities: z.object({ identities: list(identity) }),
    tokenPair: z.object({
      accessToken: z.string(),
      accessExpiresAt: time,
      refreshToken: z.string(),
      refreshExpiresAt: time,
      familyId: z.uuid(),
    }),
    refreshFamilies: page('families', refreshFamily),
    /** The key itself is told this one time. */
    newApiKey: z.object({ key: z.string(), record: apiKey }),
    apiKeys: page('apiKeys', apiKey),
    org: z.object({ org, membership }),
    orgs: page('orgs', z.object({ org, membership })),
    membership: z.object({ membership }),
    /** With the verified address, or null, for admins and owners. */
    members: page('members', membership.extend({ email: z.string().nullable().optional() })),
    invite: z.object({ invite }),
    invites: page('invites', invite),
    /** Both addresses are masked. */
    invitePreview: z.object({
      organization: z.object({ name: z.string(), slug: z.string() }),
      inviter: z.string().nullable(),
      email: z.string(),
      role,
      expiresAt: time,
    }),
  };
}

export type AnswerSchemas = ReturnType<typeof answerSchemas>;
