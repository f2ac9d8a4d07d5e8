/** Accounts with and without a password, and the actions of the password tests. */
import type { PasswordHasher, ServiceUser } from 'svc-auth';
import { cheapHasher, type TestService } from './make-service.js';
import { outcomeOf } from './outcomes.js';

export const password = 'correct horse';
export const otherPassword = 'battery staple';

/** A hasher that records its calls. */
export function countingHasher() {
  const cheap = cheapHasher();
  const hashed: string[] = [];
  const verified: { plain: string; hash: string }[] = [];
  const hasher: PasswordHasher = {
    hash: async (plain) => {
      hashed.push(plain);
      return cheap.hash(plain);
    },
    verify: async (plain, hash) => {
      verified.push({ plain, hash });
      return cheap.verify(plain, hash);
    },
  };
  return { hasher, hashed, verified };
}

/** A promise and the function that resolves it. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

export interface PasswordAccount {
  email: string;
  user: ServiceUser;
}

/** @param uniqueEmail returns an address that no account uses. */
export function passwordAccounts(uniqueEmail: () => string) {
  return {
    signUpUser: async ({ service }: TestService, email = uniqueEmail()): Promise<PasswordAccount> => {
      const { user } = await service.emailPassword.signup({ email, password });
      return { email, user };
    },
    /** Signs in with an email code, which verifies the address. */
    passwordlessUser: async (
      { service, mail }: TestService,
      email = uniqueEmail(),
    ): Promise<PasswordAccount> => {
      await service.emailCode.sendCode({ email });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      return { email, user };
    },
  };
}

/** Logs in and returns the outcome. */
export function login({ service }: TestService, email: string, input = password, ip?: string) {
  return outcomeOf(() => service.emailPassword.login({ email, password: input }, { ip }));
}

/** Requests a reset and returns the token from the mail. */
export async function resetToken({ service, mail }: TestService, email: string): Promise<string> {
  await service.emailPassword.requestReset({ email });
  await service.close();
  return new URL(mail.lastLink(email)!).searchParams.get('token')!;
}

/** Completes a reset and returns the outcome. */
export function setPassword({ service }: TestService, token: unknown, newPassword: unknown = otherPassword) {
  const input = { token: token as string, newPassword: newPassword as string };
  return outcomeOf(() => service.emailPassword.setPassword(input));
}
