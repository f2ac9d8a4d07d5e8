/** Turkish: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const tr: AdminTexts = {
  direction: 'ltr',
  skip: 'İçeriğe geç',
  language: 'Dil',
  zone: (zone) => ['Saatlerin saat dilimi: ', zone],
  error: 'Hata',
  optional: 'isteğe bağlı',
  cancel: 'Vazgeç',
  none: 'Yok',
  never: 'Hiçbir zaman',
  nothingChanged: 'Hiçbir şey değiştirilmedi',
  toApp: 'Uygulamaya dön',
  signedIn: 'Oturum açık',
  sections: {
    label: 'Ana menü',
    trail: 'Sayfa yolu',
    overview: 'Genel bakış',
    users: 'Kullanıcılar',
    clients: 'İstemciler',
    audit: 'Denetim günlüğü',
  },
  pager: {
    label: 'Listenin sayfaları',
    first: 'İlk sayfa',
    previous: 'Önceki sayfa',
    next: 'Sonraki sayfa',
    empty: 'Listenin bu sayfası boş.',
  },
  names: {
    user: (id) => `Kullanıcı ${id}`,
    guest: (id) => `Misafir ${id}`,
  },
  states: {
    active: 'Etkin',
    blocked: 'Engellendi',
    guest: 'Misafir',
    verified: 'Doğrulandı',
    unverified: 'Doğrulanmadı',
    twoFactor: 'İki adım',
    you: 'Siz',
  },
  devices: {
    on: (client, system) => `${client} (${system})`,
    unknown: 'Bilinmeyen cihaz',
  },
  impersonation: {
    title: 'Başka bir kullanıcı olarak işlem yapıyorsunuz',
    lead: (who) => [
      'Şu kullanıcı olarak işlem yapıyorsunuz: ',
      who,
      '. Siz bitirene kadar yönetim sayfaları kapalıdır.',
    ],
    stop: 'Kullanıcı olarak işlemi bitir',
  },
  done: {
    address: 'E-posta adresi değiştirildi.',
    blocked: 'Kullanıcı engellendi.',
    client_created: 'İstemci kaydedildi.',
    client_removed: 'İstemci kaldırıldı.',
    client_saved: 'İstemcideki değişiklikler kaydedildi.',
    created: 'Kullanıcı oluşturuldu.',
    deleted: 'Kullanıcı silindi.',
    impersonation_ended: 'Artık kullanıcı olarak işlem yapmıyorsunuz.',
    invited: 'Davet gönderildi.',
    invited_again: 'Bu adresin doğrulanmamış bir hesabı var. Bir davet daha gönderildi.',
    key_revoked: 'API anahtarı iptal edildi.',
    metadata: 'Meta veriler kaydedildi.',
    name: 'Ad ve resim kaydedildi.',
    password: 'Şifre ayarlandı.',
    removed_app: 'Kimlik doğrulama uygulaması kaldırıldı.',
    removed_from_org: 'Kullanıcı kuruluştan çıkarıldı.',
    removed_passkey: 'Geçiş anahtarı kaldırıldı.',
    roles: 'Roller kaydedildi.',
    secret_removed: 'Gizli anahtar kaldırıldı.',
    session_ended: 'Cihazın oturumu kapatıldı.',
    signed_out: 'Kullanıcının tüm oturumları kapatıldı.',
    token_revoked: 'Uygulama belirteci iptal edildi.',
    unblocked: 'Kullanıcının engeli kaldırıldı.',
    unlinked: 'Hesabın bağlantısı kesildi.',
    username: 'Kullanıcı adı kaydedildi.',
    verified: 'E-posta adresi doğrulandı.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
