/** Turkish: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('tr');

export const clients: AdminTexts['clients'] = {
  register: 'İstemci kaydet',
  count: (n, shown) => plural(n, { one: `${shown} istemci`, other: `${shown} istemci` }),
  client: 'İstemci',
  kind: 'Tür',
  returnsTo: 'Dönüş yeri',
  created: 'Oluşturulma',
  createdAt: (time) => ['Oluşturulma tarihi: ', time],
  none: 'Henüz istemci yok',
  noneLead:
    'İstemciler, kullanıcılardan erişim isteyen uygulamalardır. Siz kaydettiğinizde veya kendileri kaydolduğunda burada görünür.',
  notFound: 'İstemci bulunamadı',
  notFoundLead: 'Kaldırılmış veya süresi dolmuş olabilir.',
  kinds: {
    registered: 'Kaydedildi',
    dynamic: 'Kendisi kaydoldu',
    document: 'Kendi adresi',
  },
  proofs: {
    none: 'gizli anahtarsız',
    secret: 'gizli anahtarlı',
    key: 'kendi anahtarıyla',
  },
  kindAndProof: (kind, proof) => `${kind}, ${proof}`,
  name: 'Ad',
  nameHint: 'İstemci erişim istediğinde kullanıcılar bunu okur.',
  id: 'İstemci kimliği',
  redirects: 'Yönlendirme adresleri',
  redirectsHint: (example) => `Her satıra bir tam adres, örneğin ${example}.`,
  page: 'Sayfa',
  expires: 'Bitiş',
  change: 'Değiştir',
  remove: 'Kaldır',
  secret: 'Gizli anahtar',
  secrets: 'Gizli anahtarlar',
  newLead: 'Kullanıcılardan hesaplarına erişim isteyebilen bir uygulama.',
  confidential: 'Bir sunucuda çalışır ve gizli anahtar saklar',
  confidentialHint:
    'Gizli anahtar bir kez gösterilir. Uygulamalar, komut satırları ve sayfalar gizli anahtar saklamaz.',
  edit: {
    title: 'İstemciyi değiştir',
    lead: 'Kullanıcıların verdiği izinler geçerli kalır.',
    submit: 'İstemciyi kaydet',
  },
  shownSecret: {
    title: 'İstemcinin gizli anahtarı',
    lead: 'Gizli anahtarı şimdi kopyalayın. Bir daha gösterilmez.',
    done: 'Bitti',
  },
  addSecret: {
    title: 'Gizli anahtar ekle',
    lead: 'Birini kaldırana kadar iki gizli anahtar da kabul edilir.',
  },
  removeSecret: {
    title: 'Gizli anahtarı kaldır',
    lead: 'Bu gizli anahtarı kullanan programlar hemen reddedilir. Bu işlem geri alınamaz.',
  },
  removal: {
    title: 'İstemciyi kaldır',
    summary: 'Kullanıcıların verdiği tüm izinler sona erer.',
    lead: 'İstemci ve kullanıcıların verdiği tüm izinler hemen sona erer. Bu işlem geri alınamaz.',
  },
};
