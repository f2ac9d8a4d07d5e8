/** Routers that are mounted twice, that share a cookie, or whose bodies something else reads. */
import {
  appliesTo,
  pathsOf,
  routersIn,
  type Handler,
  type Layer,
  type MountedRouter,
} from './express-app.js';
import { callHandler } from './fake-request.js';
import type { Examined, Family, Found } from './finding.js';
import { routerPaths } from './page-urls.js';

export const routers: Family = {
  kinds: {
    router_twice: {
      severity: 'warning',
      why: 'Links and callbacks lead to one of them, and what you put in front of one (limits, CORS, logs) is not in front of the other.',
    },
    cookie_shared: {
      severity: 'error',
      why: 'A sign-in at one service overwrites the session of the other.',
    },
    bound_path: {
      severity: 'warning',
      why: 'Browsers find no routes there, and every session stays an ordinary one, whose copied cookie is accepted.',
    },
    parser_eats_body: {
      severity: 'error',
      why: 'The routes find no JSON in the body, and refuse every sign-in with invalid_request.',
    },
    parser_limit: {
      severity: 'warning',
      why: 'Passkeys and forms of several fields are larger, and are refused with status 413.',
    },
  },
  checks: {
    'the routers': checkRouters,
    'the path of bound sessions': checkBoundPath,
    'the body parsers': checkParsers,
  },
};

function checkRouters({ app, internals }: Examined): Found[] {
  const mounted = routersIn(app?.stack ?? []);
  const own = mounted.filter((router) => router.internals === internals);
  const found: Found[] = [];
  const signatures = own.map(({ signature }) => signature);
  if (new Set(signatures).size < signatures.length)
    found.push({
      id: 'router_twice',
      title: 'A router of this service is mounted twice.',
      fix: "app.use('/api/auth', createAuthRouter(service)) // once",
    });
  const { name } = internals.cookie;
  const others = mounted.filter((router) => router.internals !== internals);
  if (own.length > 0 && others.some((router) => router.internals.cookie.name === name))
    found.push({
      id: 'cookie_shared',
      title: `Two services in this application have a session cookie with the name ${name}.`,
      fix: "session: { cookie: { name: 'acme_admin_session' } } // a separate name for each service",
    });
  return found;
}

function checkBoundPath({ app, config: { session }, internals }: Examined): Found[] {
  const { bound } = session;
  const binds = ({ handle }: MountedRouter) =>
    handle.stack?.some(({ route }) => route?.path === '/session/bound') === true;
  const own = routersIn(app?.stack ?? []).filter((each) => each.internals === internals && binds(each));
  if (!bound || own.length === 0) return [];
  // A proxy may remove the beginning.
  const segments = bound.path.split('/');
  const candidates = segments.map((_, at) => ['', ...segments.slice(at + 1), 'session/bound'].join('/'));
  if (own.some((router) => pathsOf(router, candidates).length > 0)) return [];
  return [
    {
      id: 'bound_path',
      title: `The routes of bound sessions are not at ${bound.path}.`,
      fix: "session: { bound: { path: '/auth' } } // where createAuthRouter is mounted",
    },
  ];
}

const parserNames = ['jsonParser', 'rawParser', 'textParser', 'urlencodedParser'];

/** As large as the response of an authenticator with its certificates. */
const largeBytes = 8_000;

async function checkParsers(examined: Examined): Promise<Found[]> {
  const { app, internals, request } = examined;
  if (!app) return [];
  const own = routersIn(app.stack).filter((router) => router.internals === internals);
  const before = new Set(own.flatMap((router) => layersBefore(router, examined)));
  const found: Found[] = [];
  for (const { name, handle } of before) {
    const fault = parserNames.includes(name) ? await faultOf(handle) : readsBody(handle) ? 'eats' : null;
    if (fault === 'eats')
      found.push({
        id: 'parser_eats_body',
        title: `${nameOf(name)} reads the bodies of the routes, and leaves no JSON.`,
        fix: "app.use('/api/auth', createAuthRouter(service)) // before it",
      });
    if (fault === 'limit')
      found.push({
        id: 'parser_limit',
        title: `${name} refuses bodies of ${largeBytes / 1000} kB.`,
        fix: "app.use(express.json({ limit: '100kb' })), or the router before it",
      });
  }
  const wasRead = request?.readableDidRead === true && request.method !== 'GET' && request.body === undefined;
  if (wasRead && found.length === 0)
    found.push({
      id: 'parser_eats_body',
      title: 'Something has read the body of the request, and left nothing.',
      fix: "app.use('/api/auth', createAuthRouter(service)) // before it",
    });
  return found;
}

function layersBefore(router: MountedRouter, examined: Examined): Layer[] {
  const paths = pathsOf(router, routerPaths(examined));
  return router.before.filter((layer) => !layer.route && !layer.handle?.stack && appliesTo(layer, paths));
}

/** Returns what a parser of Express does to a body of the routes. A string or bytes are as good as an object. */
async function faultOf(parser: Handler): Promise<'eats' | 'limit' | null> {
  const sent = { probe: 'x'.repeat(largeBytes) };
  const headers = { 'content-type': 'application/json' };
  const { body, error, isDone } = await callHandler(parser, {
    method: 'POST',
    headers,
    body: JSON.stringify(sent),
  });
  if (!isDone) return null;
  if (error) {
    const { type } = error as { type?: unknown };
    // The application's own function `verify` refuses the invented request.
    if (type === 'entity.verify.failed') return null;
    return type === 'entity.too.large' ? 'limit' : 'eats';
  }
  if (body === undefined || Buffer.isBuffer(body) || typeof body === 'string') return null;
  const fields = body as { probe?: unknown };
  // Express 4 sets `{}` without reading the stream.
  return Object.keys(fields).length === 0 || fields.probe === sent.probe ? null : 'eats';
}

/** Whether the source of a middleware reads the stream of the request, and does not set `req.body`. */
function readsBody(handle: Handler): boolean {
  const source = Function.prototype.toString.call(handle);
  const [, request] = /^(?:async\s+)?(?:function\s*\w*)?\s*\(?\s*(\w+)/.exec(source) ?? [];
  if (request === undefined) return false;
  const reads = new RegExp(
    `\\b${request}\\s*\\.\\s*(?:on|once|addListener)\\(\\s*['"\`](?:data|readable)|\\bof\\s+${request}\\b|\\b${request}\\s*\\.\\s*(?:pipe|resume|read)\\(|\\b(?:getRawBody|rawBody|json|text|buffer)\\(\\s*${request}\\s*[,)]`,
  );
  return reads.test(source) && !/\.body\s*=[^=]/.test(source);
}

function nameOf(name: string): string {
  return ['', 'anonymous', '<anonymous>'].includes(name) ? 'A middleware' : name;
}
