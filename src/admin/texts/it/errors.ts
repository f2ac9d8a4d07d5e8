/** Italian: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('it');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Torna agli utenti',
  toUser: 'Torna all’utente',
  signIn: 'Accedi',
  signInAgain: 'Accedi di nuovo',
  signOut: 'Esci',
  signedInAs: (who) => ['Hai effettuato l’accesso come ', who, '.'],
  pages: {
    failed: {
      title: 'Qualcosa è andato storto',
      text: 'Impossibile mostrare la pagina. Riprova tra un momento.',
    },
    notFound: {
      title: 'Pagina non trovata',
      text: 'Non c’è nessuna pagina a questo indirizzo.',
    },
    formExpired: {
      title: 'Questo modulo è scaduto',
      text: 'Hai effettuato di nuovo l’accesso dopo l’apertura di questo modulo. Nessuna modifica effettuata. Aprilo di nuovo.',
    },
    noAccess: {
      title: 'Accesso non consentito',
      text: 'Il tuo account non dispone dell’autorizzazione necessaria.',
    },
    signIn: {
      title: 'Accedi',
      text: 'Accedi come amministratore, poi apri di nuovo questa pagina.',
    },
    confirm: {
      title: 'Conferma la tua identità',
      text: 'Per la tua sicurezza, accedi di nuovo per apportare modifiche.',
    },
    userNotFound: {
      title: 'Utente non trovato',
      text: 'Nessun utente ha questo ID. Forse è stato eliminato.',
    },
    invalid: {
      title: 'Richiesta non valida',
      text: 'L’indirizzo di questa pagina o il suo modulo non è valido.',
    },
    notConfigured: {
      title: 'Non disponibile',
      text: 'L’applicazione non è configurata per questo.',
    },
    license: {
      title: 'Non disponibile',
      text: 'Questa funzione richiede una licenza.',
    },
    storage: {
      title: 'Non disponibile',
      text: 'L’adattatore di archiviazione non supporta questa funzione.',
    },
  },
  emailExists: 'Un altro utente ha questo indirizzo.',
  weakPassword: 'Questa password è troppo corta, troppo comune o contiene l’indirizzo. Scegline un’altra.',
  email: 'Inserisci un indirizzo email, ad esempio ada@example.com.',
  emailMissing: 'Inserisci un indirizzo email. Questa modifica ne richiede uno.',
  name: 'Inserisci un nome di massimo 100 caratteri su una sola riga.',
  nameAddress: 'Il nome non può contenere un indirizzo email o un link.',
  nameReserved: 'Questo nome è riservato. Scegline un altro.',
  pictureSource: 'Le immagini da questo indirizzo non sono consentite.',
  usernameTaken: 'Un altro utente ha questo nome utente.',
  usernameInvalid:
    'Usa da 1 a 32 lettere e cifre di un solo alfabeto, con singoli punti, trattini o trattini bassi tra di esse.',
  usernameReserved: 'Questo nome utente è riservato. Scegline un altro.',
  guest: 'Un ospite ottiene un indirizzo quando si registra.',
  outdated:
    'L’utente è cambiato dopo l’apertura di questa pagina. Confronta la tua modifica con i valori attuali, poi salva di nuovo.',
  lastMethod: 'Senza questo, l’utente non potrebbe più accedere.',
  metadata: 'I metadati devono essere un oggetto JSON di massimo 8 KB e 8 livelli, senza chiavi riservate.',
  metadataObject: (example) => `I metadati devono essere un oggetto JSON, ad esempio ${example}.`,
  metadataSyntax: (line, column) => `Questo JSON non è valido. Controlla la riga ${line}, colonna ${column}.`,
  roles:
    'Inserisci al massimo 20 ruoli, da 1 a 64 lettere minuscole, cifre o . _ : - con una lettera o una cifra a entrambe le estremità.',
  role: 'Inserisci un ruolo come viene assegnato agli utenti, ad esempio support.',
  filters: 'Queste condizioni non sono valide. Cancella i filtri.',
  userId: 'Inserisci l’ID di un utente.',
  redirect:
    'Inserisci da uno a venti indirizzi, uno per riga: tutti con https, oppure tutti di un’app, con il suo schema o con http per questo computer.',
  uri: 'Inserisci un indirizzo, ad esempio https://partner.example/.',
  secretUnused: 'Il client non usa un segreto: registrane uno riservato.',
  secretLimit: 'Il client ha due segreti. Prima rimuovine uno.',
  secretLast: 'Questo è l’unico segreto del client. Prima aggiungine un altro.',
  until: 'Inserisci una data e un’ora future.',
  untilMissing: 'Inserisci la data e l’ora.',
  untilUnused: 'Scegli “Fino a una data” o cancella la fine del blocco.',
  duration: 'Scegli una durata.',
  reason: 'Il motivo può contenere al massimo 500 caratteri.',
  passwordMissing: 'Inserisci una password.',
  phrase: 'Il testo non corrisponde a quello richiesto.',
  incomplete: 'Il modulo è incompleto. Aprilo di nuovo.',
  lastOwner:
    'L’ultimo proprietario di un’organizzazione non può lasciarla. Prima rendi proprietario un altro membro.',
  blocked: 'Questo utente è bloccato.',
  notAllowed: 'L’applicazione non lo consente per questo utente.',
  sendFailed: 'Impossibile inviare l’email. Riprova tra un momento.',
  notConfigured: 'L’applicazione non è configurata per questo.',
  invalid: 'La modifica è stata rifiutata. Controlla il modulo e riprova.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Troppi tentativi. Riprova tra un minuto.',
      other: `Troppi tentativi. Riprova tra ${inMinutes} minuti.`,
    }),
};
