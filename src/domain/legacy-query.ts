/** What `emailPassword.legacy` is asked for. */

/**
 * The user who is looked for: by address, in canonical form, by the user name as it was typed, or by the id to which a session of the other
 * system leads.
 */
export type LegacyQuery =
  | { email: string; username?: undefined; externalId?: undefined }
  | { username: string; email?: undefined; externalId?: undefined }
  | { externalId: string; email?: undefined; username?: undefined };
