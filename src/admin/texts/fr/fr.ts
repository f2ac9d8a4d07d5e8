/** French: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const fr: AdminTexts = {
  direction: 'ltr',
  skip: 'Aller au contenu',
  language: 'Langue',
  zone: (zone) => ['Heures indiquées dans le fuseau horaire ', zone],
  error: 'Erreur',
  optional: 'facultatif',
  cancel: 'Annuler',
  none: 'Aucun',
  never: 'Jamais',
  nothingChanged: 'Rien n’a été modifié',
  toApp: 'Retour à l’application',
  signedIn: 'Connecté',
  sections: {
    label: 'Menu principal',
    trail: 'Fil d’Ariane',
    overview: 'Vue d’ensemble',
    users: 'Utilisateurs',
    clients: 'Clients',
    audit: 'Journal d’audit',
  },
  pager: {
    label: 'Pages de la liste',
    first: 'Première page',
    previous: 'Page précédente',
    next: 'Page suivante',
    empty: 'Cette page de la liste est vide.',
  },
  names: {
    user: (id) => `Utilisateur ${id}`,
    guest: (id) => `Invité ${id}`,
  },
  states: {
    active: 'Actif',
    blocked: 'Bloqué',
    guest: 'Invité',
    verified: 'Vérifiée',
    unverified: 'Non vérifiée',
    twoFactor: 'Deux étapes',
    you: 'Vous',
  },
  devices: {
    on: (client, system) => `${client} sur ${system}`,
    unknown: 'Appareil inconnu',
  },
  impersonation: {
    title: 'Vous agissez au nom d’un utilisateur',
    lead: (who) => [
      'Vous agissez au nom de ',
      who,
      '. Les pages d’administration sont fermées jusqu’à ce que vous arrêtiez.',
    ],
    stop: 'Arrêter',
  },
  done: {
    address: 'Adresse e-mail modifiée.',
    blocked: 'Utilisateur bloqué.',
    client_created: 'Client enregistré.',
    client_removed: 'Client supprimé.',
    client_saved: 'Modifications du client enregistrées.',
    created: 'Utilisateur créé.',
    deleted: 'Utilisateur supprimé.',
    impersonation_ended: 'Vous n’agissez plus au nom de l’utilisateur.',
    invited: 'Invitation envoyée.',
    invited_again: 'Cette adresse a un compte qui n’est pas vérifié. Une autre invitation a été envoyée.',
    key_revoked: 'Clé API révoquée.',
    metadata: 'Métadonnées enregistrées.',
    name: 'Nom et image enregistrés.',
    password: 'Mot de passe défini.',
    removed_app: 'Application d’authentification supprimée.',
    removed_from_org: 'Utilisateur retiré de l’organisation.',
    removed_passkey: 'Clé d’accès supprimée.',
    roles: 'Rôles enregistrés.',
    secret_removed: 'Secret supprimé.',
    session_ended: 'Appareil déconnecté.',
    signed_out: 'Utilisateur déconnecté partout.',
    token_revoked: 'Jeton d’application révoqué.',
    unblocked: 'Utilisateur débloqué.',
    unlinked: 'Compte dissocié.',
    username: 'Nom d’utilisateur enregistré.',
    verified: 'Adresse e-mail vérifiée.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
