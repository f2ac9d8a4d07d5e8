/** The second factors of an import: the first app of a user is in `svc_totp`, where the previous release reads it. */
import type { TotpApp } from '../../domain/totp.js';
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
  emailFactor: boolean;
}

const firstApps = table<FirstApp>('svc_totp', {
  userId: 'text',
  appId: 'text',
  name: 'text',
  secret: 'text',
  lastStep: 'number',
  confirmedAt: 'time',
  lastUsedAt: 'time',
  emailFactor: 'boolean',
});

const otherApps = table<TotpApp>('svc_totp_apps', {
  id: 'text',
  userId: 'text',
  name: 'text',
  secret: 'text',
  lastStep: 'number',
  createdAt: 'time',
  lastUsedAt: 'time',
});

const labelOf = (name: string | null) => (name === null ? null : asLabel(name));

export const insertApps: InsertSecondFactors = async (on, factors) => {
  await insertRows(
    on,
    firstApps,
    factors.flatMap(({ apps: [first], email: emailFactor }) => {
      if (!first) return [];
      const { id: appId, name, createdAt: confirmedAt, ...app } = first;
      return [{ ...app, appId, name: labelOf(name), confirmedAt, emailFactor }];
    }),
  );
  await insertRows(
    on,
    otherApps,
    factors.flatMap(({ apps: [, ...others] }) => others.map((app) => ({ ...app, name: labelOf(app.name) }))),
  );
};
