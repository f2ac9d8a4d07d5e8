/** People with and without a password, and what the password tests do with them. */
import type { PasswordHasher, ServiceUser } from 'svc-auth';
import { cheapHasher, type TestService } from './make-service.js';
import { outcomeOf } from './outcomes.js';

export const password = 'correct horse';
export const otherPassword = 'battery staple';

/** A hasher that notes what it is asked to do. */
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

/** A promise and the key to it. */
export function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

export interface Account {
  email: string;
  user: ServiceUser;
}

/** @param person makes addresses that nobody used before. */
export function passwordAccounts(person: () => string) {
  return {
    signedUp: async ({ service }: TestService, email = person()): Promise<Account> => {
      const { user } = await service.emailPassword.signup({ email, password });
      return { email, user };
    },
    /** Signed in by code, so verified. */
    passwordless: async ({ service, mail }: TestService, email = person()): Promise<Account> => {
      await service.emailCode.sendCode({ email });
      const { user } = await service.emailCode.verify({ email, code: mail.lastCode(email)! });
      return { email, user };
    },
  };
}

/** The outcome of a login. */
export function login({ service }: TestService, email: string, with_ = password, ip?: string) {
  return outcomeOf(() => service.emailPassword.login({ email, password: with_ }, { ip }));
}

/** Asks for a reset and takes the token out of the mail. */
export async function resetToken({ service, mail }: TestService, email: string): Promise<string> {
  await service.emailPassword.requestReset({ email });
  await service.close();
  return new URL(mail.lastLink(email)!).searchParams.get('token')!;
}

/** The outcome of a reset. */
export function setPassword({ service }: TestService, token: unknown, newPassword: unknown = otherPassword) {
  const input = { token: token as string, newPassword: newPassword as string };
  return outcomeOf(() => service.emailPassword.setPassword(input));
}
