/** Tries of a password: charged before it is looked at, or parallel ones would all be evaluated; at one cost whoever it is for. */
import type { StoredUser } from '../../domain/user.js';
import { InvalidRequestError } from '../../errors/catalog.js';
import { loginBudgets, loginPairBudget } from '../../kit/budgets.js';
import type { PasswordVerifier, VerifyPassword } from '../../kit/password-hasher.js';
import { isStorablePassword } from '../../kit/password-policy.js';
import type { EmailPasswordTools } from './options.js';

export class PasswordGuesses {
  constructor(
    private readonly passwords: PasswordVerifier,
    private readonly tools: Pick<EmailPasswordTools, 'limiter' | 'limits'>,
  ) {}

  /**
   * The user if the password is theirs. Asked where somebody signs in and where they change it: one budget, or the second
   * would be more tries for the first.
   * @param find reads the user, before the password is checked: a reset in between makes what follows void.
   * @throws InvalidRequestError, RateLimitError.
   */
  async check(
    address: string,
    password: unknown,
    ip: string | undefined,
    find: () => Promise<StoredUser | null>,
  ): Promise<StoredUser | null> {
    const { limiter, limits } = this.tools;
    if (typeof password !== 'string') throw new InvalidRequestError('password must be a string.');
    const budgets = loginBudgets(limits.login, address, ip);
    const attempt = (verify: VerifyPassword) =>
      limiter.spend(budgets, async (charge) => {
        const user = await find();
        // A password that cannot have been set is compared with the decoy, as for a user who is not there.
        const isStorable = isStorablePassword(password);
        const hash = isStorable ? (user?.passwordHash ?? null) : null;
        if (!(await verify(isStorable ? password : '', hash))) return null;
        await charge.forgive(loginPairBudget);
        return user;
      });
    // Behind the lane: tries that wait for each other must not fill the line that is everybody's.
    return limiter.inLane(`login ${address} ${ip}`, () => this.passwords.tryInLine(attempt));
  }
}
