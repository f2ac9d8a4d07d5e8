/** What the page of devices asks of the server: which device waits for a code to be entered, and what the user decides (RFC 8628, 3.3). */
import type { DeviceDesk, DeviceRequest } from '../core/internals.js';
import type { Limiter } from '../core/limits/limiter.js';
import { userCodeLimits } from '../core/limits/rate-limits.js';
import type { OAuthToken } from '../domain/oauth-server.js';
import {
  askedScopes,
  describedScopes,
  giveAccess,
  shownClient,
  type AskedParams,
  type GrantingTools,
} from './granting.js';
import { aliasDigest } from './records.js';
import { readUserCode, shownUserCode } from './user-codes.js';

interface DeskTools extends GrantingTools {
  limiter: Pick<Limiter, 'consume'>;
}

/** What is stored of a device code, by the names of the engine. */
interface DeviceData {
  clientId?: string;
  params?: AskedParams;
  /** The user who has entered the code. */
  boundTo?: string;
  accountId?: string;
  error?: string;
}

const dataOf = ({ data }: OAuthToken) => data as DeviceData;

/** Whether the user may still decide. A code that another account has entered is unknown to this one. */
function isOpenFor(token: OAuthToken, userId: string): boolean {
  const { accountId, boundTo = userId, error } = dataOf(token);
  return boundTo === userId && accountId === undefined && error === undefined;
}

export function deviceDesk(tools: DeskTools): DeviceDesk {
  const { clock, engine, limiter, repository, settings } = tools;

  async function find(typed: string): Promise<{ code: string; token: OAuthToken } | null> {
    const code = readUserCode(typed);
    const token = code === null ? null : await repository.findTokenByAlias(aliasDigest('deviceCode', code));
    const isWaiting = token?.kind === 'deviceCode' && !token.usedAt && token.expiresAt.getTime() > clock();
    return isWaiting ? { code: code!, token } : null;
  }

  /** Of parallel decisions one counts. */
  const change = (token: OAuthToken, userId: string, decision: Record<string, unknown>, grantId?: string) =>
    repository.changeToken(token.digest, new Date(clock()), (current) =>
      isOpenFor(current, userId)
        ? { data: { ...current.data, ...decision }, grantId: grantId ?? current.grantId }
        : null,
    );

  /** The request of a device whose code the user has entered. */
  async function entered(typed: string, userId: string) {
    const found = await find(typed);
    return found && dataOf(found.token).boundTo === userId && isOpenFor(found.token, userId) ? found : null;
  }

  /** What the device asks for. The scopes of a request that names none are those of its resource. Null if its client has been removed. */
  async function askedBy(token: OAuthToken) {
    const { clientId = '', params = {} } = dataOf(token);
    const client = await (await engine()).Client.find(clientId);
    if (!client) return null;
    const [first = ''] = settings.resources.keys();
    const resource = params.resource ?? first;
    if (params.scope !== undefined)
      return { clientId, scopes: askedScopes(settings, { ...params, resource }) };
    const scopes = [resource].flat().map((each) => {
      const { defaultScopes = [] } = settings.resources.get(each) ?? {};
      const may = client.scope?.split(' ') ?? defaultScopes;
      return [each, defaultScopes.filter((name) => may.includes(name))] as const;
    });
    return { clientId, scopes: Object.fromEntries(scopes) };
  }

  return {
    async enter(typed, userId, ip) {
      const spent = await limiter.consume(userCodeLimits(userId, ip));
      const found = await find(typed);
      if (!found || !(await change(found.token, userId, { boundTo: userId }))) return false;
      await spent.refund();
      return true;
    },
    async open(typed, userId): Promise<DeviceRequest | null> {
      const found = await entered(typed, userId);
      if (!found) return null;
      const asked = await askedBy(found.token);
      const client = asked && (await shownClient(await engine(), asked.clientId));
      if (!client) return null;
      return { code: shownUserCode(found.code), client, scopes: describedScopes(settings, asked.scopes) };
    },
    async allow(typed, session) {
      const { signedInAt, user } = session;
      const found = await entered(typed, user.id);
      if (!found) return false;
      const { clientId, scopes } = (await askedBy(found.token)) ?? {};
      const grantId = clientId && scopes ? await giveAccess(tools, session, clientId, scopes) : null;
      if (grantId === null || !scopes) return false;
      const resources = Object.keys(scopes).filter(Boolean);
      const decision = {
        ...{ accountId: user.id, authTime: Math.floor(signedInAt.getTime() / 1000), grantId },
        scope: [...new Set(Object.values(scopes).flat())].join(' '),
        ...(resources.length > 0 && { resource: resources.length === 1 ? resources[0] : resources }),
      };
      if (await change(found.token, user.id, decision, grantId)) return true;
      await repository.removeGrant(grantId);
      return false;
    },
    async deny(typed, userId) {
      const found = await entered(typed, userId);
      if (!found) return false;
      const decision = { error: 'access_denied', errorDescription: 'The user has refused the request.' };
      return (await change(found.token, userId, decision)) !== null;
    },
  };
}
