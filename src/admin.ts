/** `svc-auth/admin`: server-rendered pages that administer users. Not loaded by `svc-auth`. */
export { createAdminPages } from './admin/create-admin-pages.js';
export type { AdminPagesOptions } from './admin/options.js';
export type { AdminAction, Administrator, Authorize } from './http/admin-permission.js';
