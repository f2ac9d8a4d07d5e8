/** French: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const fr: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Expiration ${inTime}.`,
  bothExpire: (inTime) => `Les deux expirent ${inTime}.`,
  linkAndCodeExpire: (link, code) => `Le lien expire ${link} et le code ${code}.`,
  oneIsEnough: 'Un seul des deux suffit.',
  ignore: 'Si vous n’êtes pas à l’origine de cette demande, vous pouvez ignorer cet e-mail.',
  keepSecret: 'Ne communiquez ce code à personne.',
  notYouContactSupport: 'Si ce n’était pas vous, contactez l’assistance.',
  notYouIgnore: 'Si ce n’était pas vous, vous pouvez ignorer cet e-mail.',
  buttonFails: 'Si le bouton ne fonctionne pas, ouvrez ce lien :',
  help: 'Besoin d’aide ?',
  because: {
    signIn: ({ app }) =>
      `Vous recevez cet e-mail car une connexion à ${app} a été demandée avec cette adresse e-mail.`,
    address: ({ app }) => `Vous recevez cet e-mail car cette adresse e-mail a été saisie sur ${app}.`,
    account: ({ app }) => `Vous recevez cet e-mail car vous avez un compte sur ${app}.`,
    reset: ({ app }) =>
      `Vous recevez cet e-mail car un nouveau mot de passe a été demandé pour votre compte ${app}.`,
    invite: ({ app }) => `Vous recevez cet e-mail car vous avez été invité à rejoindre ${app}.`,
  },
  event: {
    time: 'Date :',
    device: 'Appareil :',
    place: 'Lieu :',
    on: (client, system) => `${client} sur ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} est votre code de connexion à ${app}`,
    lead: ({ app }) => `Saisissez ce code pour vous connecter à ${app} :`,
  },
  verification: {
    subject: ({ app, code }) => `${code} est votre code de vérification pour ${app}`,
    lead: ({ app }) => `Saisissez ce code dans ${app} pour vérifier votre adresse e-mail :`,
  },
  existingAccount: {
    subject: ({ app }) => `Vous avez déjà un compte ${app}`,
    lead: ({ app }) =>
      `Quelqu’un s’est inscrit à ${app} avec cette adresse e-mail, qui est déjà associée à un compte. Si c’était vous, saisissez ce code pour vous connecter à ce compte. Votre mot de passe n’a pas changé.`,
    ignore: 'Si ce n’était pas vous, ignorez cet e-mail et ne communiquez ce code à personne.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} est votre code de validation en deux étapes pour ${app}`,
    lead: ({ app }) => `Saisissez ce code pour terminer votre connexion à ${app} :`,
    ignore:
      'Si ce n’était pas vous, ne communiquez ce code à personne. Une autre personne a franchi la première étape de connexion à votre compte : changez votre mot de passe.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Il vous reste deux codes de récupération pour ${app}`,
    lead: ({ app }) =>
      `Un code de récupération a été utilisé pour se connecter à votre compte ${app}. Il en reste deux. Créez-en de nouveaux dans votre compte avant d’en avoir besoin.`,
    ignore:
      'Si ce n’était pas vous, déconnectez tous les appareils et créez de nouveaux codes de récupération.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} est le code pour votre nouvelle adresse e-mail sur ${app}`,
    lead: ({ app }) => `Saisissez ce code dans ${app} pour utiliser cette adresse e-mail avec votre compte :`,
  },
  leavingAddress: {
    subject: ({ app }) => `Confirmez la nouvelle adresse e-mail de votre compte ${app}`,
    lead: ({ app }) =>
      `Saisissez ce code dans ${app} pour remplacer cette adresse e-mail par la nouvelle dans votre compte :`,
    ignore:
      'Si ce n’était pas vous, ne communiquez ce code à personne. Une autre personne est connectée à votre compte : déconnectez tous les appareils.',
  },
  addressInUse: {
    subject: ({ app }) => `Vous avez déjà un compte ${app}`,
    lead: ({ app }) =>
      `Quelqu’un a essayé d’utiliser cette adresse e-mail pour un autre compte ${app}. Elle est déjà associée à un compte : rien n’a donc été modifié. Connectez-vous avec cette adresse, ou choisissez-en une autre pour l’autre compte.`,
  },
  addressChanged: {
    subject: ({ app }) => `L’adresse e-mail de votre compte ${app} a été modifiée`,
    lead: ({ app }) =>
      `L’adresse e-mail de votre compte ${app} a été modifiée. Vous ne pouvez plus vous connecter avec celle-ci, et vos autres appareils ont été déconnectés.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Le mot de passe de votre compte ${app} a été modifié`,
    lead: ({ app }) =>
      `Le mot de passe de votre compte ${app} a été modifié, et vos autres appareils ont été déconnectés.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Un numéro de téléphone a été ajouté à votre compte ${app}`,
    lead: ({ app, phone }) =>
      `Le numéro de téléphone ${phone} a été ajouté à votre compte ${app}. Vous pouvez l’utiliser pour vous connecter.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Un numéro de téléphone a été supprimé de votre compte ${app}`,
    lead: ({ app, phone }) =>
      `Le numéro de téléphone ${phone} a été supprimé de votre compte ${app}. Vous ne pouvez plus l’utiliser pour vous connecter.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Un mot de passe a été ajouté à votre compte ${app}`,
    passwordReset: ({ app }) => `Le mot de passe de votre compte ${app} a été réinitialisé`,
    passwordSet: ({ app }) => `Un administrateur a modifié le mot de passe de votre compte ${app}`,
    passkeyAdded: ({ app }) => `Une clé d’accès a été ajoutée à votre compte ${app}`,
    passkeyRemoved: ({ app }) => `Une clé d’accès a été retirée de votre compte ${app}`,
    twoFactorEnabled: ({ app }) => `La double authentification a été activée pour votre compte ${app}`,
    twoFactorDisabled: ({ app }) => `La double authentification a été désactivée pour votre compte ${app}`,
    appAdded: ({ app }) => `Une application d’authentification a été ajoutée à votre compte ${app}`,
    appRemoved: ({ app }) => `Une application d’authentification a été retirée de votre compte ${app}`,
    recoveryCodesReplaced: ({ app }) =>
      `De nouveaux codes de récupération ont été créés pour votre compte ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Les codes par e-mail ont été activés comme seconde étape pour votre compte ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Les codes par e-mail ont été désactivés comme seconde étape pour votre compte ${app}`,
    identityLinked: ({ app, about }) => `${about} a été associé à votre compte ${app}`,
    identityUnlinked: ({ app, about }) => `${about} a été retiré de votre compte ${app}`,
    usernameChanged: ({ app }) => `Le nom d’utilisateur de votre compte ${app} a été modifié`,
    addressChanged: ({ app }) => `Votre compte ${app} utilise désormais cette adresse e-mail`,
    apiKeyCreated: ({ app }) => `Une clé d’API a été créée pour votre compte ${app}`,
    browserTrusted: ({ app }) => `Un navigateur de confiance a été ajouté à votre compte ${app}`,
    newSignIn: ({ app }) => `Nouvelle connexion à votre compte ${app}`,
    newSignInLead: ({ app }) => `Votre compte ${app} a été utilisé sur un nouvel appareil.`,
  },
  notMe: {
    advice:
      'Si ce n’était pas vous, déconnectez tous les appareils avec ce lien. Il fonctionne une fois, pendant sept jours.',
    button: 'Ce n’était pas moi',
    title: ({ app }) => `Sécuriser votre compte ${app}`,
    lead: (email) => `Tous les appareils connectés en tant que ${email} seront déconnectés.`,
    submit: 'Déconnecter tous les appareils',
    ignore: 'Si vous reconnaissez cette activité, fermez cette page.',
    doneTitle: 'Tous les appareils sont déconnectés',
    doneReset: (email) =>
      `Nous avons envoyé un e-mail à ${email}. Ouvrez-le pour choisir un nouveau mot de passe.`,
    doneSignIn: 'Reconnectez-vous et retirez de votre compte tout ce que vous ne reconnaissez pas.',
    doneAddressChanged:
      'Cette adresse e-mail n’appartient plus au compte. Contactez l’assistance pour le récupérer.',
    endedTitle: 'Ce lien ne fonctionne plus',
    ended: 'Il a expiré ou a déjà été utilisé. Si vous avez besoin d’aide, contactez l’assistance.',
  },
  magicLink: {
    subject: ({ app }) => `Connexion à ${app}`,
    lead: ({ app }) => `Ouvrez ce lien pour vous connecter à ${app}. Il ne fonctionne qu’une fois.`,
    leadWithCode: ({ app }) => `Ouvrez ce lien pour vous connecter à ${app} :`,
    orCode: 'Ou saisissez ce code là où vous avez demandé à vous connecter :',
    button: 'Se connecter',
  },
  linkConfirmation: {
    title: ({ app }) => `Connexion à ${app}`,
    lead: (email) => `Vous vous connectez en tant que ${email}.`,
    submit: 'Se connecter',
    ignore: 'Si vous n’êtes pas à l’origine de cette demande, fermez cette page.',
  },
  passwordReset: {
    subject: ({ app }) => `Choisissez un nouveau mot de passe pour ${app}`,
    lead: ({ app }) =>
      `Ouvrez ce lien pour choisir un nouveau mot de passe pour ${app}. Il ne fonctionne qu’une fois.`,
    leadWithCode: ({ app }) => `Saisissez ce code dans ${app} pour choisir un nouveau mot de passe :`,
    leadWithBoth: ({ app }) =>
      `Ouvrez ce lien pour choisir un nouveau mot de passe pour ${app}, ou saisissez dans ${app} le code ci-dessous. Le lien et le code ne fonctionnent qu’une fois.`,
    button: 'Choisir un nouveau mot de passe',
  },
  userInvite: {
    subject: ({ app }) => `Invitation à rejoindre ${app}`,
    lead: ({ app }) =>
      `Vous avez reçu une invitation à rejoindre ${app}. Ouvrez ce lien pour configurer votre compte. Il ne fonctionne qu’une fois.`,
    button: 'Accepter l’invitation',
    ignore: 'Si vous ne souhaitez pas de compte, vous pouvez ignorer cet e-mail.',
  },
  signUpRefused: {
    subject: ({ app }) => `Vous ne pouvez pas vous inscrire à ${app} avec cette adresse e-mail`,
    lead: ({ app }) =>
      `Quelqu’un a essayé de se connecter à ${app} avec cette adresse e-mail. Elle n’est associée à aucun compte et ne permet pas d’en créer un. Si vous avez un compte, connectez-vous avec son adresse e-mail.`,
  },
  orgInvite: {
    subject: ({ app }) => `Invitation à rejoindre une organisation sur ${app}`,
    lead: ({ app }) =>
      `Ouvrez ce lien pour rejoindre une organisation sur ${app}. Il ne fonctionne qu’une fois.`,
    button: 'Accepter l’invitation',
    ignore: 'Si vous ne souhaitez pas la rejoindre, vous pouvez ignorer cet e-mail.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} est votre code pour ${app}.`,
  },
};
