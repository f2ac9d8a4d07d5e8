/** The second factors of an import: the first app of a user is in `svc_totp`, where the previous release reads it. */
import { asLabel } from '../shared/bindings.js';
import { insertRows } from '../portable/imports/insert-rows.js';
import type { InsertSecondFactors } from '../portable/imports/new-users.js';
import { table } from '../portable/tables.js';

interface FirstApp {
  userId: string;
  appId: string;
  name: string | null;
  secret: string;
  lastStep: number;
  confirmedAt: Date;
  lastUsedAt: Date | null;
}

const firstApps = table<FirstApp>('svc_totp', {
  userId: 'text',
  appId: 'text',
  name: 'text',
  secret: 'text',
  lastStep: 'number',
  confirmedAt: 'time',
  lastUsedAt: 'time',
});

export const insertFirstApps: InsertSecondFactors = (on, own) =>
  insertRows(
    on,
    firstApps,
    own.map(({ id: appId, name, createdAt: confirmedAt, ...app }) => ({
      ...app,
      appId,
      name: name === null ? null : asLabel(name),
      confirmedAt,
    })),
  );
