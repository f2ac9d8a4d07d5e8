/** The roles of a user in the application, such as `support`. Roles in an organization are in org.ts. */
import { InvalidRequestError } from '../errors/catalog.js';
import { isMadeOfNothing } from './external-id.js';

const maxRoles = 20;
const roleForm = /^[a-z0-9](?:[a-z0-9_.:-]{0,62}[a-z0-9])?$/;

/**
 * Returns the roles, sorted and without duplicates.
 * @throws InvalidRequestError unless it is a list of at most 20 roles.
 */
export function parseUserRoles(roles: unknown): string[] {
  if (!Array.isArray(roles) || roles.length > maxRoles) {
    throw new InvalidRequestError(`roles must be a list of at most ${maxRoles} roles.`, { field: 'roles' });
  }
  return [...new Set(roles.map((role) => parseUserRole(role, 'roles')))].sort();
}

/** @throws InvalidRequestError unless it is a role: 1 to 64 lower-case letters, digits, `_`, `.`, `:` and `-`. */
export function parseUserRole(role: unknown, field = 'role'): string {
  if (isUserRole(role)) return role;
  throw new InvalidRequestError(
    'A role must be 1 to 64 lower-case letters, digits, "_", ".", ":" or "-", with a letter or digit at both ends.',
    { field },
  );
}

export function isUserRole(role: unknown): role is string {
  return typeof role === 'string' && roleForm.test(role) && !isMadeOfNothing(role);
}
