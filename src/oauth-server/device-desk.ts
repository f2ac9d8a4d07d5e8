/** What the page of devices asks of the server: which device waits for a code to be entered, and what the user decides (RFC 8628, 3.3). */
import type { DeviceDesk, DeviceRequest } from '../core/internals.js';
import type { Keyring } from '../crypto/keys.js';
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
import { readUserCode, shownUserCode, userCodeAliases } from './user-codes.js';

interface DeskTools extends GrantingTools {
  keys: Keyring;
  limiter: Pick<Limiter, 'consume'>;
}

/** What is stored of a device code, by the names of the engine. */
interface DeviceData {
  clientId?: string;
  params?: AskedParams;
  /** The user who has entered the code. */
  boundTo?: string;
  /** Decided, though the device may not know yet. */
  decided?: boolean;
}

const dataOf = ({ data }: OAuthToken) => data as DeviceData;

/** Whether the user may still decide. A code that another account has entered is unknown to this one. */
function isOpenFor(token: OAuthToken, userId: string): boolean {
  const { boundTo = userId, decided = false } = dataOf(token);
  return boundTo === userId && !decided;
}

const refusal = { error: 'access_denied', errorDescription: 'The user has refused the request.' };

export function deviceDesk(tools: DeskTools): DeviceDesk {
  const { clock, engine, keys, limiter, repository, settings } = tools;

  async function find(typed: string): Promise<{ code: string; token: OAuthToken } | null> {
    const code = readUserCode(typed);
    if (code === null) return null;
    for (const alias of userCodeAliases(keys, code)) {
      const token = await repository.findTokenByAlias(alias);
      if (token?.kind === 'deviceCode' && !token.usedAt && token.expiresAt.getTime() > clock())
        return { code, token };
    }
    return null;
  }

  /** Changes what is stored, if the user may still decide: of parallel decisions one counts. */
  const change = (token: OAuthToken, userId: string, changes: Partial<DeviceData>) =>
    repository.changeToken(token.digest, new Date(clock()), (current) =>
      isOpenFor(current, userId) ? { data: { ...current.data, ...changes }, grantId: current.grantId } : null,
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
      const asked = found && (await askedBy(found.token));
      if (!asked) return false;
      const { clientId, scopes } = asked;
      const resources = Object.keys(scopes).filter(Boolean);
      const outcome = {
        ...{ decided: true, accountId: user.id, authTime: Math.floor(signedInAt.getTime() / 1000) },
        scope: [...new Set(Object.values(scopes).flat())].join(' '),
        ...(resources.length > 0 && { resource: resources.length === 1 ? resources[0] : resources }),
      };
      const { digest } = found.token;
      const decide = (current: OAuthToken, grantId: string) =>
        isOpenFor(current, user.id) ? { ...current.data, ...outcome, grantId } : null;
      const request = { digest, decide };
      const isGiven = (await giveAccess(tools, session, { clientId, request, scopes })) !== null;
      // A user who may not give access any more has refused it. Does nothing after another decision.
      if (!isGiven) await change(found.token, user.id, { decided: true, ...refusal });
      return isGiven;
    },
    async deny(typed, userId) {
      const found = await entered(typed, userId);
      return found !== null && (await change(found.token, userId, { decided: true, ...refusal })) !== null;
    },
    async release(typed, userId) {
      const found = await entered(typed, userId);
      if (found) await change(found.token, userId, { boundTo: undefined });
    },
  };
}
