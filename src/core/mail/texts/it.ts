/** Italian: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const it: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `Scade ${inTime}.`,
  bothExpire: (inTime) => `Scadono entrambi ${inTime}.`,
  linkAndCodeExpire: (link, code) => `Il link scade ${link} e il codice ${code}.`,
  oneIsEnough: 'Te ne serve solo uno.',
  ignore: 'Se non hai richiesto questa email, puoi ignorarla.',
  keepSecret: 'Non condividere questo codice con nessuno.',
  notYouContactSupport: 'Se non eri tu, contatta l’assistenza.',
  notYouIgnore: 'Se non eri tu, puoi ignorare questa email.',
  buttonFails: 'Se il pulsante non funziona, apri questo link:',
  help: 'Serve aiuto?',
  because: {
    signIn: ({ app }) =>
      `Ricevi questa email perché qualcuno ha chiesto di accedere a ${app} con questo indirizzo.`,
    address: ({ app }) => `Ricevi questa email perché qualcuno ha inserito questo indirizzo su ${app}.`,
    account: ({ app }) => `Ricevi questa email perché hai un account ${app}.`,
    reset: ({ app }) =>
      `Ricevi questa email perché qualcuno ha chiesto una nuova password per il tuo account ${app}.`,
    invite: ({ app }) => `Ricevi questa email perché qualcuno ti ha invitato su ${app}.`,
  },
  event: {
    time: 'Data e ora:',
    device: 'Dispositivo:',
    place: 'Luogo:',
    on: (client, system) => `${client} su ${system}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} è il tuo codice di accesso per ${app}`,
    lead: ({ app }) => `Inserisci questo codice per accedere al tuo account ${app}:`,
  },
  verification: {
    subject: ({ app, code }) => `${code} è il tuo codice di verifica per ${app}`,
    lead: ({ app }) => `Inserisci questo codice in ${app} per verificare il tuo indirizzo email:`,
  },
  existingAccount: {
    subject: ({ app }) => `Hai già un account ${app}`,
    lead: ({ app }) =>
      `Qualcuno si è registrato su ${app} con questo indirizzo email, a cui è già associato un account. Se eri tu, inserisci questo codice per accedere all’account. La tua password non è cambiata.`,
    ignore: 'Se non eri tu, ignora questa email e non condividere questo codice con nessuno.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} è il tuo codice di verifica in due passaggi per ${app}`,
    lead: ({ app }) => `Inserisci questo codice per completare l’accesso al tuo account ${app}:`,
    ignore:
      'Se non eri tu, non condividere questo codice con nessuno. Un’altra persona ha superato il primo passaggio per accedere al tuo account. Cambia la password.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `Ti restano due codici di recupero per ${app}`,
    lead: ({ app }) =>
      `È stato usato un codice di recupero per accedere al tuo account ${app}. Ne restano due. Crea nuovi codici nel tuo account prima di averne bisogno.`,
    ignore: 'Se non eri tu, disconnetti tutti i dispositivi e crea nuovi codici di recupero.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} è il codice per il tuo nuovo indirizzo email su ${app}`,
    lead: ({ app }) => `Inserisci questo codice in ${app} per usare questo indirizzo email nel tuo account:`,
  },
  leavingAddress: {
    subject: ({ app }) => `Conferma il nuovo indirizzo email del tuo account ${app}`,
    lead: ({ app }) =>
      `Inserisci questo codice in ${app} per sostituire questo indirizzo email con quello nuovo nel tuo account:`,
    ignore:
      'Se non eri tu, non condividere questo codice con nessuno. Un’altra persona ha effettuato l’accesso al tuo account. Disconnetti tutti i dispositivi.',
  },
  addressInUse: {
    subject: ({ app }) => `Hai già un account ${app}`,
    lead: ({ app }) =>
      `Qualcuno ha provato a usare questo indirizzo email per un altro account ${app}. All’indirizzo è già associato un account, quindi non è stato modificato nulla. Accedi con questo indirizzo o scegline uno diverso per l’altro account.`,
  },
  addressChanged: {
    subject: ({ app }) => `L’indirizzo email del tuo account ${app} è stato cambiato`,
    lead: ({ app }) =>
      `L’indirizzo email del tuo account ${app} è stato cambiato. Non puoi più accedere con questo indirizzo e i tuoi altri dispositivi sono stati disconnessi.`,
  },
  passwordChanged: {
    subject: ({ app }) => `La password del tuo account ${app} è stata cambiata`,
    lead: ({ app }) =>
      `La password del tuo account ${app} è stata cambiata e i tuoi altri dispositivi sono stati disconnessi.`,
  },
  phoneAdded: {
    subject: ({ app }) => `Un numero di telefono è stato aggiunto al tuo account ${app}`,
    lead: ({ app, phone }) =>
      `Il numero di telefono ${phone} è stato aggiunto al tuo account ${app}. Puoi usarlo per accedere.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `Un numero di telefono è stato rimosso dal tuo account ${app}`,
    lead: ({ app, phone }) =>
      `Il numero di telefono ${phone} è stato rimosso dal tuo account ${app}. Non puoi più usarlo per accedere.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `È stata aggiunta una password al tuo account ${app}`,
    passwordReset: ({ app }) => `La password del tuo account ${app} è stata reimpostata`,
    passwordSet: ({ app }) => `Un amministratore ha cambiato la password del tuo account ${app}`,
    passkeyAdded: ({ app }) => `È stata aggiunta una passkey al tuo account ${app}`,
    passkeyRemoved: ({ app }) => `È stata rimossa una passkey dal tuo account ${app}`,
    twoFactorEnabled: ({ app }) => `La verifica in due passaggi è stata attivata per il tuo account ${app}`,
    twoFactorDisabled: ({ app }) =>
      `La verifica in due passaggi è stata disattivata per il tuo account ${app}`,
    appAdded: ({ app }) => `È stata aggiunta un’app di autenticazione al tuo account ${app}`,
    appRemoved: ({ app }) => `È stata rimossa un’app di autenticazione dal tuo account ${app}`,
    recoveryCodesReplaced: ({ app }) =>
      `Sono stati creati nuovi codici di recupero per il tuo account ${app}`,
    emailCodesEnabled: ({ app }) =>
      `I codici via email sono stati attivati come secondo passaggio per il tuo account ${app}`,
    emailCodesDisabled: ({ app }) =>
      `I codici via email sono stati disattivati come secondo passaggio per il tuo account ${app}`,
    identityLinked: ({ app, about }) => `${about} è stato collegato al tuo account ${app}`,
    identityUnlinked: ({ app, about }) => `${about} è stato rimosso dal tuo account ${app}`,
    usernameChanged: ({ app }) => `Il nome utente del tuo account ${app} è stato cambiato`,
    addressChanged: ({ app }) => `Il tuo account ${app} ora usa questo indirizzo email`,
    apiKeyCreated: ({ app }) => `È stata creata una chiave API per il tuo account ${app}`,
    browserTrusted: ({ app }) => `È stato aggiunto un browser attendibile al tuo account ${app}`,
    newSignIn: ({ app }) => `Nuovo accesso al tuo account ${app}`,
    newSignInLead: ({ app }) => `Il tuo account ${app} è stato usato su un nuovo dispositivo.`,
  },
  notMe: {
    advice:
      'Se non sei stato tu, disconnetti tutti i dispositivi con questo link. Funziona una volta, per sette giorni.',
    button: 'Non sono stato io',
    title: ({ app }) => `Proteggi il tuo account ${app}`,
    lead: (email) => `Tutti i dispositivi connessi come ${email} verranno disconnessi.`,
    submit: 'Disconnetti tutti i dispositivi',
    ignore: 'Se riconosci l’attività, chiudi questa pagina.',
    doneTitle: 'Tutti i dispositivi sono disconnessi',
    doneReset: (email) => `Abbiamo inviato un’email a ${email}. Aprila per scegliere una nuova password.`,
    doneSignIn: 'Accedi di nuovo e rimuovi dal tuo account tutto ciò che non riconosci.',
    doneAddressChanged:
      'Questo indirizzo email non appartiene più all’account. Contatta l’assistenza per recuperarlo.',
    endedTitle: 'Questo link non funziona più',
    ended: 'È scaduto o è già stato usato. Se hai bisogno di aiuto, contatta l’assistenza.',
  },
  magicLink: {
    subject: ({ app }) => `Accedi al tuo account ${app}`,
    lead: ({ app }) => `Apri questo link per accedere al tuo account ${app}. Funziona una sola volta.`,
    leadWithCode: ({ app }) => `Apri questo link per accedere al tuo account ${app}:`,
    orCode: 'Oppure inserisci questo codice dove hai chiesto di accedere:',
    button: 'Accedi',
  },
  linkConfirmation: {
    title: ({ app }) => `Accedi al tuo account ${app}`,
    lead: (email) => `Stai per accedere come ${email}.`,
    submit: 'Accedi',
    ignore: 'Se non hai richiesto l’accesso, chiudi questa pagina.',
  },
  passwordReset: {
    subject: ({ app }) => `Scegli una nuova password per ${app}`,
    lead: ({ app }) =>
      `Apri questo link per scegliere una nuova password per ${app}. Funziona una sola volta.`,
    leadWithCode: ({ app }) => `Inserisci questo codice in ${app} per scegliere una nuova password:`,
    leadWithBoth: ({ app }) =>
      `Apri questo link per scegliere una nuova password per ${app}, oppure inserisci in ${app} il codice riportato sotto. Il link e il codice funzionano una sola volta.`,
    button: 'Scegli una nuova password',
  },
  userInvite: {
    subject: ({ app }) => `Hai ricevuto un invito per ${app}`,
    lead: ({ app }) =>
      `Hai ricevuto un invito per ${app}. Apri questo link per configurare il tuo account. Funziona una sola volta.`,
    button: 'Accetta invito',
    ignore: 'Se non vuoi un account, puoi ignorare questa email.',
  },
  signUpRefused: {
    subject: ({ app }) => `Non puoi creare un account ${app} con questo indirizzo email`,
    lead: ({ app }) =>
      `Qualcuno ha provato ad accedere a un account ${app} con questo indirizzo email. All’indirizzo non è associato alcun account e non è possibile usarlo per crearne uno. Se hai un account, accedi con il relativo indirizzo email.`,
  },
  orgInvite: {
    subject: ({ app }) => `Hai ricevuto un invito a un’organizzazione su ${app}`,
    lead: ({ app }) => `Apri questo link per unirti a un’organizzazione su ${app}. Funziona una sola volta.`,
    button: 'Accetta invito',
    ignore: 'Se non vuoi unirti, puoi ignorare questa email.',
  },
  textMessage: {
    code: ({ app, code }) => `${code} è il tuo codice per ${app}.`,
  },
};
