/** The second factors of an export: the first app of a user is in `svc_totp`, where the previous release reads it. */
import type { ReadApps } from '../portable/exports.js';
import { inLists } from '../portable/imports/insert-rows.js';
import { apps } from '../portable/records.js';
import { columnsOf, readerOf } from '../portable/tables.js';

const appsOf = `
  select ${columnsOf(apps, 'r')} from (
    select coalesce(t.app_id, t.user_id) as id, t.user_id, 0 as place, t.name, t.secret, t.last_step,
      t.confirmed_at as created_at, t.last_used_at
    from svc_totp t where t.user_id in (:values*) and t.secret is not null
    union all
    select a.id, a.user_id, 1, a.name, a.secret, a.last_step, a.created_at, a.last_used_at
    from svc_totp_apps a where a.user_id in (:values*)) r
  order by r.place, r.created_at, r.id`;

const toApp = readerOf(apps, 'r');

export const readFirstApps: ReadApps = async (on, userIds) => {
  const all: Awaited<ReturnType<ReadApps>> = [];
  await inLists(userIds, async (values) => {
    const rows = await on.query(appsOf, { values }, toApp);
    all.push(...rows.map(({ place: _, ...app }) => app));
  });
  return all;
};
