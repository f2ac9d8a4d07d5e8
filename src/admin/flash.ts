/**
 * The messages after a change. The redirect carries a code and the page has the text, so that no link can make the page say what
 * its author wants.
 */
const texts = {
  address: 'Email address changed.',
  blocked: 'User blocked.',
  client_created: 'Client registered.',
  client_removed: 'Client removed.',
  client_saved: 'Client saved.',
  created: 'User created.',
  deleted: 'User deleted.',
  impersonation_ended: 'Impersonation ended.',
  invited: 'Invitation sent.',
  invited_again: 'This address has an account that is not verified. Another invitation was sent.',
  key_revoked: 'API key revoked.',
  metadata: 'Metadata saved.',
  name: 'Name and picture saved.',
  password: 'Password set.',
  removed_app: 'Authenticator app removed.',
  removed_from_org: 'User removed from the organization.',
  removed_passkey: 'Passkey removed.',
  roles: 'Roles saved.',
  secret_removed: 'Secret removed.',
  session_ended: 'Device signed out.',
  signed_out: 'User signed out everywhere.',
  token_revoked: 'App token revoked.',
  unblocked: 'User unblocked.',
  unlinked: 'Account unlinked.',
  username: 'Username saved.',
  verified: 'Email address verified.',
} as const;

export type Flash = keyof typeof texts;

/** Returns the path with the code of a message. */
export function withFlash(path: string, flash: Flash): string {
  return `${path}?done=${flash}`;
}

/** Returns the message of a request, or null. */
export function flashOf(query: URLSearchParams): string | null {
  const code = query.get('done') ?? '';
  return Object.hasOwn(texts, code) ? texts[code as Flash] : null;
}
