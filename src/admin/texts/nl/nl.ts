/** Dutch: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const nl: AdminTexts = {
  direction: 'ltr',
  skip: 'Naar de inhoud',
  language: 'Taal',
  zone: (zone) => ['Tijden in tijdzone ', zone],
  error: 'Fout',
  optional: 'optioneel',
  cancel: 'Annuleren',
  none: 'Geen',
  never: 'Nooit',
  nothingChanged: 'Er is niets gewijzigd',
  toApp: 'Terug naar de app',
  signedIn: 'Ingelogd',
  sections: {
    label: 'Hoofdmenu',
    trail: 'Kruimelpad',
    overview: 'Overzicht',
    users: 'Gebruikers',
    clients: 'Clients',
    audit: 'Auditlog',
  },
  pager: {
    label: 'Pagina’s van de lijst',
    first: 'Eerste pagina',
    previous: 'Vorige pagina',
    next: 'Volgende pagina',
    empty: 'Deze pagina van de lijst is leeg.',
  },
  names: {
    user: (id) => `Gebruiker ${id}`,
    guest: (id) => `Gast ${id}`,
  },
  states: {
    active: 'Actief',
    blocked: 'Geblokkeerd',
    guest: 'Gast',
    verified: 'Bevestigd',
    unverified: 'Niet bevestigd',
    twoFactor: 'Twee stappen',
    you: 'Jij',
  },
  devices: {
    on: (client, system) => `${client} op ${system}`,
    unknown: 'Onbekend apparaat',
  },
  impersonation: {
    title: 'Je handelt als een andere gebruiker',
    lead: (who) => ['Je handelt als ', who, '. De beheerpagina’s zijn gesloten totdat je stopt.'],
    stop: 'Stoppen',
  },
  done: {
    address: 'E-mailadres gewijzigd.',
    blocked: 'Gebruiker geblokkeerd.',
    client_created: 'Client geregistreerd.',
    client_removed: 'Client verwijderd.',
    client_saved: 'Client opgeslagen.',
    created: 'Gebruiker gemaakt.',
    deleted: 'Gebruiker verwijderd.',
    impersonation_ended: 'Je handelt niet meer als de gebruiker.',
    invited: 'Uitnodiging gestuurd.',
    invited_again: 'Dit adres heeft een account dat niet is bevestigd. Er is nog een uitnodiging gestuurd.',
    key_revoked: 'API-sleutel ingetrokken.',
    metadata: 'Metadata opgeslagen.',
    name: 'Naam en foto opgeslagen.',
    password: 'Wachtwoord ingesteld.',
    removed_app: 'Authenticator-app verwijderd.',
    removed_from_org: 'Gebruiker uit de organisatie verwijderd.',
    removed_passkey: 'Passkey verwijderd.',
    roles: 'Rollen opgeslagen.',
    secret_removed: 'Secret verwijderd.',
    session_ended: 'Apparaat uitgelogd.',
    signed_out: 'Gebruiker overal uitgelogd.',
    token_revoked: 'App-token ingetrokken.',
    unblocked: 'Blokkering opgeheven.',
    unlinked: 'Account ontkoppeld.',
    username: 'Gebruikersnaam opgeslagen.',
    verified: 'E-mailadres bevestigd.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
