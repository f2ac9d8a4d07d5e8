/** English: the frame of the admin pages, messages and errors. */
import type { Html, Value } from '../../html/html.js';
import { enActions } from './en-actions.js';
import { enClients } from './en-clients.js';
import { enErrors } from './en-errors.js';
import { enOperations } from './en-operations.js';
import { enReports } from './en-reports.js';
import { enUsers } from './en-users.js';

export const en = {
  /** The direction of the script: `ltr` or `rtl`. */
  direction: 'ltr' as 'ltr' | 'rtl',
  skip: 'Skip to content',
  language: 'Language',
  /** @param zone the IANA name of a time zone, such as `Europe/Berlin`. */
  zone: (zone: Html): Value => ['Times are in ', zone],
  error: 'Error',
  optional: 'optional',
  cancel: 'Cancel',
  none: 'None',
  never: 'Never',
  nothingChanged: 'Nothing was changed',
  toApp: 'Back to app',
  signedIn: 'Signed in',
  sections: {
    label: 'Main',
    trail: 'Breadcrumb',
    overview: 'Overview',
    users: 'Users',
    clients: 'Clients',
    audit: 'Audit log',
  },
  pager: {
    label: 'Pages of the list',
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    empty: 'This page of the list is empty.',
  },
  /** How users without an address and a username are named. @param id the end of the id. */
  names: {
    user: (id: string) => `User ${id}`,
    guest: (id: string) => `Guest ${id}`,
  },
  states: {
    active: 'Active',
    blocked: 'Blocked',
    guest: 'Guest',
    verified: 'Verified',
    unverified: 'Unverified',
    twoFactor: 'Two-factor',
    you: 'You',
  },
  devices: {
    on: (client: string, system: string) => `${client} on ${system}`,
    unknown: 'Unknown device',
  },
  impersonation: {
    title: 'You are impersonating a user',
    lead: (who: Html): Value => ['You act as ', who, '. The admin pages are closed until you stop.'],
    stop: 'Stop impersonating',
  },
  /** After a change. */
  done: {
    address: 'Email address changed.',
    blocked: 'User blocked.',
    client_created: 'Client registered.',
    client_removed: 'Client removed.',
    client_saved: 'Client saved.',
    created: 'User created.',
    deleted: 'User deleted.',
    impersonation_ended: 'Impersonation ended.',
    invited: 'Invitation sent.',
    invited_again: 'This address has an account that is not verified. Another invitation was sent.',
    key_revoked: 'API key revoked.',
    metadata: 'Metadata saved.',
    name: 'Name and picture saved.',
    password: 'Password set.',
    removed_app: 'Authenticator app removed.',
    removed_from_org: 'User removed from the organization.',
    removed_passkey: 'Passkey removed.',
    roles: 'Roles saved.',
    secret_removed: 'Secret removed.',
    session_ended: 'Device signed out.',
    signed_out: 'User signed out everywhere.',
    token_revoked: 'App token revoked.',
    unblocked: 'User unblocked.',
    unlinked: 'Account unlinked.',
    username: 'Username saved.',
    verified: 'Email address verified.',
  },
  errors: enErrors,
  ...enUsers,
  actions: enActions,
  clients: enClients,
  operations: enOperations,
  ...enReports,
};
