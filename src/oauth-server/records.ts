/** The records of the protocol engine in our storage: what may happen once happens once there. */
import { sha256 } from '../crypto/digest.js';
import type { Keyring } from '../crypto/keys.js';
import type {
  OAuthClient,
  OAuthGrant,
  OAuthToken,
  OAuthTokenKind,
  TokenActor,
} from '../domain/oauth-server.js';
import type { Changes } from '../core/support/changes.js';
import type { Clock } from '../core/support/clock.js';
import type { OAuthServerRepository } from '../storage/oauth-server-repository.js';
import { withKnownScopes } from './client-grants.js';
import { endGrant } from './grant-ends.js';
import { InternalError } from '../errors/catalog.js';
import { engineMetadata } from './client-secrets.js';
import { openRefreshToken } from './refresh-tokens.js';
import { userCodeAliases } from './user-codes.js';

type Payload = Record<string, unknown>;

/** How far in the future the engine accepts the time of a proof. It forgets the proof as long before it stops to accept it. */
const proofAheadMs = 5 * 60_000;

export interface RecordTools {
  changes: Changes;
  clock: Clock;
  keys: Keyring;
  repository: OAuthServerRepository;
  /** Returns the metadata of a client whose id is an address, from a copy that may still be used. Null without one. */
  documentOf: (client: OAuthClient) => Promise<Payload | null>;
  /** The scopes of all resources, and of none. */
  knownScopes: ReadonlySet<string>;
  /** Whether the device with this code may ask now (RFC 8628, 3.5). */
  mayPoll: (digest: string) => Promise<boolean>;
}

/** What a token has that the engine does not know. */
export interface TokenExtra extends Record<string, unknown> {
  /** The agents that act for the user. */
  act?: TokenActor;
  /** What it can be exchanged for, by resource. Stays here. */
  reach?: Readonly<Record<string, readonly string[]>>;
  /** When it ends at the latest, in milliseconds since the epoch. Stays here. */
  until?: number;
}

/** What is stored of an access token. */
export interface TokenData {
  aud?: string;
  clientId?: string;
  extra?: Pick<TokenExtra, 'act'>;
  iat?: number;
  /** The thumbprint of the key to which it is bound (RFC 9449, 6.1). */
  jkt?: string;
  reach?: TokenExtra['reach'];
  scope?: string;
}

/** One kind of record, as the engine uses it. */
export interface RecordStore {
  upsert(id: string, payload: Payload, expiresIn: number): Promise<void>;
  find(id: string): Promise<Payload | undefined>;
  findByUserCode(code: string): Promise<Payload | undefined>;
  findByUid(uid: string): Promise<Payload | undefined>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** The kinds that the engine stores by its own names. */
const kinds: Readonly<Record<string, OAuthTokenKind>> = {
  AccessToken: 'access',
  AuthorizationCode: 'code',
  ClientCredentials: 'clientAccess',
  DeviceCode: 'deviceCode',
  Interaction: 'request',
  ReplayDetection: 'proof',
};

/** The digest under which a value is stored. A database that is read reveals no value. */
export function tokenDigest(kind: OAuthTokenKind, value: string): string {
  // Of an access token, only the stored record says whose it is.
  return sha256(`${kind === 'clientAccess' ? 'access' : kind}:${value}`);
}

/** What throws the errors of the engine: for a value that was used before, a request that has continued, and a device that asks too often. */
export interface Refusals {
  used: () => never;
  over: () => never;
  tooSoon: () => never;
}

export function recordStores(tools: RecordTools, refuse: Refusals): (model: string) => RecordStore {
  return (model) => {
    if (model === 'Client') return clients(tools);
    if (model === 'Grant') return grants(tools);
    if (model === 'RefreshToken') return refreshTokens(tools);
    const kind = kinds[model];
    return kind ? tokens(kind, tools, refuse) : nothing;
  };
}

const none = () => Promise.resolve(undefined);
const done = () => Promise.resolve();

/**
 * A store that keeps nothing. The engine has no sessions, so that no account stays signed in there after it has left the
 * application.
 */
const nothing: RecordStore = {
  upsert: done,
  find: none,
  findByUserCode: none,
  findByUid: none,
  consume: done,
  destroy: done,
  revokeByGrantId: done,
};

function tokens(
  kind: OAuthTokenKind,
  { changes, clock, keys, mayPoll, repository }: RecordTools,
  refuse: Refusals,
): RecordStore {
  const toPayload = ({ data, expiresAt, usedAt }: OAuthToken, own: Payload): Payload => ({
    ...data,
    ...own,
    // By the clock of the service. The engine has another one.
    ...(expiresAt.getTime() <= clock() && { exp: 1 }),
    ...(usedAt && { consumed: Math.floor(usedAt.getTime() / 1000) }),
  });
  return {
    ...nothing,
    // Neither the value itself nor a name that leads to it is stored, nor a session, of which there is none.
    async upsert(id, { jti: _jti, userCode, consumed: _consumed, session: _session, ...payload }, expiresIn) {
      const { reach, until = Infinity, ...extra } = (payload['extra'] ?? {}) as TokenExtra;
      const data: Payload = {
        ...payload,
        ...(payload['extra'] === undefined ? {} : { extra }),
        ...(reach && { reach }),
      };
      const token: OAuthToken = {
        digest: tokenDigest(kind, id),
        kind,
        alias: typeof userCode === 'string' ? userCodeAliases(keys, userCode)[0]! : null,
        grantId: typeof data['grantId'] === 'string' ? data['grantId'] : null,
        clientId: kind === 'clientAccess' || extra.act ? String(data['clientId']) : null,
        data,
        usedAt: null,
        expiresAt: new Date(
          Math.min(clock() + expiresIn * 1000, until) + (kind === 'proof' ? proofAheadMs : 0),
        ),
      };
      if (await repository.insertToken(token)) return;
      if (kind === 'proof') refuse.used();
      if (token.alias !== null) throw new InternalError(undefined, 'The user code is taken.');
      await repository.updateToken(token);
    },
    async find(id) {
      const digest = tokenDigest(kind, id);
      const token = await repository.findToken(digest);
      if (kind === 'deviceCode' && token && !(await mayPoll(digest))) refuse.tooSoon();
      // A request that has continued is over.
      const isOver = kind === 'request' && token?.usedAt;
      return token?.kind === kind && !isOver ? toPayload(token, { jti: id }) : undefined;
    },
    async consume(id) {
      const digest = tokenDigest(kind, id);
      if (await repository.useToken(digest, new Date(clock()))) return;
      // A slow answer makes a device ask again. The code that comes back later ends what came of it, as any other.
      if (kind === 'deviceCode') refuse.used();
      // Used twice, perhaps at the same moment: what came of the first use ends (RFC 6749, 4.1.2; RFC 9700, 2.1.1).
      const token = await repository.findToken(digest);
      if (token?.usedAt && token.grantId !== null)
        await endGrant({ changes, repository }, token.grantId, 'code_replayed');
      refuse.used();
    },
    async destroy(id) {
      const digest = tokenDigest(kind, id);
      if (kind !== 'request') return repository.removeToken(digest);
      // The engine calls it before it continues a request with its decision. Of parallel calls one gets a code.
      if (!(await repository.useToken(digest, new Date(clock())))) refuse.over();
    },
    revokeByGrantId: (grantId) => repository.removeTokensOf(grantId),
  };
}

const seconds = (time: Date) => Math.floor(time.getTime() / 1000);

/** Grants are inserted by the page of the consent, which knows the session of the user. */
function grants({ changes, clock, repository }: RecordTools): RecordStore {
  return {
    ...nothing,
    async find(id) {
      const active = await repository.findGrant(id, new Date(clock()));
      return active ? grantPayload(active.grant) : undefined;
    },
    // The engine calls it for a code that comes back.
    destroy: (id) => endGrant({ changes, repository }, id, 'code_replayed'),
  };
}

function grantPayload({ id, userId, clientId, scopes, createdAt, expiresAt }: OAuthGrant): Payload {
  const { '': openid = [], ...resources } = scopes;
  return {
    ...{
      jti: id,
      kind: 'Grant',
      accountId: userId,
      clientId,
      iat: seconds(createdAt),
      exp: seconds(expiresAt),
    },
    resources: Object.fromEntries(Object.entries(resources).map(([key, list]) => [key, list.join(' ')])),
    ...(openid.length > 0 && { openid: { scope: openid.join(' ') } }),
  };
}

/** A refresh token is the grant itself, and a number. Which number is current is decided when it is exchanged, in one statement. */
function refreshTokens({ changes, clock, keys, repository }: RecordTools): RecordStore {
  return {
    ...nothing,
    async upsert(_id, { jti: _jti, grantId, ...renewal }, expiresIn) {
      const expiresAt = new Date(clock() + expiresIn * 1000);
      await repository.makeRenewable(String(grantId), { ...renewal, grantId }, expiresAt);
    },
    async find(value) {
      const opened = openRefreshToken(keys, value);
      const active = opened && (await repository.findGrant(opened.grantId, new Date(clock())));
      const { renewal, expiresAt } = active?.grant ?? {};
      return renewal ? { ...renewal, jti: value, exp: seconds(expiresAt!) } : undefined;
    },
    // The engine calls it for a client that revokes its token (RFC 7009, 2.1).
    async destroy(value) {
      const opened = openRefreshToken(keys, value);
      if (opened) await endGrant({ changes, repository }, opened.grantId, 'revoked');
    },
  };
}

/** The metadata of a registered client. Secrets are digests: `Client.compareClientSecret` compares with them. */
function clients({ clock, documentOf, knownScopes, repository }: RecordTools): RecordStore {
  return {
    ...nothing,
    async find(id) {
      const client = await repository.findClient(id, new Date(clock()));
      if (client?.kind === 'document') return (await documentOf(client)) ?? undefined;
      const metadata = client && withKnownScopes(engineMetadata(client.metadata), knownScopes);
      return metadata ? { ...metadata, client_id: client.id } : undefined;
    },
  };
}
