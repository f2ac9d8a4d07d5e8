/** Roles in an organization, in ascending order. */
export const orgRoles = ['member', 'admin', 'owner'] as const;
export type OrgRole = (typeof orgRoles)[number];
