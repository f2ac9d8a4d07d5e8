/** French: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Votre session est terminée. Connectez-vous pour continuer.',
  signedOut: 'Votre session est fermée.',
  signedInAgain: 'Votre session est rouverte. Rien n’a encore été enregistré.',
  otherAccount: (name) => `Vous utilisez maintenant le compte ${name}. Rien n’a été modifié.`,
  otherAccountUnnamed: 'Vous utilisez maintenant un autre compte. Rien n’a été modifié.',
  linkExpired: 'Ce lien a expiré. Demandez-en un nouveau.',
  reclaimed: {
    title: 'Adresse e-mail confirmée',
    lead: 'Ce compte a été créé sans que votre adresse soit confirmée, peut-être par une autre personne. Son mot de passe et ses autres méthodes de connexion ont été supprimés.',
  },
  invitedOnly: 'Inscription sur invitation uniquement',
  invitedOnlyLead: 'Pour créer un compte, ouvrez le lien de votre invitation.',
  blocked: 'Connexion impossible',
  support: 'Contacter l’assistance',
  home: (product) => `Retour à ${product}`,
  offline: 'Vous êtes hors ligne. Vérifiez votre connexion et réessayez.',
  unreachable: 'Le serveur est injoignable. Réessayez dans un instant.',
  slow: 'Cela prend plus de temps que d’habitude.',
  impersonating: (product, user) => [`Vous consultez ${product} en tant que `, user, '.'],
  impersonatingUnnamed: (product) => `Vous consultez ${product} avec le compte d’une autre personne.`,
  stopImpersonating: 'Arrêter',
  confirmLink: (email) => ['Vous vous connectez en tant que ', email, '.'],
  confirmLinkIgnore: 'Si vous n’êtes pas à l’origine de cette demande, fermez cette page.',
  confirmLinkOther: 'Se connecter autrement',
};
