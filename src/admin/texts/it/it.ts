/** Italian: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const it: AdminTexts = {
  direction: 'ltr',
  skip: 'Vai al contenuto',
  language: 'Lingua',
  zone: (zone) => ['Orari nel fuso ', zone],
  error: 'Errore',
  optional: 'facoltativo',
  cancel: 'Annulla',
  none: 'Nessuno',
  never: 'Mai',
  nothingChanged: 'Nessuna modifica effettuata',
  toApp: 'Torna all’app',
  signedIn: 'Accesso effettuato',
  sections: {
    label: 'Menu principale',
    trail: 'Percorso',
    overview: 'Panoramica',
    users: 'Utenti',
    clients: 'Client',
    audit: 'Registro di controllo',
  },
  pager: {
    label: 'Pagine dell’elenco',
    first: 'Prima pagina',
    previous: 'Pagina precedente',
    next: 'Pagina successiva',
    empty: 'Questa pagina dell’elenco è vuota.',
  },
  names: {
    user: (id) => `Utente ${id}`,
    guest: (id) => `Ospite ${id}`,
  },
  states: {
    active: 'Attivo',
    blocked: 'Bloccato',
    guest: 'Ospite',
    verified: 'Verificato',
    unverified: 'Non verificato',
    twoFactor: 'Due passaggi',
    you: 'Tu',
  },
  devices: {
    on: (client, system) => `${client} su ${system}`,
    unknown: 'Dispositivo sconosciuto',
  },
  impersonation: {
    title: 'Stai agendo come un altro utente',
    lead: (who) => [
      'Stai agendo come ',
      who,
      '. Le pagine di amministrazione sono chiuse finché non smetti.',
    ],
    stop: 'Smetti di agire come l’utente',
  },
  done: {
    address: 'Indirizzo email modificato.',
    blocked: 'Utente bloccato.',
    client_created: 'Client registrato.',
    client_removed: 'Client rimosso.',
    client_saved: 'Client salvato.',
    created: 'Utente creato.',
    deleted: 'Utente eliminato.',
    impersonation_ended: 'Non stai più agendo come l’utente.',
    invited: 'Invito inviato.',
    invited_again: 'Questo indirizzo ha un account non verificato. È stato inviato un altro invito.',
    key_revoked: 'Chiave API revocata.',
    metadata: 'Metadati salvati.',
    name: 'Nome e immagine salvati.',
    password: 'Password impostata.',
    removed_app: 'App di autenticazione rimossa.',
    removed_from_org: 'Utente rimosso dall’organizzazione.',
    removed_passkey: 'Passkey rimossa.',
    roles: 'Ruoli salvati.',
    secret_removed: 'Segreto rimosso.',
    session_ended: 'Dispositivo disconnesso.',
    signed_out: 'Utente disconnesso ovunque.',
    token_revoked: 'Token dell’app revocato.',
    unblocked: 'Utente sbloccato.',
    unlinked: 'Account scollegato.',
    username: 'Nome utente salvato.',
    verified: 'Indirizzo email verificato.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
