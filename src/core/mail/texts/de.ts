/** German: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const de: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Läuft ${inTime} ab.`,
  bothExpire: (inTime) => `Beide laufen ${inTime} ab.`,
  linkAndCodeExpire: (link, code) => `Der Link läuft ${link} ab, der Code ${code}.`,
  oneIsEnough: 'Sie brauchen nur eines von beiden.',
  ignore: 'Wenn Sie das nicht angefordert haben, können Sie diese E-Mail ignorieren.',
  keepSecret: 'Geben Sie diesen Code an niemanden weiter.',
  notYouContactSupport: 'Wenn Sie das nicht waren, wenden Sie sich an den Support.',
  notYouIgnore: 'Wenn Sie das nicht waren, können Sie diese E-Mail ignorieren.',
  buttonFails: 'Falls die Schaltfläche nicht funktioniert, öffnen Sie diesen Link:',
  help: 'Brauchen Sie Hilfe?',
  because: {
    signIn: ({ app }) =>
      `Sie erhalten diese E-Mail, weil mit dieser E-Mail-Adresse eine Anmeldung bei ${app} angefordert wurde.`,
    address: ({ app }) => `Sie erhalten diese E-Mail, weil diese E-Mail-Adresse bei ${app} angegeben wurde.`,
    account: ({ app }) => `Sie erhalten diese E-Mail, weil Sie ein Konto bei ${app} haben.`,
    reset: ({ app }) =>
      `Sie erhalten diese E-Mail, weil für Ihr Konto bei ${app} ein neues Passwort angefordert wurde.`,
    invite: ({ app }) => `Sie erhalten diese E-Mail, weil Sie zu ${app} eingeladen wurden.`,
  },
  event: {
    time: 'Zeitpunkt:',
    device: 'Gerät:',
    place: 'Ort:',
    on: (client, system) => `${client} auf ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} ist Ihr Anmeldecode für ${app}`,
    lead: ({ app }) => `Geben Sie diesen Code ein, um sich bei ${app} anzumelden:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} ist Ihr Bestätigungscode für ${app}`,
    lead: ({ app }) => `Geben Sie diesen Code bei ${app} ein, um Ihre E-Mail-Adresse zu bestätigen:`,
  },
  existingAccount: {
    subject: ({ app }) => `Sie haben bereits ein Konto bei ${app}`,
    lead: ({ app }) =>
      `Jemand hat sich mit dieser E-Mail-Adresse bei ${app} registriert. Zu dieser Adresse gibt es bereits ein Konto. Wenn Sie das waren, geben Sie diesen Code ein, um sich anzumelden. Ihr Passwort wurde nicht geändert.`,
    ignore:
      'Wenn Sie das nicht waren, ignorieren Sie diese E-Mail und geben Sie den Code an niemanden weiter.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} ist Ihr Code für die Bestätigung in zwei Schritten bei ${app}`,
    lead: ({ app }) => `Geben Sie diesen Code ein, um die Anmeldung bei ${app} abzuschließen:`,
    ignore:
      'Wenn Sie das nicht waren, geben Sie den Code an niemanden weiter. Eine andere Person hat den ersten Schritt der Anmeldung bei Ihrem Konto abgeschlossen. Ändern Sie Ihr Passwort.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Sie haben noch zwei Wiederherstellungscodes für ${app}`,
    lead: ({ app }) =>
      `Für eine Anmeldung bei ${app} wurde ein Wiederherstellungscode verwendet. Sie haben noch zwei Codes. Erstellen Sie in Ihrem Konto rechtzeitig neue.`,
    ignore:
      'Wenn Sie das nicht waren, melden Sie alle Geräte ab und erstellen Sie neue Wiederherstellungscodes.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} ist der Code für Ihre neue E-Mail-Adresse bei ${app}`,
    lead: ({ app }) =>
      `Geben Sie diesen Code bei ${app} ein, um diese E-Mail-Adresse für Ihr Konto zu verwenden:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Bestätigen Sie die neue E-Mail-Adresse Ihres Kontos bei ${app}`,
    lead: ({ app }) =>
      `Geben Sie diesen Code bei ${app} ein, um für Ihr Konto statt dieser E-Mail-Adresse die neue zu verwenden:`,
    ignore:
      'Wenn Sie das nicht waren, geben Sie den Code an niemanden weiter. Eine andere Person ist bei Ihrem Konto angemeldet. Melden Sie alle Geräte ab.',
  },
  addressInUse: {
    subject: ({ app }) => `Sie haben bereits ein Konto bei ${app}`,
    lead: ({ app }) =>
      `Jemand wollte diese E-Mail-Adresse für ein anderes Konto bei ${app} verwenden. Zu dieser Adresse gibt es bereits ein Konto, deshalb wurde nichts geändert. Melden Sie sich mit dieser Adresse an oder wählen Sie für das andere Konto eine andere.`,
  },
  addressChanged: {
    subject: ({ app }) => `Die E-Mail-Adresse Ihres Kontos bei ${app} wurde geändert`,
    lead: ({ app }) =>
      `Die E-Mail-Adresse Ihres Kontos bei ${app} wurde geändert. Mit dieser Adresse können Sie sich nicht mehr anmelden. Ihre anderen Geräte wurden abgemeldet.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Das Passwort Ihres Kontos bei ${app} wurde geändert`,
    lead: ({ app }) =>
      `Das Passwort Ihres Kontos bei ${app} wurde geändert. Ihre anderen Geräte wurden abgemeldet.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Ihrem Konto bei ${app} wurde eine Telefonnummer hinzugefügt`,
    lead: ({ app, phone }) =>
      `Die Telefonnummer ${phone} wurde Ihrem Konto bei ${app} hinzugefügt. Sie können sich damit anmelden.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Aus Ihrem Konto bei ${app} wurde eine Telefonnummer entfernt`,
    lead: ({ app, phone }) =>
      `Die Telefonnummer ${phone} wurde aus Ihrem Konto bei ${app} entfernt. Sie können sich damit nicht mehr anmelden.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Ihrem Konto bei ${app} wurde ein Passwort hinzugefügt`,
    passwordReset: ({ app }) => `Das Passwort Ihres Kontos bei ${app} wurde zurückgesetzt`,
    passwordSet: ({ app }) => `Ein Administrator hat das Passwort Ihres Kontos bei ${app} geändert`,
    passkeyAdded: ({ app }) => `Ihrem Konto bei ${app} wurde ein Passkey hinzugefügt`,
    passkeyRemoved: ({ app }) => `Aus Ihrem Konto bei ${app} wurde ein Passkey entfernt`,
    twoFactorEnabled: ({ app }) =>
      `Die Bestätigung in zwei Schritten wurde für Ihr Konto bei ${app} aktiviert`,
    twoFactorDisabled: ({ app }) =>
      `Die Bestätigung in zwei Schritten wurde für Ihr Konto bei ${app} deaktiviert`,
    appAdded: ({ app }) => `Ihrem Konto bei ${app} wurde eine Authenticator-App hinzugefügt`,
    appRemoved: ({ app }) => `Aus Ihrem Konto bei ${app} wurde eine Authenticator-App entfernt`,
    recoveryCodesReplaced: ({ app }) =>
      `Für Ihr Konto bei ${app} wurden neue Wiederherstellungscodes erstellt`,
    emailCodesEnabled: ({ app }) =>
      `Codes per E-Mail wurden als zweiter Schritt für Ihr Konto bei ${app} aktiviert`,
    emailCodesDisabled: ({ app }) =>
      `Codes per E-Mail wurden als zweiter Schritt für Ihr Konto bei ${app} deaktiviert`,
    identityLinked: ({ app, about }) => `${about} wurde mit Ihrem Konto bei ${app} verknüpft`,
    identityUnlinked: ({ app, about }) => `${about} wurde aus Ihrem Konto bei ${app} entfernt`,
    usernameChanged: ({ app }) => `Der Benutzername Ihres Kontos bei ${app} wurde geändert`,
    addressChanged: ({ app }) => `Ihr Konto bei ${app} verwendet jetzt diese E-Mail-Adresse`,
    apiKeyCreated: ({ app }) => `Für Ihr Konto bei ${app} wurde ein API-Schlüssel erstellt`,
    browserTrusted: ({ app }) => `Ihrem Konto bei ${app} wurde ein vertrauenswürdiger Browser hinzugefügt`,
    newSignIn: ({ app }) => `Neue Anmeldung bei Ihrem Konto bei ${app}`,
    newSignInLead: ({ app }) => `Ihr Konto bei ${app} wurde auf einem neuen Gerät verwendet.`,
  },
  notMe: {
    advice:
      'Wenn Sie das nicht waren, melden Sie mit diesem Link alle Geräte ab. Er funktioniert einmal, sieben Tage lang.',
    button: 'Das war ich nicht',
    title: ({ app }) => `Konto bei ${app} schützen`,
    lead: (email) => `Damit werden alle Geräte abgemeldet, die als ${email} angemeldet sind.`,
    submit: 'Alle Geräte abmelden',
    ignore: 'Wenn Ihnen die Aktivität bekannt ist, schließen Sie diese Seite.',
    doneTitle: 'Alle Geräte sind abgemeldet',
    doneReset: (email) =>
      `Wir haben eine E-Mail an ${email} gesendet. Öffnen Sie sie, um ein neues Passwort zu wählen.`,
    doneSignIn: 'Melden Sie sich wieder an und entfernen Sie alles aus Ihrem Konto, was Sie nicht kennen.',
    doneAddressChanged:
      'Diese E-Mail-Adresse gehört nicht mehr zu dem Konto. Wenden Sie sich an den Support, um es wiederherzustellen.',
    endedTitle: 'Dieser Link funktioniert nicht mehr',
    ended:
      'Er ist abgelaufen oder wurde bereits verwendet. Wenn Sie Hilfe brauchen, wenden Sie sich an den Support.',
  },
  magicLink: {
    subject: ({ app }) => `Bei ${app} anmelden`,
    lead: ({ app }) => `Öffnen Sie diesen Link, um sich bei ${app} anzumelden. Er funktioniert nur einmal.`,
    leadWithCode: ({ app }) => `Öffnen Sie diesen Link, um sich bei ${app} anzumelden:`,
    orCode: 'Oder geben Sie diesen Code dort ein, wo Sie die Anmeldung begonnen haben:',
    button: 'Anmelden',
  },
  linkConfirmation: {
    title: ({ app }) => `Bei ${app} anmelden`,
    lead: (email) => `Sie melden sich als ${email} an.`,
    submit: 'Anmelden',
    ignore: 'Wenn Sie das nicht angefordert haben, schließen Sie diese Seite.',
  },
  passwordReset: {
    subject: ({ app }) => `Neues Passwort für ${app} wählen`,
    lead: ({ app }) =>
      `Öffnen Sie diesen Link, um ein neues Passwort für ${app} zu wählen. Er funktioniert nur einmal.`,
    leadWithCode: ({ app }) => `Geben Sie diesen Code bei ${app} ein, um ein neues Passwort zu wählen:`,
    leadWithBoth: ({ app }) =>
      `Öffnen Sie diesen Link, um ein neues Passwort für ${app} zu wählen, oder geben Sie dort den Code ein, der unter dem Link steht. Link und Code funktionieren nur einmal.`,
    button: 'Neues Passwort wählen',
  },
  userInvite: {
    subject: ({ app }) => `Sie wurden zu ${app} eingeladen`,
    lead: ({ app }) =>
      `Sie wurden zu ${app} eingeladen. Öffnen Sie diesen Link, um Ihr Konto einzurichten. Er funktioniert nur einmal.`,
    button: 'Einladung annehmen',
    ignore: 'Wenn Sie kein Konto möchten, können Sie diese E-Mail ignorieren.',
  },
  signUpRefused: {
    subject: ({ app }) => `Mit dieser E-Mail-Adresse können Sie sich nicht bei ${app} registrieren`,
    lead: ({ app }) =>
      `Jemand wollte sich mit dieser E-Mail-Adresse bei ${app} anmelden. Zu dieser Adresse gibt es kein Konto, und mit ihr kann keines erstellt werden. Wenn Sie ein Konto haben, melden Sie sich mit dessen E-Mail-Adresse an.`,
  },
  orgInvite: {
    subject: ({ app }) => `Sie wurden zu einer Organisation bei ${app} eingeladen`,
    lead: ({ app }) =>
      `Öffnen Sie diesen Link, um einer Organisation bei ${app} beizutreten. Er funktioniert nur einmal.`,
    button: 'Einladung annehmen',
    ignore: 'Wenn Sie nicht beitreten möchten, können Sie diese E-Mail ignorieren.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} ist Ihr Code für ${app}.`,
  },
};
