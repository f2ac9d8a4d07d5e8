/** Users and organizations with API keys. */
import { outcomeOf } from './outcomes.js';
import type { proFixtures, ProService } from './make-pro-service.js';

type Fixtures = Pick<ReturnType<typeof proFixtures>, 'makePro' | 'verifiedUser'>;

export function apiKeyFixtures({ makePro, verifiedUser }: Fixtures) {
  const verify = ({ service }: ProService, key: unknown) =>
    outcomeOf(() => service.apiKeys.verify(key as string));

  /** A verified user who owns an organization. */
  async function owners(overrides: Parameters<typeof makePro>[0] = {}) {
    const test = await makePro(overrides);
    const user = await verifiedUser(test);
    const { org } = await test.service.orgs.create({ name: 'Acme', ownerUserId: user.id });
    await test.takeEvents();
    return { test, user, org };
  }

  async function userKey(overrides: Parameters<typeof makePro>[0] = {}, input: object = {}) {
    const { test, user, org } = await owners(overrides);
    const { key, record } = await test.service.apiKeys.create({ userId: user.id, name: 'CI', ...input });
    return { test, user, org, key, record };
  }

  return { verify, owners, userKey };
}
