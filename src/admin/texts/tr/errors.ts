/** Turkish: refused requests and changes. */
import { pluralForms } from '../plural.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('tr');

export const errors: AdminTexts['errors'] = {
  toUsers: 'Kullanıcılara dön',
  toUser: 'Kullanıcıya dön',
  signIn: 'Oturum aç',
  signInAgain: 'Yeniden oturum aç',
  signOut: 'Oturumu kapat',
  signedInAs: (who) => ['Şu hesapla oturum açtınız: ', who, '.'],
  pages: {
    failed: {
      title: 'Bir sorun oluştu',
      text: 'Sayfa gösterilemedi. Birazdan tekrar deneyin.',
    },
    notFound: {
      title: 'Sayfa bulunamadı',
      text: 'Bu adreste bir sayfa yok.',
    },
    formExpired: {
      title: 'Bu formun süresi doldu',
      text: 'Bu form açıldıktan sonra yeniden oturum açtınız. Hiçbir şey değiştirilmedi. Formu yeniden açın.',
    },
    noAccess: {
      title: 'Erişim yok',
      text: 'Hesabınızın bunun için izni yok.',
    },
    signIn: {
      title: 'Oturum aç',
      text: 'Yönetici olarak oturum açın, ardından bu sayfayı yeniden açın.',
    },
    confirm: {
      title: 'Kimliğinizi onaylayın',
      text: 'Güvenliğiniz için, değişiklik yapmadan önce yeniden oturum açın.',
    },
    userNotFound: {
      title: 'Kullanıcı bulunamadı',
      text: 'Bu kimliğe sahip bir kullanıcı yok. Kullanıcı silinmiş olabilir.',
    },
    invalid: {
      title: 'Geçersiz istek',
      text: 'Bu sayfanın adresi veya formu geçersiz.',
    },
    notConfigured: {
      title: 'Kullanılamıyor',
      text: 'Uygulama bunun için yapılandırılmamış.',
    },
    license: {
      title: 'Kullanılamıyor',
      text: 'Bu özellik için lisans gerekir.',
    },
    storage: {
      title: 'Kullanılamıyor',
      text: 'Depolama bağdaştırıcısı bu özelliği desteklemiyor.',
    },
  },
  emailExists: 'Bu adresi başka bir kullanıcı kullanıyor.',
  weakPassword: 'Bu şifre çok kısa, çok yaygın veya adresi içeriyor. Başka bir şifre seçin.',
  email: 'Bir e-posta adresi girin, örneğin ada@example.com.',
  emailMissing: 'Bir e-posta adresi girin. Bu değişiklik için gereklidir.',
  name: 'Tek satırda en fazla 100 karakterlik bir ad girin.',
  nameAddress: 'Ad, e-posta adresi veya bağlantı içeremez.',
  nameReserved: 'Bu ad ayrılmıştır. Başka bir ad seçin.',
  pictureSource: 'Bu adresteki resimlere izin verilmiyor.',
  usernameTaken: 'Bu kullanıcı adını başka bir kullanıcı kullanıyor.',
  usernameInvalid:
    'Tek bir alfabeden 1 ile 32 arasında harf ve rakam kullanın. Aralarında tek nokta, kısa çizgi veya alt çizgi olabilir.',
  usernameReserved: 'Bu kullanıcı adı ayrılmıştır. Başka bir ad seçin.',
  guest: 'Misafirler kaydolduklarında bir adres edinir.',
  outdated:
    'Bu sayfa açıldıktan sonra kullanıcı değişti. Değişikliğinizi güncel değerlerle karşılaştırın, sonra yeniden kaydedin.',
  lastMethod: 'Kullanıcı bu olmadan artık oturum açamaz.',
  metadata:
    'Meta veriler en fazla 8 KB boyutunda, en fazla 8 düzeyli ve ayrılmış anahtar içermeyen bir JSON nesnesi olmalıdır.',
  metadataObject: (example) => `Meta veriler bir JSON nesnesi olmalıdır, örneğin ${example}.`,
  metadataSyntax: (line, column) =>
    `Bu geçerli bir JSON değil. Satır ${line}, sütun ${column} konumuna bakın.`,
  roles:
    'En fazla 20 rol girin. Her biri 1 ile 64 arasında küçük harf, rakam veya . _ : - içermeli, iki ucunda harf veya rakam olmalıdır.',
  role: 'Kullanıcılara verilen bir rol girin, örneğin support.',
  filters: 'Bu koşullar geçersiz. Filtreleri temizleyin.',
  userId: 'Bir kullanıcının kimliğini girin.',
  redirect:
    'Her satıra bir tane olmak üzere bir ile yirmi arasında adres girin: tümü https ile ya da tümü bir uygulamaya ait, kendi şemasıyla veya bu bilgisayar için http ile.',
  uri: 'Bir adres girin, örneğin https://partner.example/.',
  secretUnused: 'İstemci gizli anahtar kullanmıyor: gizli tutabilen bir istemci kaydedin.',
  secretLimit: 'İstemcinin iki gizli anahtarı var. Önce birini kaldırın.',
  secretLast: 'Bu, istemcinin tek gizli anahtarı. Önce başka bir tane ekleyin.',
  until: 'Gelecekte bir zaman girin.',
  untilMissing: 'Tarihi ve saati girin.',
  untilUnused: '“Bir tarihe kadar” seçeneğini seçin veya engelin bitişini temizleyin.',
  duration: 'Bir süre seçin.',
  reason: 'Neden en fazla 500 karakter olabilir.',
  passwordMissing: 'Bir şifre girin.',
  phrase: 'Girdiğiniz metin istenen metinle eşleşmiyor.',
  incomplete: 'Form eksik. Yeniden açın.',
  lastOwner: 'Bir kuruluşun son sahibi kuruluştan ayrılamaz. Önce başka bir üyeyi sahip yapın.',
  blocked: 'Bu kullanıcı engellendi.',
  notAllowed: 'Uygulama bu kullanıcı için buna izin vermiyor.',
  sendFailed: 'E-posta gönderilemedi. Birazdan tekrar deneyin.',
  notConfigured: 'Uygulama bunun için yapılandırılmamış.',
  invalid: 'Değişiklik reddedildi. Formu kontrol edip tekrar deneyin.',
  tooMany: (inMinutes) =>
    plural(inMinutes, {
      one: 'Çok fazla deneme yapıldı. Bir dakika sonra tekrar deneyin.',
      other: `Çok fazla deneme yapıldı. ${inMinutes} dakika sonra tekrar deneyin.`,
    }),
};
