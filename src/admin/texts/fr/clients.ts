/** French: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('fr');

export const clients: AdminTexts['clients'] = {
  register: 'Enregistrer un client',
  count: (n, shown) => plural(n, { one: `${shown} client`, other: `${shown} clients` }),
  client: 'Client',
  kind: 'Type',
  returnsTo: 'Redirige vers',
  created: 'Création',
  createdAt: (time) => ['Création\u00a0: ', time],
  none: 'Aucun client pour l’instant',
  noneLead:
    'Les clients sont des applications qui demandent un accès aux utilisateurs. Ils apparaissent ici lorsque vous les enregistrez, ou lorsqu’ils s’enregistrent eux-mêmes.',
  notFound: 'Client introuvable',
  notFoundLead: 'Il a peut-être été supprimé, ou a expiré.',
  kinds: {
    registered: 'Enregistré',
    dynamic: 'S’est enregistré lui-même',
    document: 'Sa propre adresse',
  },
  proofs: {
    none: 'sans secret',
    secret: 'avec un secret',
    key: 'avec sa propre clé',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Nom',
  nameHint: 'Les utilisateurs le lisent lorsque le client demande un accès.',
  id: 'Identifiant du client',
  redirects: 'Adresses de redirection',
  redirectsHint: (example) => `Adresses exactes, une par ligne, par exemple ${example}.`,
  page: 'Page',
  expires: 'Expiration',
  change: 'Modifier',
  remove: 'Supprimer',
  secret: 'Secret',
  secrets: 'Secrets',
  newLead: 'Une application qui peut demander aux utilisateurs un accès à leur compte.',
  confidential: 'Il s’exécute sur un serveur et conserve un secret',
  confidentialHint:
    'Le secret n’est affiché qu’une fois. Les applications, lignes de commande et pages n’en conservent pas.',
  edit: {
    title: 'Modifier le client',
    lead: 'Les autorisations données par les utilisateurs restent valables.',
    submit: 'Enregistrer le client',
  },
  shownSecret: {
    title: 'Secret du client',
    lead: 'Copiez le secret maintenant. Il ne sera plus affiché.',
    done: 'Terminé',
  },
  addSecret: {
    title: 'Ajouter un secret',
    lead: 'Les deux secrets sont acceptés jusqu’à ce que vous en supprimiez un.',
  },
  removeSecret: {
    title: 'Supprimer le secret',
    lead: 'Les programmes qui utilisent ce secret seront refusés immédiatement. Cette action est irréversible.',
  },
  removal: {
    title: 'Supprimer le client',
    summary: 'Toutes les autorisations données par les utilisateurs prennent fin.',
    lead: 'Le client et toutes les autorisations données par les utilisateurs prennent fin immédiatement. Cette action est irréversible.',
  },
};
