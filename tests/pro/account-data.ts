// Users with data in every table, for the tests of export and deletion.
import { proFixtures, settleService, type ProService } from '../support/make-pro-service.js';
import type { StorageContext } from '../support/describe-adapters.js';

export const password = 'correct horse battery';

export function accountData({ make, uniqueEmail, adapter }: StorageContext) {
  const users = proFixtures({ make, uniqueEmail });

  /** A user with data in every table, and the secrets among that data. */
  async function richUser(test: ProService) {
    const { service } = test;
    const secrets: string[] = [];
    const email = uniqueEmail();
    const code = await (async () => {
      await service.emailCode.sendCode({ email });
      return test.mail.lastCode(email)!;
    })();
    const signedIn = await service.emailCode.verify(
      { email, code },
      { startSession: true, userAgent: 'Test/1', ip: '192.0.2.9' },
    );
    const { user } = signedIn;
    const context = { sessionToken: signedIn.session!.token, startSession: true };
    // A millisecond later, so that the order is certain.
    test.clock.advance(1);
    await service.emailPassword.signup({ email, password }, context);
    const login = await service.emailPassword.login({ email, password }, context);
    await service.emailCode.sendCode({ email });
    const { url } = await service.magicLink.sendLink({ email });
    await service.emailPassword.requestReset({ email });
    await settleService(test);
    const pair = await service.refresh.issue({
      userId: user.id,
      claims: { plan: 'team' },
      device: { name: 'Phone' },
    });
    const own = await service.apiKeys.create({ userId: user.id, name: 'own', metadata: { use: 'CI' } });
    const identity = {
      id: user.id,
      userId: user.id,
      provider: 'google',
      providerAccountId: `google-${user.id}`,
      createdAt: new Date(test.clock.now()),
    };
    expect(await adapter().identities.link(identity, 0)).toBe(true);
    secrets.push(
      code,
      signedIn.session!.token,
      login.session!.token,
      pair.accessToken,
      pair.refreshToken,
      own.key,
    );
    secrets.push(new URL(url).searchParams.get('token')!, test.mail.lastLink(email)!, own.key.split('_')[2]!);
    return { user, email, secrets, pair, own, url };
  }

  /** Two users of one organization who are connected in every possible way. */
  async function neighbors(test: ProService) {
    const [first, other] = [await richUser(test), await richUser(test)];
    const { orgs, apiKeys } = test.service;
    const { org } = await orgs.create({ name: 'Acme', ownerUserId: other.user.id });
    await orgs.addMember(org.id, first.user.id, 'admin');
    const theirs = await apiKeys.create({ orgId: org.id, name: 'of the organization' });
    const third = uniqueEmail();
    const sent = await orgs.invite({ orgId: org.id, email: third, invitedByUserId: first.user.id });
    test.clock.advance(1);
    const second = await orgs.create({ name: 'Second', ownerUserId: other.user.id });
    const received = await orgs.invite({
      orgId: second.org.id,
      email: first.email,
      invitedByUserId: other.user.id,
    });
    first.secrets.push(theirs.key, sent.token, received.token);
    return { first, other, org, second: second.org, third, sent, received, theirs };
  }

  return { ...users, richUser, neighbors };
}
