/** Service calls as data, so that they can be made in this process or in another one. */
import type { Service } from 'svc-auth';
import { internals } from '../../src/core/internals.js';
import { outcomeOf } from './outcomes.js';
import { postToRoutes, type RoutePost } from './post-to-routes.js';

export interface ServiceCall {
  /** For example `emailCode.verify`; `oauth.…` calls the provider `acme`. */
  method: string;
  args: readonly unknown[];
  /** The part of the result to report: a path such as `user.id`, or `''` for the whole result. */
  resultPath?: string;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/** Returns `ok`, `ok:<the reported part>`, or the outcome that `outcomeOf` returns for an error. */
export async function performCall(
  service: Service,
  { method, args, resultPath }: ServiceCall,
): Promise<string> {
  let reported = '';
  const outcome = await outcomeOf(async () => {
    const result = await methodAt(service, method)(...args.map(deserialize));
    if (resultPath !== undefined) reported = `:${String(valueAt(result, resultPath))}`;
  });
  return outcome === 'ok' ? `ok${reported}` : outcome;
}

/** The query of a callback URL as an argument that can be serialized to JSON. */
export const callbackQuery = (url: URL) => ({ query: url.search });

function deserialize(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null || !('query' in argument)) return argument;
  return new URLSearchParams(String(argument.query));
}

function methodAt(service: Service, path: string): (...args: readonly unknown[]) => unknown {
  const internalCall = internalCalls[path];
  if (internalCall) return (argument) => internalCall(service, argument);
  const [accessor = '', name = ''] = path.split('.');
  const owner = accessor === 'oauth' ? service.oauth('acme') : service[accessor as 'emailCode'];
  return (...args) => (owner as unknown as Methods)[name]!(...args);
}

/** Calls that no single public method makes: those of the guards and the routes. */
const internalCalls: Record<string, (service: Service, argument: unknown) => unknown> = {
  async 'session.renew'(service, token) {
    const { sessions } = service[internals];
    return sessions.renewSession(await sessions.authenticate(token));
  },
  'routes.post': (service, sent) => postToRoutes(service, sent as RoutePost),
  /** Creates a newer invite, then returns the outcome of accepting the older one and the token of the newer one. */
  async 'orgs.replaceInvite'({ orgs }, argument) {
    const { orgId, email, userId, token } = argument as Record<string, string>;
    const newer = await orgs.invite({ orgId: orgId!, email: email! });
    return `${await outcomeOf(() => orgs.acceptInvite(token!, userId!))} ${newer.token}`;
  },
  /** A date between processes is a string. */
  'users.updateIfUnchanged'({ users }, argument) {
    const { id, changes, ifUpdatedAt } = argument as { id: string; changes: object; ifUpdatedAt: string };
    return users.update(id, changes, { ifUpdatedAt: new Date(ifUpdatedAt) });
  },
  'session.end': (service, token) => service[internals].sessions.endSession(token),
};

function valueAt(result: unknown, path: string): unknown {
  const steps = path === '' ? [] : path.split('.');
  return steps.reduce((value, step) => (value as Record<string, unknown> | null)?.[step], result);
}
