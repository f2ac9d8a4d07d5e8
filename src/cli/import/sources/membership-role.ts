/** Roles in organizations of other systems. */
import { orgRoles, type OrgRole } from '../../../domain/org.js';
import type { MapContext } from '../source.js';
import { asList } from '../values.js';

/** Returns the highest of the roles that exist here. Any other role is a member, who may do the least. */
export function membershipRole(value: unknown, context: MapContext): OrgRole {
  const roles = asList(value).map((role) => role.toLowerCase());
  const known = orgRoles.findLast((role) => roles.includes(role));
  if (known === undefined && roles.length > 0)
    context.omit('roles in organizations other than owner, admin and member, which became member');
  return known ?? 'member';
}
