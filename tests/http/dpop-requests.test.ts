/** `session.bearer` with DPoP in routes of the application: one request needs one proof, and a sign-in is refused before it changes anything. */
import { once, EventEmitter } from 'node:events';
import type { ExecutionContext } from '@nestjs/common';
import express, { type Express, type Request, type Response } from 'express';
import {
  asyncRoute,
  createService,
  requireSession,
  serviceErrorHandler,
  signInContext,
  signInResponse,
  startSession,
  watchSession,
  type ServiceConfig,
  type StorageAdapter,
} from 'svc-auth';
import { AuthGuard } from 'svc-auth/nestjs';
import { newKey, proofsOf } from '../oauth-server/proofs.js';
import { openSite, validPassword, type Site } from '../support/http-site.js';
import { recordingLogger, testSecret } from '../support/make-service.js';

const asking = { 'svc-session': 'bearer' };
const key = newKey();
let site: Site;
const proofFor = proofsOf(() => ({ test: site }));
afterEach(() => site.close());

async function open(
  routes: (app: Express, test: Pick<Site, 'adapter' | 'service' | 'clock'>) => void,
  bearer: ServiceConfig['session']['bearer'] = true,
) {
  site = await openSite(express, undefined, {
    before: (app, test) => {
      app.use('/app', express.json());
      routes(app, test);
      app.use('/app', serviceErrorHandler(test.service));
    },
    service: { session: { bearer } },
  });
}

const urlOf = (path: string) => `${site.origin}${path}`;

async function signUp(email = site.uniqueEmail()) {
  const headers = { ...asking, dpop: proofFor(key, 'POST', urlOf('/api/auth/password/signup')) };
  const { json } = await site.post('/password/signup', { email, password: validPassword }, { headers });
  return {
    id: (json.user as { id: string }).id,
    token: (json.bearer as { accessToken: string }).accessToken,
  };
}

async function send(method: string, path: string, token: string, proof?: string) {
  const dpop = proof ?? proofFor(key, method, urlOf(path), token);
  const response = await fetch(urlOf(path), { method, headers: { authorization: `DPoP ${token}`, dpop } });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

describe('the proof of a request', () => {
  it.each(['GET', 'POST'])('counts for a %s whose session is watched behind a guard', async (method) => {
    await open((app, { service }) => {
      const router = express.Router();
      router.all(
        '/stream',
        requireSession(service),
        asyncRoute(async (req, res) => {
          (await watchSession(service, req, () => undefined)).stop();
          res.json({ email: req.user?.email });
        }),
      );
      app.use('/app/events', router);
    });
    const { token } = await signUp();
    const proof = proofFor(key, method, urlOf('/app/events/stream'), token);
    expect((await send(method, '/app/events/stream', token, proof)).status).toBe(200);
    expect((await send(method, '/app/events/stream', token, proof)).status).toBe(401);
  });

  it('counts for every resolver of GraphQL that a guard protects, at the same time and later', async () => {
    class Resolver {
      viewer(this: void): void {}
      other(this: void): void {}
    }
    await open((app, { service }) => {
      const guard = new AuthGuard(service);
      const resolve = (req: Request, res: Response, handler: keyof Resolver) =>
        guard.canActivate({
          getType: () => 'graphql',
          getClass: () => Resolver,
          getHandler: () => Resolver.prototype[handler],
          getArgByIndex: () => ({ req, res }),
        } as unknown as ExecutionContext);
      app.post('/app/graphql', (req, res, next) => {
        Promise.all([resolve(req, res, 'viewer'), resolve(req, res, 'other')])
          .then(() => resolve(req, res, 'viewer'))
          .then(() => res.json({ email: req.user?.email }))
          .catch((error: { code?: string }) => (error.code ? res.status(401).json(error) : next(error)));
      });
    });
    const { token } = await signUp();
    const proof = proofFor(key, 'POST', urlOf('/app/graphql'), token);
    expect((await send('POST', '/app/graphql', token, proof)).status).toBe(200);
    expect((await send('POST', '/app/graphql', token, proof)).status).toBe(401);
  });

  it('counts for a request that takes longer than a proof lasts', async () => {
    const steps = new EventEmitter();
    const arrived = once(steps, 'arrived');
    await open((app, { service }) => {
      const wait = (_req: Request, _res: Response, next: () => void) => {
        steps.emit('arrived');
        steps.once('finished', next);
      };
      app.get('/app/slow', requireSession(service), wait, requireSession(service), (_req, res) => {
        res.json({});
      });
    });
    const { token } = await signUp();
    const sent = send('GET', '/app/slow', token);
    await arrived;
    site.clock.advance(120_000);
    steps.emit('finished');
    expect((await sent).status).toBe(200);
  });
});

describe('the proof of a request that the guards of two services check', () => {
  const steps = new EventEmitter();

  /** @param adapterOfOther the storage of the other service, which accepts the same tokens. */
  async function openTwo(adapterOfOther: (own: StorageAdapter) => StorageAdapter) {
    await open((app, { service, clock, adapter }) => {
      const other = createService({
        adapter: adapterOfOther(adapter),
        clock: clock.now,
        logger: recordingLogger([]),
        session: { secret: testSecret, bearer: true },
        providers: {},
      });
      const wait = (_req: Request, _res: Response, next: () => void) => {
        if (steps.listenerCount('arrived') === 0) return next();
        steps.once('finished', next);
        steps.emit('arrived');
      };
      app.get('/app/both', requireSession(service), wait, requireSession(other), (_req, res) => {
        res.json({});
      });
      const either = express.Router().use((req, res, next) => {
        requireSession(req.query['by'] === 'other' ? other : service)(req, res, next);
      });
      app.get('/app/either', either, (_req, res) => void res.json({}));
    });
    return signUp();
  }

  it.each([
    ['one storage', (own: StorageAdapter) => own],
    [
      'two adapters of one database',
      (own: StorageAdapter) => ({ ...own, singleUseTokens: { ...own.singleUseTokens } }),
    ],
  ])('counts for both, and for no second request, with %s', async (_case, adapterOfOther) => {
    const { token } = await openTwo(adapterOfOther);
    const proof = proofFor(key, 'GET', urlOf('/app/both'), token);
    expect((await send('GET', '/app/both', token, proof)).status).toBe(200);
    expect((await send('GET', '/app/both', token, proof)).status).toBe(401);
    const shared = proofFor(key, 'GET', urlOf('/app/either'), token);
    const sent = ['own', 'other', 'own', 'other'].map((by) =>
      send('GET', `/app/either?by=${by}`, token, shared),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401, 401, 401]);
  });

  it('counts for the second although the proof has expired since the first', async () => {
    const { token } = await openTwo((own) => own);
    const arrived = once(steps, 'arrived');
    const sent = send('GET', '/app/both', token);
    await arrived;
    site.clock.advance(120_000);
    steps.emit('finished');
    expect((await sent).status).toBe(200);
  });
});

describe('a sign-in in a route of the application', () => {
  const signInRoutes: Parameters<typeof open>[0] = (app, { service }) => {
    app.post(
      '/app/verify',
      asyncRoute(async (req, res) => {
        const { email, code } = req.body as { email: string; code: string };
        const result = await service.emailCode.verify({ email, code }, signInContext(service, req));
        signInResponse(service, req, res, result);
      }),
    );
    app.post(
      '/app/start/:id',
      asyncRoute<{ id: string }>(async (req, res) => {
        const { bearer } = await startSession(service, req, res, req.params.id);
        res.json({ bearer });
      }),
    );
  };
  const sendTo = (path: string, body: object, dpop?: string) =>
    site.send('POST', path, body, { headers: { ...asking, ...(dpop !== undefined && { dpop }) } });
  const invalid = () => proofFor(key, 'POST', urlOf('/app/other'));

  it('is refused without a right proof before it uses the code up', async () => {
    await open(signInRoutes, { dpop: 'required' });
    const email = site.uniqueEmail();
    await site.post('/email-code/send', { email }, { headers: asking });
    const body = { email, code: site.mail.lastCode(email) };
    for (const proof of [undefined, invalid()])
      expect((await sendTo('/app/verify', body, proof)).status).toBe(401);
    const right = proofFor(key, 'POST', urlOf('/app/verify'));
    expect((await sendTo('/app/verify', body, right)).json.bearer).toMatchObject({ tokenType: 'DPoP' });
  });

  it('starts no session without a right proof, and leaves the one that it would replace', async () => {
    await open(signInRoutes, { dpop: 'required' });
    const { id, token } = await signUp();
    for (const proof of [undefined, invalid()])
      expect((await sendTo(`/app/start/${id}`, {}, proof)).status).toBe(401);
    expect((await send('GET', '/api/auth/session', token)).status).toBe(200);
    const right = proofFor(key, 'POST', urlOf(`/app/start/${id}`));
    expect((await sendTo(`/app/start/${id}`, {}, right)).json.bearer).toMatchObject({ tokenType: 'DPoP' });
  });
});
