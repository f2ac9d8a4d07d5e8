/** Races for what the routes alone count: rows and mails that anybody who is signed in may cause. */
import { perform, type Call } from '../../../support/calls.js';
import { callsAtOnce, scenario, type World } from '../scenario.js';

/** A user, and the session that each of the calls comes with. */
async function signedIn(world: World) {
  const email = world.person();
  await world.service.emailCode.sendCode({ email });
  const code = world.mail.lastCode(email)!;
  const { user, session } = await world.service.emailCode.verify({ email, code }, { startSession: true });
  return { user, session: session!.token };
}

async function owner(world: World) {
  const maker = await signedIn(world);
  const { org } = await world.service.orgs.create({ name: 'Acme', ownerUserId: maker.user.id });
  return { ...maker, orgId: org.id };
}

const post = (route: string, session: string, body: object): Call => ({
  method: 'routes.post',
  args: [{ route, session, body }],
  tell: '',
});
const many = 'ok:429 rate_limit_exceeded';

export const routes = [
  scenario({
    name: 'a user founds twenty organisations a day over HTTP',
    refusals: [],
    prepare: signedIn,
    call: ({ session }) => post('/orgs', session, { name: 'Acme' }),
    async expect({ tally }, { user }, { service }) {
      expect(tally).toEqual({ 'ok:200': 20, [many]: callsAtOnce - 20 });
      expect(await service.orgs.listForUser(user.id)).toHaveLength(20);
    },
  }),
  scenario({
    name: 'a user makes a hundred API keys a day over HTTP, those of organisations included',
    refusals: [],
    async prepare(world) {
      const maker = await owner(world);
      for (let batch = 0; batch < 4; batch += 1) {
        const made = Array.from({ length: 20 }, () =>
          perform(world.service, post('/api-keys', maker.session, { name: 'CI' })),
        );
        expect(new Set(await Promise.all(made))).toEqual(new Set(['ok:200']));
      }
      return maker;
    },
    call: ({ session, orgId }, index) =>
      post(index % 2 === 0 ? '/api-keys' : `/orgs/${orgId}/api-keys`, session, { name: 'CI' }),
    async expect({ tally }, { user, orgId }, { service }) {
      expect(tally).toEqual({ 'ok:200': 20, [many]: callsAtOnce - 20 });
      const [own, ofOrg] = [
        await service.apiKeys.list({ userId: user.id }),
        await service.apiKeys.list({ orgId }),
      ];
      expect(own.length + ofOrg.length).toBe(100);
    },
  }),
  scenario({
    name: 'a user has five mails sent for a change of address, to whatever addresses',
    refusals: [],
    async prepare(world) {
      const { session, user } = await signedIn(world);
      return { session, user, addresses: Array.from({ length: callsAtOnce }, () => world.person()) };
    },
    call: ({ session, addresses }, index) => post('/account/email', session, { email: addresses[index] }),
    expect({ tally, mails }, { addresses }) {
      expect(tally).toEqual({ 'ok:200': 5, [many]: callsAtOnce - 5 });
      expect(mails.filter(({ to }) => addresses.includes(to))).toHaveLength(5);
    },
  }),
  scenario({
    name: 'a guest has five codes sent for an upgrade, to whatever addresses',
    refusals: [],
    async prepare(world) {
      const { token } = await world.service.sessionsProvider.createGuest();
      return { session: token, addresses: Array.from({ length: callsAtOnce }, () => world.person()) };
    },
    call: ({ session, addresses }, index) =>
      post('/guest/upgrade/send', session, { email: addresses[index] }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ 'ok:200': 5, [many]: callsAtOnce - 5 });
      expect(mails).toHaveLength(5);
    },
  }),
];
