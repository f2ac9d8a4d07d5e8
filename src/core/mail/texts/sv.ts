/** Swedish: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const sv: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Går ut ${inTime}.`,
  bothExpire: (inTime) => `Båda går ut ${inTime}.`,
  linkAndCodeExpire: (link, code) => `Länken går ut ${link} och koden ${code}.`,
  oneIsEnough: 'Du behöver bara en av dem.',
  ignore: 'Om du inte har begärt det här kan du bortse från mejlet.',
  keepSecret: 'Dela inte koden med någon.',
  notYouContactSupport: 'Kontakta supporten om det inte var du.',
  notYouIgnore: 'Om det inte var du kan du bortse från mejlet.',
  buttonFails: 'Öppna den här länken om knappen inte fungerar:',
  help: 'Behöver du hjälp?',
  because: {
    signIn: ({ app }) =>
      `Du får det här mejlet eftersom någon försökte logga in på ${app} med den här e-postadressen.`,
    address: ({ app }) => `Du får det här mejlet eftersom den här e-postadressen har angetts på ${app}.`,
    account: ({ app }) => `Du får det här mejlet eftersom du har ett konto på ${app}.`,
    reset: ({ app }) =>
      `Du får det här mejlet eftersom ett nytt lösenord har begärts för ditt konto på ${app}.`,
    invite: ({ app }) => `Du får det här mejlet eftersom du har bjudits in till ${app}.`,
  },
  event: {
    time: 'Tid:',
    device: 'Enhet:',
    place: 'Plats:',
    on: (client, system) => `${client} på ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} är din inloggningskod för ${app}`,
    lead: ({ app }) => `Ange koden för att logga in på ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} är din verifieringskod för ${app}`,
    lead: ({ app }) => `Ange koden på ${app} för att verifiera din e-postadress:`,
  },
  existingAccount: {
    subject: ({ app }) => `Du har redan ett konto på ${app}`,
    lead: ({ app }) =>
      `Någon försökte skapa ett konto på ${app} med den här e-postadressen, men det finns redan ett konto med den. Om det var du anger du koden för att logga in. Ditt lösenord har inte ändrats.`,
    ignore: 'Om det inte var du kan du bortse från mejlet. Dela inte koden med någon.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} är din kod för tvåstegsverifiering på ${app}`,
    lead: ({ app }) => `Ange koden för att slutföra inloggningen på ${app}:`,
    ignore:
      'Om det inte var du ska du inte dela koden med någon. Någon kan ha kommit över ditt lösenord. Byt det.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Du har två återställningskoder kvar för ${app}`,
    lead: ({ app }) =>
      `En återställningskod har använts för att logga in på ditt konto på ${app}. Du har två kvar. Skapa nya i ditt konto innan du behöver dem.`,
    ignore: 'Om det inte var du loggar du ut alla enheter och skapar nya återställningskoder.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} är koden för din nya e-postadress på ${app}`,
    lead: ({ app }) => `Ange koden på ${app} för att byta till den här e-postadressen för ditt konto:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Bekräfta bytet av e-postadress på ${app}`,
    lead: ({ app }) =>
      `Ange koden på ${app} för att byta från den här e-postadressen till den nya för ditt konto:`,
    ignore:
      'Om det inte var du ska du inte dela koden med någon. En annan person är inloggad på ditt konto. Logga ut alla enheter.',
  },
  addressInUse: {
    subject: ({ app }) => `Du har redan ett konto på ${app}`,
    lead: ({ app }) =>
      `Någon försökte använda den här e-postadressen för ett annat konto på ${app}. Det finns redan ett konto med adressen, så inget har ändrats. Logga in med den här e-postadressen eller välj en annan för det andra kontot.`,
  },
  addressChanged: {
    subject: ({ app }) => `E-postadressen för ditt konto på ${app} har ändrats`,
    lead: ({ app }) =>
      `E-postadressen för ditt konto på ${app} har ändrats. Du kan inte längre logga in med den här adressen, och dina andra enheter har loggats ut.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Lösenordet för ditt konto på ${app} har ändrats`,
    lead: ({ app }) =>
      `Lösenordet för ditt konto på ${app} har ändrats och dina andra enheter har loggats ut.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Ett telefonnummer har lagts till i ditt konto på ${app}`,
    lead: ({ app, phone }) =>
      `Telefonnumret ${phone} har lagts till i ditt konto på ${app}. Du kan logga in med det.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Ett telefonnummer har tagits bort från ditt konto på ${app}`,
    lead: ({ app, phone }) =>
      `Telefonnumret ${phone} har tagits bort från ditt konto på ${app}. Du kan inte längre logga in med det.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Ett lösenord lades till i ditt konto på ${app}`,
    passwordReset: ({ app }) => `Lösenordet för ditt konto på ${app} återställdes`,
    passwordSet: ({ app }) => `En administratör ändrade lösenordet för ditt konto på ${app}`,
    passkeyAdded: ({ app }) => `En lösennyckel lades till i ditt konto på ${app}`,
    passkeyRemoved: ({ app }) => `En lösennyckel togs bort från ditt konto på ${app}`,
    twoFactorEnabled: ({ app }) => `Tvåstegsverifiering aktiverades för ditt konto på ${app}`,
    twoFactorDisabled: ({ app }) => `Tvåstegsverifiering inaktiverades för ditt konto på ${app}`,
    appAdded: ({ app }) => `En autentiseringsapp lades till i ditt konto på ${app}`,
    appRemoved: ({ app }) => `En autentiseringsapp togs bort från ditt konto på ${app}`,
    recoveryCodesReplaced: ({ app }) => `Nya återställningskoder skapades för ditt konto på ${app}`,
    emailCodesEnabled: ({ app }) => `Koder via e-post aktiverades som andra steg för ditt konto på ${app}`,
    emailCodesDisabled: ({ app }) => `Koder via e-post inaktiverades som andra steg för ditt konto på ${app}`,
    identityLinked: ({ app, about }) => `${about} kopplades till ditt konto på ${app}`,
    identityUnlinked: ({ app, about }) => `${about} togs bort från ditt konto på ${app}`,
    usernameChanged: ({ app }) => `Användarnamnet för ditt konto på ${app} ändrades`,
    addressChanged: ({ app }) => `Ditt konto på ${app} använder nu den här e-postadressen`,
    apiKeyCreated: ({ app }) => `En API-nyckel skapades för ditt konto på ${app}`,
    browserTrusted: ({ app }) => `En betrodd webbläsare lades till i ditt konto på ${app}`,
    newSignIn: ({ app }) => `Ny inloggning på ditt konto på ${app}`,
    newSignInLead: ({ app }) => `Ditt konto på ${app} användes på en ny enhet.`,
  },
  notMe: {
    advice:
      'Om det inte var du loggar du ut alla enheter med den här länken. Den fungerar en gång, i sju dagar.',
    button: 'Det var inte jag',
    title: ({ app }) => `Skydda ditt konto på ${app}`,
    lead: (email) => `Det här loggar ut alla enheter som är inloggade som ${email}.`,
    submit: 'Logga ut alla enheter',
    ignore: 'Om du känner igen aktiviteten kan du stänga den här sidan.',
    doneTitle: 'Alla enheter är utloggade',
    doneReset: (email) => `Vi har skickat ett mejl till ${email}. Öppna det för att välja ett nytt lösenord.`,
    doneSignIn: 'Logga in igen och ta bort allt som du inte känner igen från ditt konto.',
    doneAddressChanged:
      'Den här e-postadressen hör inte längre till kontot. Kontakta supporten för att återfå det.',
    endedTitle: 'Den här länken fungerar inte längre',
    ended: 'Den har gått ut eller redan använts. Kontakta supporten om du behöver hjälp.',
  },
  magicLink: {
    subject: ({ app }) => `Logga in på ${app}`,
    lead: ({ app }) => `Öppna länken för att logga in på ${app}. Den fungerar bara en gång.`,
    leadWithCode: ({ app }) => `Öppna länken för att logga in på ${app}:`,
    orCode: 'Eller ange koden på inloggningssidan:',
    button: 'Logga in',
  },
  linkConfirmation: {
    title: ({ app }) => `Logga in på ${app}`,
    lead: (email) => `Du loggar in som ${email}.`,
    submit: 'Logga in',
    ignore: 'Stäng sidan om du inte har begärt det här.',
  },
  passwordReset: {
    subject: ({ app }) => `Välj ett nytt lösenord för ${app}`,
    lead: ({ app }) => `Öppna länken för att välja ett nytt lösenord för ${app}. Den fungerar bara en gång.`,
    leadWithCode: ({ app }) => `Ange koden på ${app} för att välja ett nytt lösenord:`,
    leadWithBoth: ({ app }) => `Använd länken eller koden nedan för att välja ett nytt lösenord för ${app}.`,
    button: 'Välj ett nytt lösenord',
  },
  userInvite: {
    subject: ({ app }) => `Du är inbjuden till ${app}`,
    lead: ({ app }) =>
      `Du har bjudits in till ${app}. Öppna länken för att skapa ditt konto. Den fungerar bara en gång.`,
    button: 'Acceptera inbjudan',
    ignore: 'Om du inte vill ha något konto kan du bortse från mejlet.',
  },
  signUpRefused: {
    subject: ({ app }) => `Du kan inte skapa ett konto på ${app} med den här e-postadressen`,
    lead: ({ app }) =>
      `Någon försökte logga in på ${app} med den här e-postadressen. Det finns inget konto med adressen, och det går inte att skapa ett med den. Om du har ett konto loggar du in med dess e-postadress.`,
  },
  orgInvite: {
    subject: ({ app }) => `Du är inbjuden till en organisation på ${app}`,
    lead: ({ app }) => `Öppna länken för att gå med i en organisation på ${app}. Den fungerar bara en gång.`,
    button: 'Acceptera inbjudan',
    ignore: 'Om du inte vill gå med kan du bortse från mejlet.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} är din kod för ${app}.`,
  },
};
