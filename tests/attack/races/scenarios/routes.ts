/** Races for limits of the HTTP routes: rows and mails that a signed-in user can cause. */
import { performCall, type ServiceCall } from '../../../support/service-calls.js';
import { concurrentCalls, scenario, type World } from '../scenario.js';

/** Signs in a user, and returns the session for the calls. */
async function signIn(world: World) {
  const email = world.person();
  await world.service.emailCode.sendCode({ email });
  const code = world.mail.lastCode(email)!;
  const { user, session } = await world.service.emailCode.verify({ email, code }, { startSession: true });
  return { user, session: session!.token };
}

async function owner(world: World) {
  const creator = await signIn(world);
  const { org } = await world.service.orgs.create({ name: 'Acme', ownerUserId: creator.user.id });
  return { ...creator, orgId: org.id };
}

const post = (route: string, session: string, body: object): ServiceCall => ({
  method: 'routes.post',
  args: [{ route, session, body }],
  resultPath: '',
});
const many = 'ok:429 rate_limit_exceeded';

export const routes = [
  scenario({
    name: 'creates twenty organizations a day for one user over HTTP',
    refusals: [],
    prepare: signIn,
    call: ({ session }) => post('/orgs', session, { name: 'Acme' }),
    async expect({ tally }, { user }, { service }) {
      expect(tally).toEqual({ 'ok:200': 20, [many]: concurrentCalls - 20 });
      expect(await service.orgs.listForUser(user.id)).toHaveLength(20);
    },
  }),
  scenario({
    name: 'creates a hundred API keys a day for one user over HTTP, including those of organizations',
    refusals: [],
    async prepare(world) {
      const creator = await owner(world);
      for (let batch = 0; batch < 4; batch += 1) {
        const creations = Array.from({ length: 20 }, () =>
          performCall(world.service, post('/api-keys', creator.session, { name: 'CI' })),
        );
        expect(new Set(await Promise.all(creations))).toEqual(new Set(['ok:200']));
      }
      return creator;
    },
    call: ({ session, orgId }, index) =>
      post(index % 2 === 0 ? '/api-keys' : `/orgs/${orgId}/api-keys`, session, { name: 'CI' }),
    async expect({ tally }, { user, orgId }, { service }) {
      expect(tally).toEqual({ 'ok:200': 20, [many]: concurrentCalls - 20 });
      const [personal, shared] = [
        await service.apiKeys.list({ userId: user.id }),
        await service.apiKeys.list({ orgId }),
      ];
      expect(personal.length + shared.length).toBe(100);
    },
  }),
  scenario({
    name: 'sends five mails for changes of email address by one user, to any addresses',
    refusals: [],
    async prepare(world) {
      const { session, user } = await signIn(world);
      return { session, user, addresses: Array.from({ length: concurrentCalls }, () => world.person()) };
    },
    call: ({ session, addresses }, index) => post('/account/email', session, { email: addresses[index] }),
    expect({ tally, mails }, { addresses }) {
      expect(tally).toEqual({ 'ok:200': 5, [many]: concurrentCalls - 5 });
      expect(mails.filter(({ to }) => addresses.includes(to))).toHaveLength(5);
    },
  }),
  scenario({
    name: 'sends five upgrade codes for one guest, to any addresses',
    refusals: [],
    async prepare(world) {
      const { token } = await world.service.sessionsProvider.createGuest();
      return { session: token, addresses: Array.from({ length: concurrentCalls }, () => world.person()) };
    },
    call: ({ session, addresses }, index) =>
      post('/guest/upgrade/send', session, { email: addresses[index] }),
    expect({ tally, mails }) {
      expect(tally).toEqual({ 'ok:200': 5, [many]: concurrentCalls - 5 });
      expect(mails).toHaveLength(5);
    },
  }),
];
