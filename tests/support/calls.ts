/** Calls of a service as data, so that they can be made here or in another process. */
import type { Service } from 'svc-auth';
import { internals } from '../../src/kit/internals.js';
import { outcomeOf } from './outcomes.js';
import { postToRoutes, type RoutePost } from './post-to-routes.js';

export interface Call {
  /** `emailCode.verify`, for instance; `oauth.…` is that of the provider `acme`. */
  method: string;
  args: readonly unknown[];
  /** What of the answer to tell: a path such as `user.id`; `''` for the answer itself. */
  tell?: string;
}

type Methods = Record<string, (...args: readonly unknown[]) => unknown>;

/** `ok`, `ok:<what is told>`, or as `outcomeOf` says. */
export async function perform(service: Service, { method, args, tell }: Call): Promise<string> {
  let told = '';
  const outcome = await outcomeOf(async () => {
    const answer = await target(service, method)(...args.map(revived));
    if (tell !== undefined) told = `:${String(valueAt(answer, tell))}`;
  });
  return outcome === 'ok' ? `ok${told}` : outcome;
}

/** The query of a callback, as an argument that is JSON. */
export const queryOf = (url: URL) => ({ query: url.search });

function revived(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null || !('query' in argument)) return argument;
  return new URLSearchParams(String(argument.query));
}

function target(service: Service, path: string): (...args: readonly unknown[]) => unknown {
  const own = besides[path];
  if (own) return (argument) => own(service, argument);
  const [accessor = '', name = ''] = path.split('.');
  const owner = accessor === 'oauth' ? service.oauth('acme') : service[accessor as 'emailCode'];
  return (...args) => (owner as unknown as Methods)[name]!(...args);
}

/** What the guards do with a session, and the routes, and no method does alone. */
const besides: Record<string, (service: Service, argument: unknown) => unknown> = {
  async 'session.renew'(service, token) {
    const { sessions } = service[internals];
    return sessions.renew(await sessions.authenticate(token));
  },
  'routes.post': (service, sent) => postToRoutes(service, sent as RoutePost),
  /** A newer invite, and then what became of the older one: the outcome of accepting it, and the token of the newer. */
  async 'orgs.replaceInvite'({ orgs }, argument) {
    const { orgId, email, userId, token } = argument as Record<string, string>;
    const newer = await orgs.invite({ orgId: orgId!, email: email! });
    return `${await outcomeOf(() => orgs.acceptInvite(token!, userId!))} ${newer.token}`;
  },
  'session.end': (service, token) => service[internals].sessions.end(token),
};

function valueAt(answer: unknown, path: string): unknown {
  const steps = path === '' ? [] : path.split('.');
  return steps.reduce((value, step) => (value as Record<string, unknown> | null)?.[step], answer);
}
