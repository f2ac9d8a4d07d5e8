/** Messages for redirects to a page. The library defines the codes; the application words the messages. */

const errors: Record<string, string> = {
  token_invalid: 'This link has expired or has already been used. Request a new one.',
  code_expired: 'That link has expired. Request a new one.',
  oauth_error:
    'Sign-in was canceled or failed. If you already have an account, sign in with another method and link this one on your account page.',
  link_failed: 'That was canceled or failed. The account you tried to link may belong to another user.',
  sign_up_disabled: 'Sign-up is not available. If you already have an account, sign in.',
  rate_limit_exceeded: 'Too many attempts. Try again in a few minutes.',
};

const notices: Record<string, string> = {
  'signed-out': "You've signed out.",
  'password-changed': 'Password changed. Sign in with your new password.',
  'email-changed': 'Email address changed. Your other devices have been signed out.',
  ended: "You've been signed out. Sign in again to continue.",
  confirmed: "You're signed in again. You can make the change now.",
  deleted: 'Your account has been deleted.',
  join: 'Sign in to accept the invitation.',
};

interface Banner {
  kind: 'error' | 'notice';
  text: string;
}

/**
 * Returns the message for `?error=<code>` or `?notice=<name>`, or null. Strings from the URL are never shown.
 *
 * @param query of the request.
 */
export function bannerFor({ error, notice }: Record<string, unknown>): Banner | null {
  if (typeof error === 'string') {
    return { kind: 'error', text: lookUp(errors, error) ?? 'Sign-in failed. Try again.' };
  }
  const text = typeof notice === 'string' ? lookUp(notices, notice) : undefined;
  return text === undefined ? null : { kind: 'notice', text };
}

function lookUp(messages: Record<string, string>, name: string): string | undefined {
  return Object.hasOwn(messages, name) ? messages[name] : undefined;
}
