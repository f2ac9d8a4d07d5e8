/** `session.bound` in one browser that several people, or several services, use: the cookie of an earlier session must not come back. */
import {
  bind,
  challengeOf,
  deviceKey,
  offerOf,
  refresh,
  register,
  sendRefresh,
  type BoundJar,
} from '../support/bound-browser.js';
import { boundSites, graceMs, sessionStatus, setsSession, signIn, ttlMs } from '../support/bound-site.js';
import { until } from '../support/cached-sessions.js';
import type { HttpResponse } from '../support/http-client.js';
import { validPassword, type Site } from '../support/http-site.js';

const { newSite, closeSites } = boundSites();
afterEach(closeSites);

const isMarker = ({ name }: { name: string }) => name.startsWith('__Host-svc_bound');
const markerOf = ({ response }: BoundJar) => {
  const { name, value } = response.cookies.find(isMarker)!;
  return `${name}=${value}`;
};
const removesMarker = ({ cookies }: HttpResponse) =>
  cookies.some((each) => isMarker(each) && each.value === '');

/** Ada's session is bound, and the browser has just removed its cookie. */
async function scene(site: Site) {
  const jar = await bind(site, (await signIn(site)).response);
  site.clock.advance(ttlMs);
  return { jar, marker: markerOf(jar) };
}

describe('a bound session whose cookie is missing for a moment', () => {
  it('does not come back after another person has signed in', async () => {
    const site = await newSite();
    const { jar, marker } = await scene(site);
    const email = site.uniqueEmail();
    await site.signUp(email);
    const bob = await site.post('/password/login', { email, password: validPassword }, { cookie: marker });
    expect(removesMarker(bob)).toBe(true);
    const between = await refresh(site, jar, { cookie: bob.cookie() });
    expect([between.status, setsSession(between)]).toEqual([401, false]);

    const bobs = await bind(site, bob);
    site.clock.advance(ttlMs);
    const late = await refresh(site, jar, { cookie: markerOf(bobs) });
    expect([late.status, setsSession(late)]).toEqual([401, false]);
    const own = await refresh(site, bobs, { cookie: markerOf(bobs) });
    expect((await site.get('/session', { cookie: own.cookie() })).json).toMatchObject({ user: { email } });
  });

  it('does not come back after a sign-out', async () => {
    const site = await newSite();
    const { jar, marker } = await scene(site);
    const signedOut = await site.post('/logout', undefined, { cookie: marker });
    expect(removesMarker(signedOut)).toBe(true);
    const late = await refresh(site, jar, { cookie: 'other=1' });
    expect([late.status, setsSession(late)]).toEqual([401, false]);
  });
});

it('a socket that was opened before the session was bound ends with the cookie from before', async () => {
  const site = await newSite();
  const { cookie, response } = await signIn(site);
  const reasons: string[] = [];
  const watch = (sent: string) => {
    const token = sent.replace('svc_session=', '');
    return site.service.watch(token, (reason) => reasons.push(reason), { pollMs: 1_000 });
  };
  await watch(cookie);
  const jar = await bind(site, response);
  await watch(jar.cookie);
  await watch(cookie);
  site.clock.advance(graceMs);
  await until('the end of both sockets', () => reasons.length === 2);
  // That of the cookie which the proof has replaced is still open.
  expect(reasons).toEqual(['session_expired', 'session_expired']);
  site.clock.advance(ttlMs);
  await until('the end of the last socket', () => reasons.length === 3);
});

it('the bound sessions of two services of one host do not end each other', async () => {
  const first = await newSite();
  const second = await newSite({ service: { session: { cookie: { name: 'staff', secure: true } } } });
  const { jar, marker } = await scene(first);
  const body = { email: second.uniqueEmail(), password: validPassword };
  const signedUp = await second.post('/password/signup', body, { cookie: marker });
  const key = await deviceKey();
  const bound = await register(second, offerOf(signedUp)!, key, undefined, { cookie: marker });
  const staff = bound.cookies.find(isMarker)!;
  expect(staff.name).toBe('__Host-svc_bound_staff');
  const cookie = `${marker}; ${staff.name}=${staff.value}`;
  expect(await sessionStatus(first, (await refresh(first, jar, { cookie })).cookie())).toBe(200);
  const proof = await key.prove(challengeOf(await sendRefresh(second, staff.value)));
  expect((await sendRefresh(second, staff.value, proof, { cookie })).status).toBe(200);
});
