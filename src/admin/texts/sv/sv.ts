/** Swedish: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const sv: AdminTexts = {
  direction: 'ltr',
  skip: 'Hoppa till innehållet',
  language: 'Språk',
  zone: (zone) => ['Tider i tidszonen ', zone],
  error: 'Fel',
  optional: 'valfritt',
  cancel: 'Avbryt',
  none: 'Ingen',
  never: 'Aldrig',
  nothingChanged: 'Inget har ändrats',
  toApp: 'Tillbaka till appen',
  signedIn: 'Inloggad',
  sections: {
    label: 'Huvudmeny',
    trail: 'Sökväg',
    overview: 'Översikt',
    users: 'Användare',
    clients: 'Klienter',
    audit: 'Granskningslogg',
  },
  pager: {
    label: 'Listans sidor',
    first: 'Första sidan',
    previous: 'Föregående sida',
    next: 'Nästa sida',
    empty: 'Den här sidan i listan är tom.',
  },
  names: {
    user: (id) => `Användare ${id}`,
    guest: (id) => `Gäst ${id}`,
  },
  states: {
    active: 'Aktiv',
    blocked: 'Spärrad',
    guest: 'Gäst',
    verified: 'Verifierad',
    unverified: 'Inte verifierad',
    twoFactor: 'Två steg',
    you: 'Du',
  },
  devices: {
    on: (client, system) => `${client} på ${system}`,
    unknown: 'Okänd enhet',
  },
  impersonation: {
    title: 'Du agerar som en annan användare',
    lead: (who) => ['Du agerar som ', who, '. Administrationssidorna är stängda tills du slutar.'],
    stop: 'Sluta agera som användaren',
  },
  done: {
    address: 'E-postadressen har ändrats.',
    blocked: 'Användaren har spärrats.',
    client_created: 'Klienten har registrerats.',
    client_removed: 'Klienten har tagits bort.',
    client_saved: 'Klienten har sparats.',
    created: 'Användaren har skapats.',
    deleted: 'Användaren har raderats.',
    impersonation_ended: 'Du agerar inte längre som användaren.',
    invited: 'Inbjudan har skickats.',
    invited_again: 'Adressen har ett konto som inte är verifierat. Ännu en inbjudan har skickats.',
    key_revoked: 'API-nyckeln har återkallats.',
    metadata: 'Metadata har sparats.',
    name: 'Namn och bild har sparats.',
    password: 'Lösenordet har angetts.',
    removed_app: 'Autentiseringsappen har tagits bort.',
    removed_from_org: 'Användaren har tagits bort från organisationen.',
    removed_passkey: 'Lösennyckeln har tagits bort.',
    roles: 'Rollerna har sparats.',
    secret_removed: 'Hemligheten har tagits bort.',
    session_ended: 'Enheten har loggats ut.',
    signed_out: 'Användaren har loggats ut överallt.',
    token_revoked: 'Appens token har återkallats.',
    unblocked: 'Spärren har hävts.',
    unlinked: 'Kontot har kopplats från.',
    username: 'Användarnamnet har sparats.',
    verified: 'E-postadressen har verifierats.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
