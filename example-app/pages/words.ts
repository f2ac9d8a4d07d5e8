/** What a redirect to the sign-in page has to say, in words. Codes are the library's; words are the application's. */

const errors: Record<string, string> = {
  token_invalid: 'That link has been used already, or a part of it is missing. Ask for a new one.',
  code_expired: 'That link is too old. Ask for a new one.',
  oauth_error:
    'That was cancelled or did not work. If your address has an account here already, sign in another way and link the other account on your account page.',
  link_failed:
    'That was canceled, or it did not work. If you were linking an account, another user may have it.',
  rate_limit_exceeded: 'Too many tries. Wait a few minutes, then try again.',
};

const notices: Record<string, string> = {
  'signed-out': 'You are signed out.',
  'password-changed':
    'Your password is changed, and every device is signed out. Sign in with the new password.',
  'email-changed': 'Your account has its new address. Every other device is signed out.',
  ended: 'You have been signed out. Sign in again to continue.',
  confirmed: 'You are signed in again. You can make the change now.',
  deleted: 'Your account and everything in it is deleted.',
  join: 'Sign in, and the invitation is yours to accept.',
};

interface Words {
  kind: 'error' | 'notice';
  text: string;
}

/** @param query of the request: `?error=<code>` or `?notice=<name>`. Texts from the address itself are never shown. */
export function wordsFor({ error, notice }: Record<string, unknown>): Words | null {
  if (typeof error === 'string') {
    return { kind: 'error', text: lookUp(errors, error) ?? 'Signing in did not work. Try again.' };
  }
  const text = typeof notice === 'string' ? lookUp(notices, notice) : undefined;
  return text === undefined ? null : { kind: 'notice', text };
}

function lookUp(words: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(words, name) ? words[name] : undefined;
}
