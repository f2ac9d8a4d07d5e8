// Organizations: the rights of each role, the last owner, and invites, on each storage.
import { describeAdapters } from '../../support/describe-adapters.js';
import type { Account } from '../../support/http-site.js';
import { fullSiteOpener, type FullSite } from '../../support/full-site.js';
import { guards } from './guarded-app.js';

describeAdapters('Organizations', (on) => {
  const open = fullSiteOpener(on.adapter);
  const inApp = async (site: FullSite, path: string, options: object) =>
    (await site.send('GET', `/app/${path}`, undefined, options)).status;

  //
  it('grants each role exactly its rights on routes and guards, within its own organization', async () => {
    const site = await open({ after: guards });
    const people = {
      owner: await site.signInByCode(),
      admin: await site.signInByCode(),
      member: await site.signInByCode(),
      outsider: await site.signInByCode(),
    };
    const createOrg = async (by: Account) =>
      (await site.post('/orgs', { name: 'Acme' }, by)).json.org.id as string;
    const [id, elsewhere] = [await createOrg(people.owner), await createOrg(people.outsider)];
    for (const role of ['admin', 'member'] as const)
      await site.service.orgs.addMember(id, people[role].user.id, role);
    const target = await site.signInByCode();
    await site.service.orgs.addMember(id, target.user.id, 'member');
    const at = `/orgs/${id}`;
    const attempts: [string, string, object | undefined, string][] = [
      ['GET', at, undefined, 'member'],
      ['GET', `${at}/members`, undefined, 'member'],
      ['GET', `${at}/api-keys`, undefined, 'admin'],
      ['POST', `${at}/api-keys`, { name: 'x' }, 'admin'],
      ['POST', `${at}/invites`, { email: site.uniqueEmail() }, 'admin'],
      ['POST', `${at}/invites`, { email: site.uniqueEmail(), role: 'admin' }, 'admin'],
      ['PUT', `${at}/members/${target.user.id}`, { role: 'admin' }, 'admin'],
      ['PUT', `${at}/members/${target.user.id}`, { role: 'member' }, 'admin'],
      ['PUT', `${at}/members/${target.user.id}`, { role: 'owner' }, 'owner'],
      ['PUT', `${at}/members/${target.user.id}`, { role: 'member' }, 'owner'],
      ['POST', `${at}/invites`, { email: site.uniqueEmail(), role: 'owner' }, 'owner'],
      ['PUT', `${at}/members/${people.outsider.user.id}`, { role: 'member' }, 'no one'],
    ];
    const order = ['outsider', 'member', 'admin', 'owner'] as const;
    for (const [method, path, body, least] of attempts) {
      for (const role of order) {
        const { status, json } = await site.send(method, path, body, { cookie: people[role].cookie });
        const isAllowed = order.indexOf(role) >= order.indexOf(least as 'owner') && least !== 'no one';
        const outcome = status === 200 ? true : status === 403 || status === 400 ? false : [status, json];
        expect([method, path, body, role, outcome]).toEqual([method, path, body, role, isAllowed]);
        if (role === 'outsider') expect([path, status, json.error]).toEqual([path, 403, 'not_authorized']);
        // An owner has no rights in another organization.
        const there = path.replace(id, elsewhere);
        if (role === 'owner')
          expect([there, (await site.send(method, there, body, people.owner)).status]).toEqual([there, 403]);
      }
    }
    for (const role of order) {
      for (const min of ['member', 'admin', 'owner'] as const) {
        const status = await inApp(site, `orgs/${id}/${min}`, people[role]);
        expect([role, min, status]).toEqual([
          role,
          min,
          order.indexOf(role) >= order.indexOf(min) ? 200 : 403,
        ]);
      }
    }
    for (const odd of ['Owner', 'OWNER', ' owner', 'superuser', '', '__proto__', 'constructor']) {
      const { status } = await site.send(
        'PUT',
        `${at}/members/${target.user.id}`,
        { role: odd },
        people.owner,
      );
      expect([odd, status]).toEqual([odd, 400]);
    }
  });

  //
  it('keeps the last owner, lets only owners manage owners, and ends access of a removed member immediately', async () => {
    const site = await open({ after: guards });
    const [owner, admin] = [await site.signInByCode(), await site.signInByCode()];
    const id = (await site.post('/orgs', { name: 'Acme' }, owner)).json.org.id as string;
    await site.service.orgs.addMember(id, admin.user.id, 'admin');
    const member = (target: Account, method: string, by: Account, body?: object) =>
      site.send(method, `/orgs/${id}/members/${target.user.id}`, body, { cookie: by.cookie });
    for (const response of [
      await member(owner, 'DELETE', owner),
      await member(owner, 'PUT', owner, { role: 'admin' }),
      await member(owner, 'DELETE', admin),
      await member(owner, 'PUT', admin, { role: 'member' }),
      await member(admin, 'PUT', admin, { role: 'owner' }),
      await site.send('DELETE', '/account', undefined, owner),
      await site.send('DELETE', `/orgs/${id}`, undefined, admin),
    ]) {
      expect(['org_error', 'not_authorized']).toContain(response.json.error);
    }
    expect(await site.service.orgs.roleOf(id, owner.user.id)).toBe('owner');
    await member(admin, 'PUT', owner, { role: 'owner' });
    const both = await Promise.all([member(owner, 'DELETE', owner), member(admin, 'DELETE', admin)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    const out = both[0].status === 200 ? owner : admin;
    expect([
      await inApp(site, `orgs/${id}/member`, out),
      (await site.get(`/orgs/${id}`, out)).status,
    ]).toEqual([403, 403]);
  });

  //
  it('accepts an invite once, for the verified address it names, while its inviter still has the right to invite', async () => {
    const site = await open();
    const [owner, admin, thief, invited] = [
      await site.signInByCode(),
      await site.signInByCode(),
      await site.signInByCode(),
      await site.signInByCode(),
    ];
    const id = (await site.post('/orgs', { name: 'Acme' }, owner)).json.org.id as string;
    await site.service.orgs.addMember(id, admin.user.id, 'admin');
    const invite = async (by: Account, email: string) => {
      await site.post(`/orgs/${id}/invites`, { email, role: 'admin' }, by);
      return site.mailedToken(email);
    };
    const accept = async (token: string, by: { cookie: string }) => {
      const { status, json } = await site.post('/orgs/invites/accept', { token }, { cookie: by.cookie });
      return status === 200 ? json.membership.role : json.error;
    };
    const unverified = await site.signUp();
    const [token, forUnverified] = [
      await invite(admin, invited.email),
      await invite(admin, unverified.email),
    ];
    expect([await accept(token, thief), await accept(forUnverified, unverified)]).toEqual([
      'not_authorized',
      'not_authorized',
    ]);
    const raced = await Promise.all([1, 2, 3, 4].map(() => accept(token, invited)));
    expect(raced.filter((each) => each === 'admin')).toHaveLength(1);
    const late = await site.signInByCode();
    const pending = await invite(admin, late.email);
    await site.send('PUT', `/orgs/${id}/members/${admin.user.id}`, { role: 'member' }, owner);
    expect(['token_invalid', 'not_authorized']).toContain(await accept(pending, late));
    expect(await site.service.orgs.roleOf(id, late.user.id)).toBeNull();
  });
});
