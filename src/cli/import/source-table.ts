/** The systems that `svc-auth import --from` reads. A source is data: how it is read, and what its columns mean. */
import type { Source } from './source.js';
import { auth0 } from './sources/auth0.js';
import { authjs } from './sources/authjs.js';
import { betterAuth } from './sources/better-auth.js';
import { clerk } from './sources/clerk.js';
import { devise } from './sources/devise.js';
import { django } from './sources/django.js';
import { firebase } from './sources/firebase.js';
import { keycloak } from './sources/keycloak.js';
import { laravel } from './sources/laravel.js';
import { lucia } from './sources/lucia.js';
import { supabase } from './sources/supabase.js';

/** The tables of such applications are their own, so their map is proposed. */
const ownTables = (title: string): Source => ({
  title,
  tables: null,
  file: 'an export as CSV, JSON or lines of JSON, such as of mongoexport',
  notCarried: ['Sessions: see acceptSessionsFrom.'],
});

export const sources: Readonly<Record<string, Source>> = {
  passport: ownTables('Passport'),
  nestjs: ownTables('NestJS'),
  'better-auth': betterAuth,
  authjs,
  lucia,
  supabase,
  firebase,
  auth0,
  clerk,
  keycloak,
  django,
  devise,
  laravel,
  csv: { title: 'CSV', file: 'a CSV file with a line of column names' },
  jsonl: { title: 'JSON', file: 'lines of JSON, or one JSON array' },
};
