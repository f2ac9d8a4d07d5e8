// A token that is bound to a key is worthless without it, also in a cookie next to a session of the old system.
import express, { type Request } from 'express';
import jwt from 'jsonwebtoken';
import { requireSession } from 'svc-auth';
import { jwt as jwtSessions } from '../../../src/moving.js';
import { newKey, proofsOf } from '../../oauth-server/proofs.js';
import { openSite, validPassword, type Site } from '../../support/http-site.js';

const oldSecret = 'the secret of the old application';

let site: Site;
beforeAll(async () => {
  site = await openSite(express, undefined, {
    service: {
      session: {
        bearer: true,
        acceptSessionsFrom: [jwtSessions({ secret: oldSecret, from: { header: 'JWT' } })],
      },
    },
    before(app, { service }) {
      app.get('/app/me', requireSession(service), (req: Request, res) => void res.json(req.user));
    },
  });
});
afterAll(() => site.close());

it('a bound token in the cookie opens nothing with an old token that has another scheme', async () => {
  const address = `${site.origin}/api/auth/password/signup`;
  const proof = proofsOf(() => ({ test: site }))(newKey(), 'POST', address);
  const headers = { dpop: proof, 'svc-session': 'bearer' };
  const body = { email: site.uniqueEmail(), password: validPassword };
  const signedUp = await site.send('POST', '/api/auth/password/signup', body, { headers });
  const { accessToken } = signedUp.json.bearer as { accessToken: string };
  const now = Math.floor(site.clock.now() / 1000);
  const old = jwt.sign({ sub: 'nobody', iat: now, exp: now + 600 }, oldSecret);
  const stolen = { cookie: `svc_session=${accessToken}`, headers: { authorization: `JWT ${old}` } };
  expect((await site.send('GET', '/app/me', undefined, stolen)).status).toBe(401);
});
