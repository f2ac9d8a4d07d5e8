/** Dutch: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const nl: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Verloopt ${inTime}.`,
  bothExpire: (inTime) => `Beide verlopen ${inTime}.`,
  linkAndCodeExpire: (link, code) => `De link verloopt ${link} en de code ${code}.`,
  oneIsEnough: 'Je hebt er maar één nodig.',
  ignore: 'Heb je dit niet aangevraagd? Dan kun je deze e-mail negeren.',
  keepSecret: 'Deel deze code met niemand.',
  notYouContactSupport: 'Was jij dit niet? Neem dan contact op met support.',
  notYouIgnore: 'Was jij dit niet? Dan kun je deze e-mail negeren.',
  buttonFails: 'Werkt de knop niet? Open dan deze link:',
  help: 'Hulp nodig?',
  because: {
    signIn: ({ app }) => `Je ontvangt deze e-mail omdat iemand met dit e-mailadres wil inloggen bij ${app}.`,
    address: ({ app }) => `Je ontvangt deze e-mail omdat iemand dit e-mailadres heeft ingevoerd bij ${app}.`,
    account: ({ app }) => `Je ontvangt deze e-mail omdat je een account hebt bij ${app}.`,
    reset: ({ app }) =>
      `Je ontvangt deze e-mail omdat iemand een nieuw wachtwoord heeft aangevraagd voor je account bij ${app}.`,
    invite: ({ app }) => `Je ontvangt deze e-mail omdat iemand je heeft uitgenodigd voor ${app}.`,
  },
  event: {
    time: 'Tijdstip:',
    device: 'Apparaat:',
    place: 'Locatie:',
    on: (client, system) => `${client} op ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} is je inlogcode voor ${app}`,
    lead: ({ app }) => `Voer deze code in om in te loggen bij ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} is je verificatiecode voor ${app}`,
    lead: ({ app }) => `Voer deze code in bij ${app} om je e-mailadres te bevestigen:`,
  },
  existingAccount: {
    subject: ({ app }) => `Je hebt al een account bij ${app}`,
    lead: ({ app }) =>
      `Iemand heeft zich met dit e-mailadres geregistreerd bij ${app}. Er is al een account met dit adres. Was jij dit? Voer dan deze code in om in te loggen. Je wachtwoord is niet gewijzigd.`,
    ignore: 'Was jij dit niet? Negeer dan deze e-mail en deel deze code met niemand.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} is je code voor verificatie in twee stappen bij ${app}`,
    lead: ({ app }) => `Voer deze code in om het inloggen bij ${app} af te ronden:`,
    ignore:
      'Was jij dit niet? Deel deze code dan met niemand. Iemand anders heeft de eerste stap van het inloggen op je account voltooid. Wijzig je wachtwoord.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Je hebt nog twee herstelcodes voor ${app}`,
    lead: ({ app }) =>
      `Er is met een herstelcode ingelogd op je account bij ${app}. Je hebt nog twee codes over. Maak op tijd nieuwe in je account.`,
    ignore: 'Was jij dit niet? Log dan uit op alle apparaten en maak nieuwe herstelcodes.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} is de code voor je nieuwe e-mailadres bij ${app}`,
    lead: ({ app }) => `Voer deze code in bij ${app} om dit e-mailadres voor je account te gebruiken:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Bevestig het nieuwe e-mailadres van je account bij ${app}`,
    lead: ({ app }) =>
      `Voer deze code in bij ${app} om voor je account het nieuwe e-mailadres te gebruiken in plaats van dit adres:`,
    ignore:
      'Was jij dit niet? Deel deze code dan met niemand. Iemand anders is ingelogd op je account. Log uit op alle apparaten.',
  },
  addressInUse: {
    subject: ({ app }) => `Je hebt al een account bij ${app}`,
    lead: ({ app }) =>
      `Iemand wilde dit e-mailadres gebruiken voor een ander account bij ${app}. Er is al een account met dit adres, dus er is niets gewijzigd. Log in met dit e-mailadres of kies een ander adres voor het andere account.`,
  },
  addressChanged: {
    subject: ({ app }) => `Het e-mailadres van je account bij ${app} is gewijzigd`,
    lead: ({ app }) =>
      `Het e-mailadres van je account bij ${app} is gewijzigd. Je kunt niet meer inloggen met dit adres en je andere apparaten zijn uitgelogd.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Het wachtwoord van je account bij ${app} is gewijzigd`,
    lead: ({ app }) =>
      `Het wachtwoord van je account bij ${app} is gewijzigd en je andere apparaten zijn uitgelogd.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Er is een telefoonnummer toegevoegd aan je account bij ${app}`,
    lead: ({ app, phone }) =>
      `Het telefoonnummer ${phone} is toegevoegd aan je account bij ${app}. Je kunt ermee inloggen.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Er is een telefoonnummer verwijderd uit je account bij ${app}`,
    lead: ({ app, phone }) =>
      `Het telefoonnummer ${phone} is verwijderd uit je account bij ${app}. Je kunt er niet meer mee inloggen.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Er is een wachtwoord toegevoegd aan je account bij ${app}`,
    passwordReset: ({ app }) => `Het wachtwoord van je account bij ${app} is opnieuw ingesteld`,
    passwordSet: ({ app }) => `Een beheerder heeft het wachtwoord van je account bij ${app} gewijzigd`,
    passkeyAdded: ({ app }) => `Er is een passkey toegevoegd aan je account bij ${app}`,
    passkeyRemoved: ({ app }) => `Er is een passkey verwijderd uit je account bij ${app}`,
    twoFactorEnabled: ({ app }) => `Verificatie in twee stappen is ingeschakeld voor je account bij ${app}`,
    twoFactorDisabled: ({ app }) => `Verificatie in twee stappen is uitgeschakeld voor je account bij ${app}`,
    appAdded: ({ app }) => `Er is een authenticator-app toegevoegd aan je account bij ${app}`,
    appRemoved: ({ app }) => `Er is een authenticator-app verwijderd uit je account bij ${app}`,
    recoveryCodesReplaced: ({ app }) => `Er zijn nieuwe herstelcodes gemaakt voor je account bij ${app}`,
    emailCodesEnabled: ({ app }) =>
      `Codes per e-mail zijn als tweede stap ingeschakeld voor je account bij ${app}`,
    emailCodesDisabled: ({ app }) =>
      `Codes per e-mail zijn als tweede stap uitgeschakeld voor je account bij ${app}`,
    identityLinked: ({ app, about }) => `${about} is gekoppeld aan je account bij ${app}`,
    identityUnlinked: ({ app, about }) => `${about} is verwijderd uit je account bij ${app}`,
    usernameChanged: ({ app }) => `De gebruikersnaam van je account bij ${app} is gewijzigd`,
    addressChanged: ({ app }) => `Je account bij ${app} gebruikt nu dit e-mailadres`,
    apiKeyCreated: ({ app }) => `Er is een API-sleutel gemaakt voor je account bij ${app}`,
    browserTrusted: ({ app }) => `Er is een vertrouwde browser toegevoegd aan je account bij ${app}`,
    newSignIn: ({ app }) => `Nieuwe inlogactie voor je account bij ${app}`,
    newSignInLead: ({ app }) => `Je account bij ${app} is gebruikt op een nieuw apparaat.`,
  },
  notMe: {
    advice:
      'Was jij dit niet? Log dan met deze link op alle apparaten uit. De link werkt één keer, zeven dagen lang.',
    button: 'Dit was ik niet',
    title: ({ app }) => `Beveilig je account bij ${app}`,
    lead: (email) => `Hiermee worden alle apparaten uitgelogd die zijn ingelogd als ${email}.`,
    submit: 'Op alle apparaten uitloggen',
    ignore: 'Herken je deze activiteit? Sluit dan deze pagina.',
    doneTitle: 'Alle apparaten zijn uitgelogd',
    doneReset: (email) =>
      `We hebben een e-mail gestuurd naar ${email}. Open die om een nieuw wachtwoord te kiezen.`,
    doneSignIn: 'Log opnieuw in en verwijder alles wat je niet herkent uit je account.',
    doneAddressChanged:
      'Dit e-mailadres hoort niet meer bij het account. Neem contact op met support om het te herstellen.',
    endedTitle: 'Deze link werkt niet meer',
    ended: 'De link is verlopen of al gebruikt. Neem contact op met support als je hulp nodig hebt.',
  },
  magicLink: {
    subject: ({ app }) => `Inloggen bij ${app}`,
    lead: ({ app }) => `Open deze link om in te loggen bij ${app}. De link werkt maar één keer.`,
    leadWithCode: ({ app }) => `Open deze link om in te loggen bij ${app}:`,
    orCode: 'Of voer deze code in waar je bent begonnen met inloggen:',
    button: 'Inloggen',
  },
  linkConfirmation: {
    title: ({ app }) => `Inloggen bij ${app}`,
    lead: (email) => `Je logt in als ${email}.`,
    submit: 'Inloggen',
    ignore: 'Heb je dit niet aangevraagd? Sluit dan deze pagina.',
  },
  passwordReset: {
    subject: ({ app }) => `Kies een nieuw wachtwoord voor ${app}`,
    lead: ({ app }) =>
      `Open deze link om een nieuw wachtwoord te kiezen voor ${app}. De link werkt maar één keer.`,
    leadWithCode: ({ app }) => `Voer deze code in bij ${app} om een nieuw wachtwoord te kiezen:`,
    leadWithBoth: ({ app }) =>
      `Open deze link om een nieuw wachtwoord te kiezen voor ${app}, of voer bij ${app} de code in die onder de link staat. De link en de code werken maar één keer.`,
    button: 'Nieuw wachtwoord kiezen',
  },
  userInvite: {
    subject: ({ app }) => `Je bent uitgenodigd voor ${app}`,
    lead: ({ app }) =>
      `Je bent uitgenodigd voor ${app}. Open deze link om je account in te stellen. De link werkt maar één keer.`,
    button: 'Uitnodiging accepteren',
    ignore: 'Wil je geen account? Dan kun je deze e-mail negeren.',
  },
  signUpRefused: {
    subject: ({ app }) => `Je kunt je met dit e-mailadres niet registreren bij ${app}`,
    lead: ({ app }) =>
      `Iemand wilde met dit e-mailadres inloggen bij ${app}. Er is geen account met dit adres en er kan ook geen account mee worden gemaakt. Heb je een account? Log dan in met het e-mailadres van dat account.`,
  },
  orgInvite: {
    subject: ({ app }) => `Je bent uitgenodigd voor een organisatie bij ${app}`,
    lead: ({ app }) =>
      `Open deze link om lid te worden van een organisatie bij ${app}. De link werkt maar één keer.`,
    button: 'Uitnodiging accepteren',
    ignore: 'Wil je geen lid worden? Dan kun je deze e-mail negeren.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} is je code voor ${app}.`,
  },
};
