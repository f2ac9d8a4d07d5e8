/** Italian: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Questo è il tuo account.',
  email: 'Indirizzo email',
  verified: 'L’indirizzo è verificato',
  verifiedHint: 'Solo se sai che questo utente legge le email inviate a questo indirizzo.',
  username: 'Nome utente',
  emptyHint: 'Lascia vuoto per nessuno.',
  roles: 'Ruoli',
  rolesHint: (example) => `Separati da spazi o virgole, ad esempio: ${example}.`,
  rolesEmptyHint: (example) =>
    `Separati da spazi o virgole, ad esempio: ${example}. Lascia vuoto per nessuno.`,
  metadata: 'Metadati',
  metadataJson: 'Metadati (JSON)',
  metadataHint: 'Un oggetto JSON di massimo 8 KB.',
  reasonLabel: 'Motivo',
  signOut: {
    title: 'Disconnetti ovunque',
    lead: (name) => [
      'Termina tutte le sessioni e revoca tutti i token di ',
      name,
      '. Le chiavi API restano valide.',
    ],
    own: 'Questo è il tuo account. Dovrai accedere di nuovo.',
  },
  impersonate: {
    title: 'Agisci come l’utente',
    lead: (name) => [
      'Agisci come ',
      name,
      ' nell’applicazione per un massimo di 15 minuti. Per smettere, usa il pulsante in alto in ogni pagina dell’account o apri di nuovo le pagine di amministrazione.',
    ],
    reasonHint: 'Viene registrato con questo accesso, ad esempio il numero di una richiesta di assistenza.',
  },
  delete: {
    title: 'Elimina utente',
    lead: (name) => [
      'Elimina ',
      name,
      ' con tutte le sessioni, i metodi di accesso, le chiavi API e le adesioni, e i dati che la tua applicazione conserva su questo utente. Questa azione è irreversibile.',
    ],
    confirm: (phrase) => `Per confermare, digita ${phrase}`,
  },
  block: {
    title: 'Blocca utente',
    lead: (name) => [
      name,
      ' viene disconnesso ovunque e non può accedere durante il blocco. Le chiavi API di questo utente smettono di funzionare.',
    ],
    own: 'Questo è il tuo account. Verrai disconnesso e non potrai sbloccarti.',
    reasonHint: 'Per gli amministratori. L’utente non lo vede mai.',
    duration: 'Durata',
    forever: 'Finché non sblocchi l’utente',
    hour: '1 ora',
    day: '1 giorno',
    week: '7 giorni',
    month: '30 giorni',
    date: 'Fino a una data',
    until: (zone) => ['Fine del blocco (', zone, ')'],
  },
  unblock: {
    title: 'Sblocca utente',
    lead: (name) => [
      name,
      ' può accedere di nuovo e le chiavi API di questo utente funzionano di nuovo. Le sessioni terminate dal blocco restano terminate.',
    ],
  },
  editMetadata: {
    title: 'Modifica metadati',
    lead: (name) => ['Ciò che l’applicazione conserva su ', name, '.'],
    hint: 'Un oggetto JSON di massimo 8 KB. Sostituisce tutti i metadati.',
    current: 'Metadati attuali',
    submit: 'Salva metadati',
  },
  name: {
    title: 'Modifica nome',
    titleWithPicture: 'Modifica nome e immagine',
    lead: (name) => ['Ciò che gli altri utenti vedono di ', name, '.'],
    name: 'Nome',
    picture: 'Link a un’immagine',
    pictureHint: (sources) => `Deve iniziare con ${sources}. Lascia vuoto per nessuno.`,
    submit: 'Salva',
  },
  invite: {
    title: 'Invita utente',
    lead: 'L’utente riceve un’email con un link che funziona una sola volta, per sette giorni. Aprirlo verifica l’indirizzo.',
    submit: 'Invia invito',
  },
  create: {
    title: 'Crea utente',
    lead: 'Crea subito l’account e non invia email. Per far scegliere una password all’utente, invitalo.',
    password: 'Password',
  },
  address: {
    add: 'Aggiungi indirizzo email',
    change: 'Modifica indirizzo email',
    lead: 'Un nuovo indirizzo termina tutte le sessioni dell’utente e annulla ciò che è stato inviato al precedente.',
    submit: 'Salva indirizzo',
  },
  verify: {
    title: 'Verifica indirizzo email',
    lead: (address) => [
      'Contrassegna ',
      address,
      ' come verificato, senza inviare email. Fallo solo se sai che l’utente legge le email inviate a questo indirizzo.',
    ],
    submit: 'Verifica indirizzo',
  },
  changeUsername: {
    add: 'Aggiungi nome utente',
    change: 'Modifica nome utente',
    submit: 'Salva nome utente',
  },
  changeRoles: {
    title: 'Modifica ruoli',
    lead: (name) => ['I ruoli di ', name, ' nell’applicazione.'],
    own: 'Questo è il tuo account. Senza il tuo ruolo potresti perdere l’accesso a queste pagine.',
    submit: 'Salva ruoli',
  },
  password: {
    replace: 'Sostituisci password',
    set: 'Imposta password',
    lead: (name) => ['Disconnette ', name, ' ovunque e annulla i codici e i link in sospeso.'],
    new: 'Nuova password',
  },
  removals: {
    gone: 'Questo non esiste più: è già terminato o appartiene a un altro utente.',
    user: 'Utente',
    session: {
      title: 'Disconnetti dispositivo',
      term: 'Sessione',
      effect: 'Il dispositivo viene disconnesso alla prossima richiesta.',
    },
    token: {
      title: 'Revoca token dell’app',
      term: 'App',
      effect: 'L’app viene disconnessa alla prossima richiesta.',
    },
    account: {
      title: 'Scollega account',
      term: 'Account',
      effect: 'L’utente non potrà più accedere in questo modo.',
    },
    passkey: {
      title: 'Rimuovi passkey',
      term: 'Passkey',
      effect: 'L’utente non potrà più accedere in questo modo.',
    },
    app: {
      title: 'Rimuovi app di autenticazione',
      term: 'Secondo fattore',
      effect:
        'L’utente accede senza secondo fattore e viene disconnesso ovunque. Vengono rimossi anche i codici di recupero.',
    },
    organization: {
      title: 'Rimuovi dall’organizzazione',
      term: 'Organizzazione',
      effect: 'L’utente perde l’accesso all’organizzazione. Può essere invitato di nuovo.',
    },
    key: {
      title: 'Revoca chiave API',
      term: 'Chiave API',
      effect: 'I programmi che usano questa chiave vengono rifiutati subito. Questa azione è irreversibile.',
    },
  },
};
