/** German: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Das ist Ihr eigenes Konto.',
  email: 'E-Mail-Adresse',
  verified: 'Die Adresse ist bestätigt',
  verifiedHint: 'Nur, wenn Sie wissen, dass dieser Benutzer die E-Mails an diese Adresse liest.',
  username: 'Benutzername',
  emptyHint: 'Leer lassen für keinen.',
  roles: 'Rollen',
  rolesHint: (example) => `Durch Leerzeichen oder Kommas getrennt, zum Beispiel: ${example}.`,
  rolesEmptyHint: (example) =>
    `Durch Leerzeichen oder Kommas getrennt, zum Beispiel: ${example}. Leer lassen für keine.`,
  metadata: 'Metadaten',
  metadataJson: 'Metadaten (JSON)',
  metadataHint: 'Ein JSON-Objekt mit höchstens 8 KB.',
  reasonLabel: 'Grund',
  signOut: {
    title: 'Überall abmelden',
    lead: (name) => ['Beendet jede Sitzung und jedes Token von ', name, '. API-Schlüssel bleiben gültig.'],
    own: 'Das ist Ihr eigenes Konto. Sie müssen sich danach neu anmelden.',
  },
  impersonate: {
    title: 'Als Benutzer handeln',
    lead: (name) => [
      'Sie handeln in der Anwendung bis zu 15 Minuten lang als ',
      name,
      '. Zum Beenden verwenden Sie die Schaltfläche oben auf jeder Seite des Kontos, oder öffnen Sie die Verwaltung erneut.',
    ],
    reasonHint: 'Wird mit dem Zugriff gespeichert, zum Beispiel die Nummer einer Support-Anfrage.',
  },
  delete: {
    title: 'Benutzer löschen',
    lead: (name) => [
      'Löscht ',
      name,
      ' mit allen Sitzungen, Anmeldemethoden, API-Schlüsseln und Mitgliedschaften sowie den Daten, die Ihre Anwendung über diesen Benutzer speichert. Das kann nicht rückgängig gemacht werden.',
    ],
    confirm: (phrase) => `Geben Sie zur Bestätigung ${phrase} ein`,
  },
  block: {
    title: 'Benutzer sperren',
    lead: (name) => [
      name,
      ' wird überall abgemeldet und kann sich während der Sperre nicht anmelden. API-Schlüssel dieses Benutzers funktionieren nicht mehr.',
    ],
    own: 'Das ist Ihr eigenes Konto. Sie werden abgemeldet und können die Sperre nicht selbst aufheben.',
    reasonHint: 'Für Administratoren. Der Benutzer sieht ihn nie.',
    duration: 'Dauer',
    forever: 'Bis Sie die Sperre aufheben',
    hour: '1 Stunde',
    day: '1 Tag',
    week: '7 Tage',
    month: '30 Tage',
    date: 'Bis zu einem Datum',
    until: (zone) => ['Ende der Sperre (', zone, ')'],
  },
  unblock: {
    title: 'Sperre aufheben',
    lead: (name) => [
      name,
      ' kann sich wieder anmelden, und API-Schlüssel dieses Benutzers funktionieren wieder. Sitzungen, die die Sperre beendet hat, bleiben beendet.',
    ],
  },
  editMetadata: {
    title: 'Metadaten bearbeiten',
    lead: (name) => ['Was die Anwendung über ', name, ' speichert.'],
    hint: 'Ein JSON-Objekt mit höchstens 8 KB. Es ersetzt alle Metadaten.',
    current: 'Aktuelle Metadaten',
    submit: 'Metadaten speichern',
  },
  name: {
    title: 'Namen ändern',
    titleWithPicture: 'Namen und Bild ändern',
    lead: (name) => ['Was andere Benutzer von ', name, ' sehen.'],
    name: 'Name',
    picture: 'Link zu einem Bild',
    pictureHint: (sources) => `Er muss mit ${sources} beginnen. Leer lassen für keinen.`,
    submit: 'Speichern',
  },
  invite: {
    title: 'Benutzer einladen',
    lead: 'Der Benutzer erhält eine E-Mail mit einem Link, der sieben Tage lang einmal funktioniert. Wer ihn öffnet, bestätigt damit die Adresse.',
    submit: 'Einladung senden',
  },
  create: {
    title: 'Benutzer erstellen',
    lead: 'Erstellt das Konto sofort und sendet keine E-Mail. Laden Sie den Benutzer stattdessen ein, wenn er selbst ein Passwort wählen soll.',
    password: 'Passwort',
  },
  address: {
    add: 'E-Mail-Adresse hinzufügen',
    change: 'E-Mail-Adresse ändern',
    lead: 'Eine neue Adresse beendet jede Sitzung des Benutzers und macht ungültig, was an die alte gesendet wurde.',
    submit: 'Adresse speichern',
  },
  verify: {
    title: 'E-Mail-Adresse bestätigen',
    lead: (address) => [
      'Markiert ',
      address,
      ' ohne E-Mail als bestätigt. Tun Sie das nur, wenn Sie wissen, dass der Benutzer die E-Mails an diese Adresse liest.',
    ],
    submit: 'Adresse bestätigen',
  },
  changeUsername: {
    add: 'Benutzernamen hinzufügen',
    change: 'Benutzernamen ändern',
    submit: 'Benutzernamen speichern',
  },
  changeRoles: {
    title: 'Rollen ändern',
    lead: (name) => ['Die Rollen von ', name, ' in der Anwendung.'],
    own: 'Das ist Ihr eigenes Konto. Ohne Ihre Rolle verlieren Sie vielleicht den Zugriff auf diese Seiten.',
    submit: 'Rollen speichern',
  },
  password: {
    replace: 'Passwort ersetzen',
    set: 'Passwort festlegen',
    lead: (name) => ['Meldet ', name, ' überall ab und macht offene Codes und Links ungültig.'],
    new: 'Neues Passwort',
  },
  removals: {
    gone: 'Das gibt es nicht mehr: Es ist bereits beendet oder gehört zu einem anderen Benutzer.',
    user: 'Benutzer',
    session: {
      title: 'Gerät abmelden',
      term: 'Sitzung',
      effect: 'Das Gerät wird bei seiner nächsten Anfrage abgemeldet.',
    },
    token: {
      title: 'App-Token widerrufen',
      term: 'App',
      effect: 'Die App wird bei ihrer nächsten Anfrage abgemeldet.',
    },
    account: {
      title: 'Verknüpfung entfernen',
      term: 'Konto',
      effect: 'Der Benutzer kann sich damit nicht mehr anmelden.',
    },
    passkey: {
      title: 'Passkey entfernen',
      term: 'Passkey',
      effect: 'Der Benutzer kann sich damit nicht mehr anmelden.',
    },
    app: {
      title: 'Authenticator-App entfernen',
      term: 'Zweiter Faktor',
      effect:
        'Der Benutzer meldet sich ohne zweiten Faktor an und wird überall abgemeldet. Wiederherstellungscodes werden ebenfalls entfernt.',
    },
    organization: {
      title: 'Aus Organisation entfernen',
      term: 'Organisation',
      effect: 'Der Benutzer verliert den Zugriff auf die Organisation. Er kann wieder eingeladen werden.',
    },
    key: {
      title: 'API-Schlüssel widerrufen',
      term: 'API-Schlüssel',
      effect:
        'Programme, die diesen Schlüssel verwenden, werden sofort abgelehnt. Das kann nicht rückgängig gemacht werden.',
    },
  },
};
