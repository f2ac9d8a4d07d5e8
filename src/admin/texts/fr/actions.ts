/** French: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'C’est votre propre compte.',
  email: 'Adresse e-mail',
  verified: 'L’adresse est vérifiée',
  verifiedHint: 'Uniquement si vous savez que cet utilisateur lit les e-mails envoyés à cette adresse.',
  username: 'Nom d’utilisateur',
  emptyHint: 'Laissez vide pour n’en avoir aucun.',
  roles: 'Rôles',
  rolesHint: (example) => `Séparés par des espaces ou des virgules, par exemple\u00a0: ${example}.`,
  rolesEmptyHint: (example) =>
    `Séparés par des espaces ou des virgules, par exemple\u00a0: ${example}. Laissez vide pour n’en avoir aucun.`,
  metadata: 'Métadonnées',
  metadataJson: 'Métadonnées (JSON)',
  metadataHint: 'Un objet JSON de 8 Ko au plus.',
  reasonLabel: 'Motif',
  signOut: {
    title: 'Déconnecter partout',
    lead: (name) => [
      'Ferme toutes les sessions de ',
      name,
      ' et révoque tous ses jetons. Les clés API restent valables.',
    ],
    own: 'C’est votre propre compte. Vous devrez vous reconnecter.',
  },
  impersonate: {
    title: 'Agir au nom de l’utilisateur',
    lead: (name) => [
      'Vous agissez au nom de ',
      name,
      ' dans l’application pendant 15 minutes au plus. Pour arrêter, utilisez le bouton en haut de chaque page du compte ou ouvrez à nouveau les pages d’administration.',
    ],
    reasonHint: 'Enregistré avec cet accès, par exemple le numéro d’une demande d’assistance.',
  },
  delete: {
    title: 'Supprimer l’utilisateur',
    lead: (name) => [
      'Supprime ',
      name,
      ' avec toutes les sessions, méthodes de connexion, clés API et adhésions, ainsi que les données que votre application conserve sur cet utilisateur. Cette action est irréversible.',
    ],
    confirm: (phrase) => `Pour confirmer, saisissez ${phrase}`,
  },
  block: {
    title: 'Bloquer l’utilisateur',
    lead: (name) => [
      name,
      ' sera déconnecté partout et ne pourra pas se connecter pendant le blocage. Les clés API de cet utilisateur ne fonctionneront plus.',
    ],
    own: 'C’est votre propre compte. Vous serez déconnecté et ne pourrez pas vous débloquer vous-même.',
    reasonHint: 'Pour les administrateurs. L’utilisateur ne le voit jamais.',
    duration: 'Durée',
    forever: 'Jusqu’à ce que vous débloquiez l’utilisateur',
    hour: '1 heure',
    day: '1 jour',
    week: '7 jours',
    month: '30 jours',
    date: 'Jusqu’à une date',
    until: (zone) => ['Fin du blocage (', zone, ')'],
  },
  unblock: {
    title: 'Débloquer l’utilisateur',
    lead: (name) => [
      name,
      ' pourra se reconnecter, et les clés API de cet utilisateur fonctionneront à nouveau. Les sessions fermées par le blocage restent fermées.',
    ],
  },
  editMetadata: {
    title: 'Modifier les métadonnées',
    lead: (name) => ['Ce que l’application enregistre sur ', name, '.'],
    hint: 'Un objet JSON de 8 Ko au plus. Il remplace toutes les métadonnées.',
    current: 'Métadonnées actuelles',
    submit: 'Enregistrer les métadonnées',
  },
  name: {
    title: 'Modifier le nom',
    titleWithPicture: 'Modifier le nom et l’image',
    lead: (name) => ['Ce que les autres utilisateurs voient de ', name, '.'],
    name: 'Nom',
    picture: 'Lien vers une image',
    pictureHint: (sources) => `Il doit commencer par ${sources}. Laissez vide pour n’en avoir aucun.`,
    submit: 'Enregistrer',
  },
  invite: {
    title: 'Inviter un utilisateur',
    lead: 'L’utilisateur reçoit un e-mail avec un lien utilisable une seule fois, pendant sept jours. L’ouvrir vérifie l’adresse.',
    submit: 'Envoyer l’invitation',
  },
  create: {
    title: 'Créer un utilisateur',
    lead: 'Crée le compte immédiatement, sans envoyer d’e-mail. Pour que l’utilisateur choisisse un mot de passe, invitez-le plutôt.',
    password: 'Mot de passe',
  },
  address: {
    add: 'Ajouter une adresse e-mail',
    change: 'Modifier l’adresse e-mail',
    lead: 'Une nouvelle adresse ferme toutes les sessions de l’utilisateur et annule ce qui a été envoyé à l’ancienne.',
    submit: 'Enregistrer l’adresse',
  },
  verify: {
    title: 'Vérifier l’adresse e-mail',
    lead: (address) => [
      'Marque ',
      address,
      ' comme vérifiée, sans e-mail. Ne le faites que si vous savez que l’utilisateur lit les e-mails envoyés à cette adresse.',
    ],
    submit: 'Vérifier l’adresse',
  },
  changeUsername: {
    add: 'Ajouter un nom d’utilisateur',
    change: 'Modifier le nom d’utilisateur',
    submit: 'Enregistrer le nom d’utilisateur',
  },
  changeRoles: {
    title: 'Modifier les rôles',
    lead: (name) => ['Les rôles de ', name, ' dans l’application.'],
    own: 'C’est votre propre compte. Sans votre rôle, vous risquez de perdre l’accès à ces pages.',
    submit: 'Enregistrer les rôles',
  },
  password: {
    replace: 'Remplacer le mot de passe',
    set: 'Définir le mot de passe',
    lead: (name) => ['Déconnecte ', name, ' partout et annule les codes et liens en attente.'],
    new: 'Nouveau mot de passe',
  },
  removals: {
    gone: 'Cela n’existe plus\u00a0: c’est déjà terminé, ou appartient à un autre utilisateur.',
    user: 'Utilisateur',
    session: {
      title: 'Déconnecter l’appareil',
      term: 'Session',
      effect: 'L’appareil sera déconnecté à sa prochaine requête.',
    },
    token: {
      title: 'Révoquer le jeton d’application',
      term: 'Application',
      effect: 'L’application sera déconnectée à sa prochaine requête.',
    },
    account: {
      title: 'Dissocier le compte',
      term: 'Compte',
      effect: 'L’utilisateur ne pourra plus se connecter avec.',
    },
    passkey: {
      title: 'Supprimer la clé d’accès',
      term: 'Clé d’accès',
      effect: 'L’utilisateur ne pourra plus se connecter avec.',
    },
    app: {
      title: 'Supprimer l’application d’authentification',
      term: 'Second facteur',
      effect:
        'L’utilisateur se connectera sans second facteur et sera déconnecté partout. Les codes de récupération sont également supprimés.',
    },
    organization: {
      title: 'Retirer de l’organisation',
      term: 'Organisation',
      effect: 'L’utilisateur perd l’accès à l’organisation. Il peut être invité à nouveau.',
    },
    key: {
      title: 'Révoquer la clé API',
      term: 'Clé API',
      effect:
        'Les programmes qui utilisent cette clé seront refusés immédiatement. Cette action est irréversible.',
    },
  },
};
