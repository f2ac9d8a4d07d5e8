/** Users with refresh tokens. */
import type { proFixtures } from './make-pro-service.js';
import type { TestService } from './make-service.js';
import { outcomeOf } from './outcomes.js';

type Fixtures = Pick<ReturnType<typeof proFixtures>, 'makePro' | 'verifiedUser'>;

export function refreshFixtures({ makePro, verifiedUser }: Fixtures) {
  const alive = ({ service }: TestService, token: string) => outcomeOf(() => service.getSessionUser(token));
  const refresh = ({ service }: TestService, token: unknown, changes?: object) =>
    outcomeOf(() => service.refresh.refresh(token as string, changes));

  /** A verified user with one pair of tokens. */
  async function issued(overrides: Parameters<typeof makePro>[0] = {}, input: object = {}) {
    const test = await makePro(overrides);
    const user = await verifiedUser(test);
    await test.takeEvents();
    const pair = await test.service.refresh.issue({ userId: user.id, ...input });
    return { test, user, pair };
  }

  return { alive, refresh, issued };
}
