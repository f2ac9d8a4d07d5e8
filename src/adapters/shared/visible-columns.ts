/**
 * What the role of the application may read: what joins need, and nothing that proves who someone is.
 * A column that is not listed is refused, also one that a later migration adds.
 */
export const visibleColumns: Readonly<Record<string, readonly string[]>> = {
  svc_users: [
    'id',
    'email',
    'email_verified',
    'username',
    'external_id',
    'metadata',
    'roles',
    'language',
    'is_guest',
    'blocked_at',
    'blocked_until',
    'last_sign_in_at',
    'created_at',
    'updated_at',
  ],
  svc_orgs: ['id', 'name', 'slug', 'external_id', 'metadata', 'created_at', 'updated_at'],
  svc_org_memberships: ['org_id', 'user_id', 'role', 'created_at'],
};

/** The tables with an `id` that foreign keys of the application may refer to. */
export const referableTables: readonly string[] = ['svc_users', 'svc_orgs'];
