/** French: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('fr');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Retour aux utilisateurs',
  toUser: 'Retour à l’utilisateur',
  signIn: 'Se connecter',
  signInAgain: 'Se reconnecter',
  signOut: 'Se déconnecter',
  signedInAs: (who) => ['Vous êtes connecté en tant que ', who, '.'],
  pages: {
    failed: {
      title: 'Une erreur s’est produite',
      text: 'La page n’a pas pu être affichée. Réessayez dans un instant.',
    },
    notFound: {
      title: 'Page introuvable',
      text: 'Il n’y a pas de page à cette adresse.',
    },
    formExpired: {
      title: 'Ce formulaire a expiré',
      text: 'Vous vous êtes reconnecté depuis l’ouverture de ce formulaire. Rien n’a été modifié. Ouvrez-le à nouveau.',
    },
    noAccess: {
      title: 'Accès refusé',
      text: 'Votre compte n’y est pas autorisé.',
    },
    signIn: {
      title: 'Se connecter',
      text: 'Connectez-vous en tant qu’administrateur, puis ouvrez cette page à nouveau.',
    },
    confirm: {
      title: 'Confirmez votre identité',
      text: 'Pour votre sécurité, reconnectez-vous pour effectuer des modifications.',
    },
    userNotFound: {
      title: 'Utilisateur introuvable',
      text: 'Aucun utilisateur n’a cet identifiant. L’utilisateur a peut-être été supprimé.',
    },
    invalid: {
      title: 'Demande non valide',
      text: 'L’adresse de cette page ou son formulaire n’est pas valide.',
    },
    notConfigured: {
      title: 'Non disponible',
      text: 'L’application n’est pas configurée pour cela.',
    },
    license: {
      title: 'Non disponible',
      text: 'Cette fonctionnalité nécessite une licence.',
    },
    storage: {
      title: 'Non disponible',
      text: 'L’adaptateur de stockage ne prend pas en charge cette fonctionnalité.',
    },
  },
  emailExists: 'Un autre utilisateur a cette adresse.',
  weakPassword: 'Ce mot de passe est trop court, trop courant ou contient l’adresse. Choisissez-en un autre.',
  email: 'Saisissez une adresse e-mail, par exemple ada@example.com.',
  emailMissing: 'Saisissez une adresse e-mail. Cette modification en exige une.',
  name: 'Saisissez un nom de 100 caractères au plus, sur une seule ligne.',
  nameAddress: 'Un nom ne peut contenir ni adresse e-mail ni lien.',
  nameReserved: 'Ce nom est réservé. Choisissez-en un autre.',
  pictureSource: 'Les images provenant de cette adresse ne sont pas autorisées.',
  usernameTaken: 'Un autre utilisateur a ce nom d’utilisateur.',
  usernameInvalid:
    'Utilisez de 1 à 32 lettres et chiffres d’une même écriture, avec un seul point, tiret ou trait de soulignement entre eux.',
  usernameReserved: 'Ce nom d’utilisateur est réservé. Choisissez-en un autre.',
  guest: 'Un invité obtient une adresse en créant un compte.',
  outdated:
    'L’utilisateur a changé depuis l’ouverture de cette page. Comparez votre modification avec les valeurs actuelles, puis enregistrez à nouveau.',
  lastMethod: 'L’utilisateur ne pourrait plus se connecter sans cela.',
  metadata: 'Les métadonnées doivent être un objet JSON de 8 Ko et 8 niveaux au plus, sans clés réservées.',
  metadataObject: (example) => `Les métadonnées doivent être un objet JSON, par exemple ${example}.`,
  metadataSyntax: (line, column) => `Ce JSON n’est pas valide. Vérifiez la ligne ${line}, colonne ${column}.`,
  roles:
    'Saisissez au plus 20 rôles de 1 à 64 lettres minuscules, chiffres ou signes . _\u00a0: - avec une lettre ou un chiffre à chaque extrémité.',
  role: 'Saisissez un rôle tel qu’il est attribué aux utilisateurs, par exemple support.',
  filters: 'Ces conditions ne sont pas valides. Effacez les filtres.',
  userId: 'Saisissez l’identifiant d’un utilisateur.',
  redirect:
    'Saisissez d’une à vingt adresses, une par ligne\u00a0: toutes en https, ou toutes d’une application, avec son propre schéma ou en http pour cet ordinateur.',
  uri: 'Saisissez une adresse, par exemple https://partner.example/.',
  secretUnused: 'Le client n’utilise pas de secret\u00a0: enregistrez un client confidentiel.',
  secretLimit: 'Le client a deux secrets. Supprimez d’abord l’un d’eux.',
  secretLast: 'C’est le seul secret du client. Ajoutez-en d’abord un autre.',
  until: 'Saisissez une date et une heure à venir.',
  untilMissing: 'Saisissez la date et l’heure.',
  untilUnused: 'Choisissez «\u00a0Jusqu’à une date\u00a0» ou effacez la fin du blocage.',
  duration: 'Choisissez une durée.',
  reason: 'Le motif doit comporter 500 caractères au plus.',
  passwordMissing: 'Saisissez un mot de passe.',
  phrase: 'Ce n’est pas le texte demandé.',
  incomplete: 'Le formulaire est incomplet. Ouvrez-le à nouveau.',
  lastOwner:
    'Le dernier propriétaire d’une organisation ne peut pas la quitter. Donnez d’abord ce rôle à un autre membre.',
  blocked: 'Cet utilisateur est bloqué.',
  notAllowed: 'L’application ne le permet pas pour cet utilisateur.',
  sendFailed: 'L’e-mail n’a pas pu être envoyé. Réessayez dans un instant.',
  notConfigured: 'L’application n’est pas configurée pour cela.',
  invalid: 'La modification a été refusée. Vérifiez le formulaire et réessayez.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Trop de tentatives. Réessayez dans une minute.',
      other: `Trop de tentatives. Réessayez dans ${inMinutes} minutes.`,
    }),
};
