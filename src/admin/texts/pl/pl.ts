/** Polish: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const pl: AdminTexts = {
  direction: 'ltr',
  skip: 'Przejdź do treści',
  language: 'Język',
  zone: (zone) => ['Godziny w\u00a0strefie czasowej ', zone],
  error: 'Błąd',
  optional: 'opcjonalnie',
  cancel: 'Anuluj',
  none: 'Brak',
  never: 'Nigdy',
  nothingChanged: 'Niczego nie zmieniono',
  toApp: 'Wróć do aplikacji',
  signedIn: 'Zalogowano',
  sections: {
    label: 'Menu główne',
    trail: 'Ścieżka',
    overview: 'Przegląd',
    users: 'Użytkownicy',
    clients: 'Klienci',
    audit: 'Dziennik audytu',
  },
  pager: {
    label: 'Strony listy',
    first: 'Pierwsza strona',
    previous: 'Poprzednia strona',
    next: 'Następna strona',
    empty: 'Ta strona listy jest pusta.',
  },
  names: {
    user: (id) => `Użytkownik ${id}`,
    guest: (id) => `Gość ${id}`,
  },
  states: {
    active: 'Aktywny',
    blocked: 'Zablokowany',
    guest: 'Gość',
    verified: 'Zweryfikowany',
    unverified: 'Niezweryfikowany',
    twoFactor: 'Dwa etapy',
    you: 'Ty',
  },
  devices: {
    on: (client, system) => `${client} (${system})`,
    unknown: 'Nieznane urządzenie',
  },
  impersonation: {
    title: 'Działasz jako inny użytkownik',
    lead: (who) => [
      'Działasz jako ',
      who,
      '. Strony administracyjne są zamknięte, dopóki tego nie zakończysz.',
    ],
    stop: 'Przestań działać jako użytkownik',
  },
  done: {
    address: 'Zmieniono adres e-mail.',
    blocked: 'Zablokowano użytkownika.',
    client_created: 'Zarejestrowano klienta.',
    client_removed: 'Usunięto klienta.',
    client_saved: 'Zapisano klienta.',
    created: 'Utworzono użytkownika.',
    deleted: 'Usunięto użytkownika.',
    impersonation_ended: 'Nie działasz już jako użytkownik.',
    invited: 'Wysłano zaproszenie.',
    invited_again: 'Ten adres ma niezweryfikowane konto. Wysłano kolejne zaproszenie.',
    key_revoked: 'Unieważniono klucz API.',
    metadata: 'Zapisano metadane.',
    name: 'Zapisano nazwę i\u00a0zdjęcie.',
    password: 'Ustawiono hasło.',
    removed_app: 'Usunięto aplikację uwierzytelniającą.',
    removed_from_org: 'Usunięto użytkownika z\u00a0organizacji.',
    removed_passkey: 'Usunięto klucz dostępu.',
    roles: 'Zapisano role.',
    secret_removed: 'Usunięto sekret.',
    session_ended: 'Wylogowano urządzenie.',
    signed_out: 'Wylogowano użytkownika wszędzie.',
    token_revoked: 'Unieważniono token aplikacji.',
    unblocked: 'Odblokowano użytkownika.',
    unlinked: 'Odłączono konto.',
    username: 'Zapisano nazwę użytkownika.',
    verified: 'Zweryfikowano adres e-mail.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
