/** German: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const de: AdminTexts = {
  direction: 'ltr',
  skip: 'Zum Inhalt springen',
  language: 'Sprache',
  zone: (zone) => ['Zeitangaben in der Zeitzone ', zone],
  error: 'Fehler',
  optional: 'optional',
  cancel: 'Abbrechen',
  none: 'Keine Angabe',
  never: 'Nie',
  nothingChanged: 'Es wurde nichts geändert',
  toApp: 'Zurück zur App',
  signedIn: 'Angemeldet',
  sections: {
    label: 'Hauptmenü',
    trail: 'Pfad',
    overview: 'Übersicht',
    users: 'Benutzer',
    clients: 'Clients',
    audit: 'Audit-Log',
  },
  pager: {
    label: 'Seiten der Liste',
    first: 'Erste Seite',
    previous: 'Vorherige Seite',
    next: 'Nächste Seite',
    empty: 'Diese Seite der Liste ist leer.',
  },
  names: {
    user: (id) => `Benutzer ${id}`,
    guest: (id) => `Gast ${id}`,
  },
  states: {
    active: 'Aktiv',
    blocked: 'Gesperrt',
    guest: 'Gast',
    verified: 'Bestätigt',
    unverified: 'Nicht bestätigt',
    twoFactor: 'Zwei Schritte',
    you: 'Sie',
  },
  devices: {
    on: (client, system) => `${client} auf ${system}`,
    unknown: 'Unbekanntes Gerät',
  },
  impersonation: {
    title: 'Sie handeln als ein anderer Benutzer',
    lead: (who) => ['Sie handeln als ', who, '. Die Verwaltung ist geschlossen, bis Sie das beenden.'],
    stop: 'Zugriff beenden',
  },
  done: {
    address: 'E-Mail-Adresse geändert.',
    blocked: 'Benutzer gesperrt.',
    client_created: 'Client registriert.',
    client_removed: 'Client entfernt.',
    client_saved: 'Client gespeichert.',
    created: 'Benutzer erstellt.',
    deleted: 'Benutzer gelöscht.',
    impersonation_ended: 'Zugriff beendet.',
    invited: 'Einladung gesendet.',
    invited_again:
      'Zu dieser Adresse gehört ein Konto, das nicht bestätigt ist. Eine weitere Einladung wurde gesendet.',
    key_revoked: 'API-Schlüssel widerrufen.',
    metadata: 'Metadaten gespeichert.',
    name: 'Name und Bild gespeichert.',
    password: 'Passwort festgelegt.',
    removed_app: 'Authenticator-App entfernt.',
    removed_from_org: 'Benutzer aus der Organisation entfernt.',
    removed_passkey: 'Passkey entfernt.',
    roles: 'Rollen gespeichert.',
    secret_removed: 'Secret entfernt.',
    session_ended: 'Gerät abgemeldet.',
    signed_out: 'Benutzer überall abgemeldet.',
    token_revoked: 'App-Token widerrufen.',
    unblocked: 'Sperre aufgehoben.',
    unlinked: 'Verknüpfung entfernt.',
    username: 'Benutzername gespeichert.',
    verified: 'E-Mail-Adresse bestätigt.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
