/** German. */
import type { Texts } from '../texts.js';
import { account } from './account.js';
import { notices } from './notices.js';

const plural = new Intl.PluralRules('de');

export const de: Texts = {
  direction: 'ltr',
  skip: 'Zum Inhalt springen',
  language: 'Sprache',
  email: 'E-Mail-Adresse',
  phone: 'Telefonnummer',
  country: 'Land oder Region',
  remember: 'Auf diesem Gerät angemeldet bleiben',
  emailOrUsername: 'E-Mail-Adresse oder Benutzername',
  username: 'Benutzername',
  password: 'Passwort',
  newPassword: 'Neues Passwort',
  passwordHint: (minLength) =>
    `Mindestens ${minLength} Zeichen. Mehrere Wörter ergeben ein starkes Passwort.`,
  showPassword: 'Anzeigen',
  hidePassword: 'Verbergen',
  code: 'Code',
  codeLetters: 'Der Code besteht aus zehn Buchstaben. Groß- und Kleinschreibung spielt keine Rolle.',
  continue: 'Weiter',
  back: 'Zurück',
  or: 'oder',
  optional: 'optional',
  error: 'Fehler',
  lastUsed: 'Zuletzt verwendet',
  continueWith: (provider) => `Weiter mit ${provider}`,
  notices,
  signIn: {
    title: (product) => `Bei ${product} anmelden`,
    submit: 'Anmelden',
    passkey: 'Mit Passkey anmelden',
    newHere: (product, link) => [`Neu bei ${product}? `, link('Konto erstellen')],
    change: 'Ändern',
    forgot: 'Passwort vergessen?',
    emailCode: 'Code per E-Mail erhalten',
    emailLink: 'Link per E-Mail erhalten',
    phone: 'Weiter mit Telefonnummer',
    usePassword: 'Passwort verwenden',
    canceled: (provider) => `Die Anmeldung mit ${provider} wurde abgebrochen.`,
    guest:
      'Wenn Sie sich bei einem bestehenden Konto anmelden, wird nicht dorthin übernommen, was Sie als Gast gemacht haben.',
  },
  checkEmail: {
    title: 'Prüfen Sie Ihren Posteingang',
    code: (email) => [
      'Wir haben einen Code an ',
      email,
      ' gesendet. Es kann eine Minute dauern, bis er ankommt. Sehen Sie auch im Spamordner nach.',
    ],
    link: (email) => [
      'Wir haben einen Link an ',
      email,
      ' gesendet. Öffnen Sie ihn in diesem Browser, um fortzufahren. Sehen Sie auch im Spamordner nach.',
    ],
    linkAndCode: (email) => [
      'Wir haben einen Link und einen Code an ',
      email,
      ' gesendet. Öffnen Sie den Link oder geben Sie den Code hier ein. Sehen Sie auch im Spamordner nach.',
    ],
    resend: 'Erneut senden',
    resendIn: (seconds) => `Erneut senden in ${seconds} s`,
    otherAddress: 'Andere Adresse verwenden',
    open: (webMail) => `${webMail} öffnen`,
    waiting: 'Hier geht es weiter, sobald Sie den Link öffnen.',
  },
  checkPhone: {
    title: 'Sehen Sie auf Ihrem Telefon nach',
    code: (phone) => [
      'Wir haben einen Code an ',
      phone,
      ' gesendet. Es kann eine Minute dauern, bis er ankommt.',
    ],
    otherNumber: 'Andere Nummer verwenden',
  },
  signUp: {
    guest: 'Erstellen Sie ein Konto, um zu behalten, was Sie als Gast gemacht haben.',
    passkey: 'Mit Passkey registrieren',
    passkeyLead:
      'Ein Passkey ersetzt das Passwort. Sie entsperren ihn mit Fingerabdruck, Gesicht oder der PIN Ihres Geräts.',
    createPasskey: 'Passkey erstellen',
    title: 'Konto erstellen',
    submit: 'Konto erstellen',
    haveAccount: (link) => ['Haben Sie bereits ein Konto? ', link('Anmelden')],
    fields: {
      title: 'Noch ein Schritt',
      lead: 'Für Ihr Konto brauchen wir noch ein paar Angaben.',
      choose: 'Bitte auswählen',
      missing: {
        text: 'Füllen Sie dieses Feld aus.',
        choice: 'Wählen Sie eine Option aus.',
        box: 'Setzen Sie hier ein Häkchen, um fortzufahren.',
      },
      short: 'Diese Eingabe ist zu kurz.',
      long: 'Diese Eingabe ist zu lang.',
      number: 'Geben Sie eine Zahl ein.',
      min: (least) => `Geben Sie ${least} oder mehr ein.`,
      max: (most) => `Geben Sie höchstens ${most} ein.`,
      invalid: 'Diese Eingabe ist nicht möglich. Prüfen Sie sie und versuchen Sie es noch einmal.',
    },
  },
  twoFactor: {
    title: 'Bestätigung in zwei Schritten',
    app: 'Geben Sie den Code aus Ihrer Authenticator-App ein.',
    useRecovery: 'Wiederherstellungscode verwenden',
    recovery: 'Geben Sie einen Ihrer Wiederherstellungscodes ein. Jeder funktioniert nur einmal.',
    recoveryCode: 'Wiederherstellungscode',
    useApp: 'Authenticator-App verwenden',
    useEmail: 'Code per E-Mail erhalten',
    email: 'Wir haben einen Code an Ihre E-Mail-Adresse gesendet. Geben Sie ihn hier ein.',
    usePasskey: 'Passkey verwenden',
    passkey: 'Bestätigen Sie mit Ihrem Passkey, dass Sie es sind.',
    confirmPasskey: 'Weiter mit Passkey',
    emailFirst: 'Wir senden einen Code an Ihre E-Mail-Adresse.',
    sendEmail: 'Code senden',
    trust: (days) =>
      plural.select(days) === 'one'
        ? 'Diesem Browser einen Tag lang vertrauen'
        : `Diesem Browser ${days} Tage lang vertrauen`,
    restart: 'Neu beginnen',
  },
  reset: {
    title: 'Passwort zurücksetzen',
    lead: 'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Link, mit dem Sie ein neues Passwort wählen können.',
    leadCode:
      'Geben Sie Ihre E-Mail-Adresse ein. Wir senden Ihnen einen Code, mit dem Sie ein neues Passwort wählen können.',
    submit: 'Link senden',
    sent: (email) => [
      'Wenn es zu ',
      email,
      ' ein Konto gibt, haben wir einen Link gesendet, mit dem Sie ein neues Passwort wählen können. Sehen Sie auch im Spamordner nach.',
    ],
    sentCode: (email) => [
      'Wenn es zu ',
      email,
      ' ein Konto gibt, haben wir einen Code gesendet. Geben Sie ihn mit einem neuen Passwort ein. Sehen Sie auch im Spamordner nach.',
    ],
    choose: 'Neues Passwort wählen',
    save: 'Passwort speichern',
    again: 'Neuen Link anfordern',
    done: 'Ihr Passwort wurde geändert',
    doneLead: 'Sie sind überall abgemeldet. Melden Sie sich mit dem neuen Passwort an.',
    first: {
      choose: 'Passwort wählen',
      done: 'Passwort gespeichert',
      doneLead: 'Ihr Konto ist eingerichtet. Melden Sie sich mit Ihrem Passwort an.',
    },
  },
  verify: {
    later: 'Nicht jetzt',
    lead: (email) => [
      'Wir haben einen Code an ',
      email,
      ' gesendet. Geben Sie ihn ein, um Ihre Adresse zu bestätigen. Sehen Sie auch im Spamordner nach.',
    ],
  },
  join: {
    title: (organization) => `${organization} beitreten`,
    lead: (role, organization, inviter) => [
      ...(inviter ? [inviter, ' hat Sie'] : ['Sie wurden']),
      ' eingeladen, ',
      organization,
      ` als ${{ owner: 'Inhaber/in', admin: 'Admin', member: 'Mitglied' }[role]} beizutreten.`,
    ],
    to: (email) => ['Die Einladung gilt für ', email, '.'],
    accept: 'Einladung annehmen',
    decline: 'Ablehnen',
    declined: 'Einladung abgelehnt',
    declinedLead: 'Wenn Sie es sich anders überlegen, bitten Sie um eine neue Einladung.',
    joined: (organization) => `Sie sind ${organization} beigetreten`,
    openOrganization: 'Organisation ansehen',
    ended: {
      used: {
        title: 'Diese Einladung wurde schon angenommen',
        lead: 'Wenn Sie mit einem anderen Konto beigetreten sind, melden Sie sich mit diesem an.',
      },
      expired: { title: 'Diese Einladung ist abgelaufen', lead: 'Bitten Sie um eine neue Einladung.' },
      withdrawn: {
        title: 'Diese Einladung gilt nicht mehr',
        lead: 'Sie wurde zurückgezogen oder durch eine neuere ersetzt. Suchen Sie in Ihren E-Mails nach einer neueren, oder bitten Sie um eine neue.',
      },
    },
    signIn: 'Anmelden und annehmen',
    notYours: (current) => [
      'Sie sind als ',
      current,
      ' angemeldet. Diese Einladung gilt für eine andere Adresse.',
    ],
    change: 'Mit der Adresse aus der Einladung anmelden',
  },
  consent: {
    title: (client) => `Darf ${client} Ihr Konto verwenden?`,
    lead: (client) => [client, ' bittet um folgende Berechtigungen:'],
    account: (email) => ['Sie sind als ', email, ' angemeldet.'],
    returns: (host) => ['Danach kehren Sie zu ', host, ' zurück.'],
    local:
      'Die Anfrage kommt von einer App auf diesem Gerät. Fahren Sie nur fort, wenn Sie sie gerade selbst gestartet haben.',
    allow: 'Erlauben',
    deny: 'Nicht erlauben',
    change: 'Anderes Konto verwenden',
    leaving: (client) => `Zurück zu ${client} …`,
    scopes: {
      openid: 'Sie anmelden',
      profile: 'Ihren Namen und Ihr Bild sehen',
      email: 'Ihre E-Mail-Adresse sehen',
    },
    refused: {
      sends: (host) => ['Die App wollte Sie zu ', host, ' weiterleiten.'],
      code: (code) => ['Fehlercode: ', code],
    },
    ended: {
      title: 'Diese Anfrage ist beendet',
      lead: 'Kehren Sie zu der App zurück, von der Sie kommen, und beginnen Sie dort neu.',
    },
  },
  device: {
    title: 'Gerät verbinden',
    lead: 'Geben Sie den Code ein, den Ihr Gerät oder Ihre App anzeigt.',
    unknown: 'Dieser Code ist nicht gültig. Prüfen Sie ihn oder beginnen Sie auf Ihrem Gerät von vorn.',
    compare: (code) => ['Prüfen Sie, ob Ihr Gerät ', code, ' anzeigt.'],
    warning:
      'Fahren Sie nur fort, wenn Sie dies selbst auf einem Gerät vor Ihnen gestartet haben. Niemand sollte Ihnen einen Code schicken.',
    allowed: {
      title: 'Gerät verbunden',
      lead: 'Sie können diese Seite schließen und zu Ihrem Gerät zurückkehren.',
    },
    denied: {
      title: 'Zugriff abgelehnt',
      lead: 'Das Gerät hat keinen Zugriff auf Ihr Konto. Sie können diese Seite schließen.',
    },
  },
  challenge: {
    title: 'Noch eine Überprüfung',
    lead: 'Aus Ihrem Netzwerk kamen viele Anfragen. Bestätigen Sie, dass Sie kein Roboter sind.',
    solving: 'Ihr Browser wird geprüft. Das dauert einige Sekunden.',
    needsScript:
      'Aus Ihrem Netzwerk kamen viele Anfragen. Ihr Browser muss eine kleine Aufgabe lösen, bevor es weitergeht, und braucht dafür JavaScript. Aktivieren Sie JavaScript oder versuchen Sie es später noch einmal.',
  },
  account,
  errors: {
    email: 'Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com.',
    emailMissing: 'Geben Sie Ihre E-Mail-Adresse ein.',
    emailOrUsernameMissing: 'Geben Sie Ihre E-Mail-Adresse oder Ihren Benutzernamen ein.',
    phone: 'Diese Telefonnummer ist ungültig. Prüfen Sie das Land und die Nummer.',
    phoneCountry: 'Nummern aus diesem Land werden nicht angenommen. Verwenden Sie eine andere.',
    credentialsOrUsername: 'Die E-Mail-Adresse, der Benutzername oder das Passwort ist falsch.',
    challengeFailed: 'Die Überprüfung wurde nicht abgeschlossen. Versuchen Sie es noch einmal.',
    passkey:
      'Der Passkey konnte nicht verwendet werden. Versuchen Sie es noch einmal oder verwenden Sie eine andere Methode.',
    passkeyNeedsScript:
      'Passkeys erfordern JavaScript. Aktivieren Sie es oder verwenden Sie eine andere Methode.',
    smsFailed: 'Die SMS konnte nicht gesendet werden. Versuchen Sie es gleich noch einmal.',
    passwordMissing: 'Geben Sie Ihr Passwort ein.',
    codeMissing: 'Geben Sie den Code ein.',
    passwordCode:
      'Für dieses Konto wurden zu viele falsche Passwörter eingegeben. Wir haben einen Code an die E-Mail-Adresse des Kontos gesendet. Geben Sie Ihr Passwort noch einmal ein, und den Code.',
    credentials: 'Die E-Mail-Adresse oder das Passwort ist falsch.',
    passwordRefused: 'Dieses Passwort kann nicht verwendet werden. Wählen Sie ein anderes.',
    passwordShort: 'Dieses Passwort ist zu kurz. Wählen Sie ein längeres.',
    passwordLong: 'Dieses Passwort ist zu lang. Wählen Sie ein kürzeres.',
    passwordCommon: 'Viele Menschen verwenden dieses Passwort. Wählen Sie ein anderes.',
    passwordBreached: 'Dieses Passwort ist in einem Datenleck aufgetaucht. Wählen Sie ein anderes.',
    passwordNames:
      'Dieses Passwort enthält Ihre Adresse, Ihren Benutzernamen oder den Namen dieses Produkts. Wählen Sie ein anderes.',
    emailExists: 'Zu dieser Adresse gibt es bereits ein Konto. Melden Sie sich stattdessen an.',
    codeWrong: 'Dieser Code ist falsch. Prüfen Sie ihn und versuchen Sie es noch einmal.',
    codeExpired: 'Dieser Code ist abgelaufen. Lassen Sie sich einen neuen senden.',
    tooManyCodes: 'Zu viele falsche Codes. Lassen Sie sich einen neuen senden.',
    linkInvalid: 'Dieser Link ist nicht mehr gültig. Fordern Sie einen neuen an.',
    usernameTaken: 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
    usernameInvalid:
      'Verwenden Sie 1 bis 32 Buchstaben und Ziffern eines Schriftsystems, dazwischen einzelne Punkte, Binde- oder Unterstriche.',
    signUpDisabled:
      'Hier können keine neuen Konten erstellt werden. Wenn Sie ein Konto haben, melden Sie sich an.',
    signUpExpired:
      'Die Registrierung hat zu lange gedauert. Melden Sie sich noch einmal an, um fortzufahren.',
    signInExpired: 'Die Anmeldung hat zu lange gedauert. Melden Sie sich noch einmal an, um fortzufahren.',
    blocked: 'Dieses Konto ist gesperrt. Wenden Sie sich an den Support.',
    challenge: 'Aus Ihrem Netzwerk kamen zu viele Anfragen. Versuchen Sie es später noch einmal.',
    sendFailed: 'Die E-Mail konnte nicht gesendet werden. Versuchen Sie es gleich noch einmal.',
    provider: 'Die Anmeldung wurde nicht abgeschlossen. Versuchen Sie es noch einmal.',
    formExpired: 'Diese Seite ist abgelaufen. Senden Sie das Formular noch einmal.',
    invalid: 'Etwas in diesem Formular stimmt nicht. Prüfen Sie es und versuchen Sie es noch einmal.',
    tooMany: (inMinutes) =>
      plural.select(inMinutes) === 'one'
        ? 'Zu viele Versuche. Versuchen Sie es in einer Minute noch einmal.'
        : `Zu viele Versuche. Versuchen Sie es in ${inMinutes} Minuten noch einmal.`,
    failedTitle: 'Etwas ist schiefgelaufen',
    failed: 'Die Seite konnte nicht angezeigt werden. Versuchen Sie es gleich noch einmal.',
  },
};
