/** Polish: the sentences of mails and text messages. No sentence says whether the reader is a man or a woman. */
import type { MailTexts } from './en.js';

export const pl: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Wygasa ${inTime}.`,
  bothExpire: (inTime) => `Oba wygasają ${inTime}.`,
  linkAndCodeExpire: (link, code) => `Link wygasa ${link}, a kod ${code}.`,
  oneIsEnough: 'Wystarczy użyć jednego z nich.',
  ignore: 'Jeśli ta prośba nie pochodzi od Ciebie, możesz zignorować tę wiadomość.',
  // Without a Polish letter: a text message with one has fewer characters per segment.
  keepSecret: 'Nie podawaj nikomu tego kodu.',
  notYouContactSupport: 'Jeśli to nie Ty, skontaktuj się z pomocą techniczną.',
  notYouIgnore: 'Jeśli to nie Ty, możesz zignorować tę wiadomość.',
  buttonFails: 'Jeśli przycisk nie działa, otwórz ten link:',
  help: 'Potrzebujesz pomocy?',
  because: {
    signIn: ({ app }) =>
      `Otrzymujesz tę wiadomość, ponieważ ktoś chce zalogować się do usługi ${app} przy użyciu tego adresu e-mail.`,
    address: ({ app }) => `Otrzymujesz tę wiadomość, ponieważ ktoś podał ten adres e-mail w usłudze ${app}.`,
    account: ({ app }) => `Otrzymujesz tę wiadomość, ponieważ masz konto ${app}.`,
    reset: ({ app }) =>
      `Otrzymujesz tę wiadomość, ponieważ ktoś poprosił o nowe hasło do Twojego konta ${app}.`,
    invite: ({ app }) => `Otrzymujesz tę wiadomość, ponieważ ktoś zaprosił Cię do usługi ${app}.`,
  },
  event: {
    time: 'Czas:',
    device: 'Urządzenie:',
    place: 'Miejsce:',
    on: (client, system) => `${client} (${system})`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} to Twój kod logowania do usługi ${app}`,
    lead: ({ app }) => `Wpisz ten kod, aby zalogować się do usługi ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} to Twój kod weryfikacyjny do usługi ${app}`,
    lead: ({ app }) => `Wpisz ten kod w usłudze ${app}, aby zweryfikować swój adres e-mail:`,
  },
  existingAccount: {
    subject: ({ app }) => `Masz już konto w usłudze ${app}`,
    lead: ({ app }) =>
      `Ktoś użył tego adresu e-mail do rejestracji w usłudze ${app}, ale konto z tym adresem już istnieje. Jeśli to Ty, wpisz ten kod, aby się na nie zalogować. Twoje hasło się nie zmieniło.`,
    ignore: 'Jeśli to nie Ty, zignoruj tę wiadomość i nie podawaj nikomu tego kodu.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} to Twój kod weryfikacji dwuetapowej w usłudze ${app}`,
    lead: ({ app }) => `Wpisz ten kod, aby dokończyć logowanie do usługi ${app}:`,
    ignore:
      'Jeśli to nie Ty, nie podawaj nikomu tego kodu. Inna osoba przeszła pierwszy etap logowania na Twoje konto. Zmień hasło.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Masz jeszcze dwa kody odzyskiwania do konta ${app}`,
    lead: ({ app }) =>
      `Do zalogowania się na Twoje konto ${app} użyto kodu odzyskiwania. Zostały dwa kody. Utwórz nowe na swoim koncie, zanim będą potrzebne.`,
    ignore: 'Jeśli to nie Ty, wyloguj wszystkie urządzenia i utwórz nowe kody odzyskiwania.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} to kod do nowego adresu e-mail w usłudze ${app}`,
    lead: ({ app }) => `Wpisz ten kod w usłudze ${app}, aby zmienić adres e-mail swojego konta na ten:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Potwierdź nowy adres e-mail swojego konta ${app}`,
    lead: ({ app }) =>
      `Wpisz ten kod w usłudze ${app}, aby zmienić adres e-mail swojego konta z tego na nowy:`,
    ignore:
      'Jeśli to nie Ty, nie podawaj nikomu tego kodu. Na Twoje konto zalogowała się inna osoba. Wyloguj wszystkie urządzenia.',
  },
  addressInUse: {
    subject: ({ app }) => `Masz już konto w usłudze ${app}`,
    lead: ({ app }) =>
      `Ktoś próbował użyć tego adresu e-mail na innym koncie w usłudze ${app}. Konto z tym adresem już istnieje, więc nic się nie zmieniło. Zaloguj się przy użyciu tego adresu lub wybierz inny dla drugiego konta.`,
  },
  addressChanged: {
    subject: ({ app }) => `Zmieniono adres e-mail Twojego konta ${app}`,
    lead: ({ app }) =>
      `Zmieniono adres e-mail Twojego konta ${app}. Nie można już logować się przy użyciu dotychczasowego adresu, a pozostałe urządzenia zostały wylogowane.`,
  },
  passwordChanged: {
    subject: ({ app }) => `Zmieniono hasło do Twojego konta ${app}`,
    lead: ({ app }) => `Zmieniono hasło do Twojego konta ${app}, a pozostałe urządzenia zostały wylogowane.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Dodano numer telefonu do Twojego konta ${app}`,
    lead: ({ app, phone }) =>
      `Do Twojego konta ${app} dodano numer telefonu ${phone}. Możesz używać go do logowania.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Usunięto numer telefonu z Twojego konta ${app}`,
    lead: ({ app, phone }) =>
      `Z Twojego konta ${app} usunięto numer telefonu ${phone}. Nie można już używać go do logowania.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `Do Twojego konta ${app} dodano hasło`,
    passwordReset: ({ app }) => `Hasło do Twojego konta ${app} zostało zresetowane`,
    passwordSet: ({ app }) => `Administrator zmienił hasło do Twojego konta ${app}`,
    passkeyAdded: ({ app }) => `Do Twojego konta ${app} dodano klucz dostępu`,
    passkeyRemoved: ({ app }) => `Z Twojego konta ${app} usunięto klucz dostępu`,
    twoFactorEnabled: ({ app }) => `Na Twoim koncie ${app} włączono weryfikację dwuetapową`,
    twoFactorDisabled: ({ app }) => `Na Twoim koncie ${app} wyłączono weryfikację dwuetapową`,
    appAdded: ({ app }) => `Do Twojego konta ${app} dodano aplikację uwierzytelniającą`,
    appRemoved: ({ app }) => `Z Twojego konta ${app} usunięto aplikację uwierzytelniającą`,
    recoveryCodesReplaced: ({ app }) => `Dla Twojego konta ${app} utworzono nowe kody odzyskiwania`,
    emailCodesEnabled: ({ app }) => `Na Twoim koncie ${app} włączono kody e-mail jako drugi etap`,
    emailCodesDisabled: ({ app }) => `Na Twoim koncie ${app} wyłączono kody e-mail jako drugi etap`,
    identityLinked: ({ app, about }) => `Z Twoim kontem ${app} połączono: ${about}`,
    identityUnlinked: ({ app, about }) => `Z Twojego konta ${app} usunięto: ${about}`,
    usernameChanged: ({ app }) => `Nazwa użytkownika Twojego konta ${app} została zmieniona`,
    addressChanged: ({ app }) => `Twoje konto ${app} używa teraz tego adresu e-mail`,
    apiKeyCreated: ({ app }) => `Dla Twojego konta ${app} utworzono klucz API`,
    browserTrusted: ({ app }) => `Do Twojego konta ${app} dodano zaufaną przeglądarkę`,
    newSignIn: ({ app }) => `Nowe logowanie na Twoje konto ${app}`,
    newSignInLead: ({ app }) => `Twoje konto ${app} zostało użyte na nowym urządzeniu.`,
  },
  notMe: {
    advice:
      'Jeśli to nie Ty, wyloguj wszystkie urządzenia za pomocą tego linku. Działa raz, przez siedem dni.',
    button: 'To nie ja',
    title: ({ app }) => `Zabezpiecz swoje konto ${app}`,
    lead: (email) => `Spowoduje to wylogowanie wszystkich urządzeń zalogowanych jako ${email}.`,
    submit: 'Wyloguj wszystkie urządzenia',
    ignore: 'Jeśli rozpoznajesz tę aktywność, zamknij tę stronę.',
    doneTitle: 'Wszystkie urządzenia zostały wylogowane',
    doneReset: (email) => `Wysłaliśmy e-mail na adres ${email}. Otwórz go, aby ustawić nowe hasło.`,
    doneSignIn: 'Zaloguj się ponownie i usuń z konta wszystko, czego nie rozpoznajesz.',
    doneAddressChanged:
      'Ten adres e-mail nie należy już do konta. Skontaktuj się z pomocą techniczną, aby je odzyskać.',
    endedTitle: 'Ten link już nie działa',
    ended: 'Link wygasł lub został już użyty. Jeśli potrzebujesz pomocy, skontaktuj się z pomocą techniczną.',
  },
  magicLink: {
    subject: ({ app }) => `Zaloguj się do usługi ${app}`,
    lead: ({ app }) => `Otwórz ten link, aby zalogować się do usługi ${app}. Zadziała tylko raz.`,
    leadWithCode: ({ app }) => `Otwórz ten link, aby zalogować się do usługi ${app}:`,
    orCode: 'Możesz też wpisać ten kod na stronie, na której zaczęło się logowanie:',
    button: 'Zaloguj się',
  },
  linkConfirmation: {
    title: ({ app }) => `Zaloguj się do usługi ${app}`,
    lead: (email) => `Logujesz się jako ${email}.`,
    submit: 'Zaloguj się',
    ignore: 'Jeśli ta prośba nie pochodzi od Ciebie, zamknij tę stronę.',
  },
  passwordReset: {
    subject: ({ app }) => `Ustaw nowe hasło w usłudze ${app}`,
    lead: ({ app }) => `Otwórz ten link, aby ustawić nowe hasło w usłudze ${app}. Zadziała tylko raz.`,
    leadWithCode: ({ app }) => `Wpisz ten kod w usłudze ${app}, aby ustawić nowe hasło:`,
    leadWithBoth: ({ app }) =>
      `Aby ustawić nowe hasło, otwórz ten link lub wpisz podany pod nim kod w usłudze ${app}. Link i kod zadziałają tylko raz.`,
    button: 'Ustaw nowe hasło',
  },
  userInvite: {
    subject: ({ app }) => `Zaproszenie do usługi ${app}`,
    lead: ({ app }) =>
      `Masz zaproszenie do usługi ${app}. Otwórz ten link, aby skonfigurować konto. Zadziała tylko raz.`,
    button: 'Przyjmij zaproszenie',
    ignore: 'Jeśli nie chcesz mieć konta, możesz zignorować tę wiadomość.',
  },
  signUpRefused: {
    subject: ({ app }) => `Nie można utworzyć konta ${app} z tym adresem e-mail`,
    lead: ({ app }) =>
      `Ktoś próbował zalogować się do usługi ${app} przy użyciu tego adresu e-mail. Konto z tym adresem nie istnieje i nie można go utworzyć. Jeśli masz konto, zaloguj się przy użyciu jego adresu e-mail.`,
  },
  orgInvite: {
    subject: ({ app }) => `Zaproszenie do organizacji w usłudze ${app}`,
    lead: ({ app }) => `Otwórz ten link, aby dołączyć do organizacji w usłudze ${app}. Zadziała tylko raz.`,
    button: 'Przyjmij zaproszenie',
    ignore: 'Jeśli nie chcesz dołączyć, możesz zignorować tę wiadomość.',
  },
  textMessage: {
    code: ({ app, code }) => `Kod ${app}: ${code}.`,
  },
};
