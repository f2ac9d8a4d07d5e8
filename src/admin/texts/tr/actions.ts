/** Turkish: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'Bu sizin kendi hesabınız.',
  email: 'E-posta adresi',
  verified: 'Adres doğrulandı',
  verifiedHint: 'Yalnızca bu kullanıcının bu adrese gelen e-postaları okuduğunu biliyorsanız.',
  username: 'Kullanıcı adı',
  emptyHint: 'Olmaması için boş bırakın.',
  roles: 'Roller',
  rolesHint: (example) => `Boşluk veya virgülle ayrılır, örneğin: ${example}.`,
  rolesEmptyHint: (example) =>
    `Boşluk veya virgülle ayrılır, örneğin: ${example}. Olmaması için boş bırakın.`,
  metadata: 'Meta veriler',
  metadataJson: 'Meta veriler (JSON)',
  metadataHint: 'En fazla 8 KB boyutunda bir JSON nesnesi.',
  reasonLabel: 'Neden',
  signOut: {
    title: 'Her yerde oturumu kapat',
    lead: (name) => [
      'Şu kullanıcının tüm oturumlarını ve belirteçlerini sonlandırır: ',
      name,
      '. API anahtarları geçerli kalır.',
    ],
    own: 'Bu sizin kendi hesabınız. Yeniden oturum açmanız gerekecek.',
  },
  impersonate: {
    title: 'Kullanıcı olarak işlem yap',
    lead: (name) => [
      'Uygulamada en fazla 15 dakika boyunca şu kullanıcı olarak işlem yaparsınız: ',
      name,
      '. Bitirmek için hesabın her sayfasının üstündeki düğmeyi kullanın veya yönetim sayfalarını yeniden açın.',
    ],
    reasonHint: 'Bu işlemle birlikte kaydedilir, örneğin bir destek talebinin numarası.',
  },
  delete: {
    title: 'Kullanıcıyı sil',
    lead: (name) => [
      'Şu kullanıcıyı tüm oturumları, oturum açma yöntemleri, API anahtarları ve üyelikleriyle, ayrıca uygulamanızın bu kullanıcıyla ilgili sakladığı verilerle birlikte siler: ',
      name,
      '. Bu işlem geri alınamaz.',
    ],
    confirm: (phrase) => `Onaylamak için şunu yazın: ${phrase}`,
  },
  block: {
    title: 'Kullanıcıyı engelle',
    lead: (name) => [
      name,
      ' için tüm oturumlar kapatılır ve engel sürerken oturum açılamaz. Bu kullanıcının API anahtarları çalışmaz.',
    ],
    own: 'Bu sizin kendi hesabınız. Oturumunuz kapatılır ve engeli kendiniz kaldıramazsınız.',
    reasonHint: 'Yöneticiler içindir. Kullanıcı bunu hiçbir zaman görmez.',
    duration: 'Süre',
    forever: 'Engeli siz kaldırana kadar',
    hour: '1 saat',
    day: '1 gün',
    week: '7 gün',
    month: '30 gün',
    date: 'Bir tarihe kadar',
    until: (zone) => ['Engelin bitişi (', zone, ')'],
  },
  unblock: {
    title: 'Kullanıcının engelini kaldır',
    lead: (name) => [
      name,
      ' yeniden oturum açabilir ve bu kullanıcının API anahtarları yeniden çalışır. Engelin sonlandırdığı oturumlar kapalı kalır.',
    ],
  },
  editMetadata: {
    title: 'Meta verileri düzenle',
    lead: (name) => ['Uygulamanın şu kullanıcıyla ilgili sakladıkları: ', name, '.'],
    hint: 'En fazla 8 KB boyutunda bir JSON nesnesi. Meta verilerin tamamının yerine geçer.',
    current: 'Geçerli meta veriler',
    submit: 'Meta verileri kaydet',
  },
  name: {
    title: 'Adı değiştir',
    titleWithPicture: 'Adı ve resmi değiştir',
    lead: (name) => ['Diğer kullanıcıların şu kullanıcıyla ilgili gördükleri: ', name, '.'],
    name: 'Ad',
    picture: 'Resmin bağlantısı',
    pictureHint: (sources) => `${sources} ile başlamalıdır. Olmaması için boş bırakın.`,
    submit: 'Kaydet',
  },
  invite: {
    title: 'Kullanıcı davet et',
    lead: 'Kullanıcıya yedi gün boyunca bir kez çalışan bir bağlantı içeren e-posta gönderilir. Bağlantı açıldığında adres doğrulanır.',
    submit: 'Daveti gönder',
  },
  create: {
    title: 'Kullanıcı oluştur',
    lead: 'Hesabı hemen oluşturur ve e-posta göndermez. Şifreyi kullanıcının seçmesi için kullanıcıyı davet edin.',
    password: 'Şifre',
  },
  address: {
    add: 'E-posta adresi ekle',
    change: 'E-posta adresini değiştir',
    lead: 'Yeni bir adres, kullanıcının tüm oturumlarını sonlandırır ve eski adrese gönderilenleri geçersiz kılar.',
    submit: 'Adresi kaydet',
  },
  verify: {
    title: 'E-posta adresini doğrula',
    lead: (address) => [
      'Şu adresi e-posta göndermeden doğrulanmış olarak işaretler: ',
      address,
      '. Bunu yalnızca kullanıcının bu adrese gelen e-postaları okuduğunu biliyorsanız yapın.',
    ],
    submit: 'Adresi doğrula',
  },
  changeUsername: {
    add: 'Kullanıcı adı ekle',
    change: 'Kullanıcı adını değiştir',
    submit: 'Kullanıcı adını kaydet',
  },
  changeRoles: {
    title: 'Rolleri değiştir',
    lead: (name) => ['Şu kullanıcının uygulamadaki rolleri: ', name, '.'],
    own: 'Bu sizin kendi hesabınız. Rolünüz olmadan bu sayfalara erişiminizi kaybedebilirsiniz.',
    submit: 'Rolleri kaydet',
  },
  password: {
    replace: 'Şifreyi yenisiyle değiştir',
    set: 'Şifre ayarla',
    lead: (name) => [
      'Şu kullanıcının tüm oturumlarını kapatır, bekleyen kodları ve bağlantıları geçersiz kılar: ',
      name,
      '.',
    ],
    new: 'Yeni şifre',
  },
  removals: {
    gone: 'Bu artık yok: zaten sona erdi veya başka bir kullanıcıya ait.',
    user: 'Kullanıcı',
    session: {
      title: 'Cihazın oturumunu kapat',
      term: 'Oturum',
      effect: 'Cihazın oturumu bir sonraki isteğinde kapatılır.',
    },
    token: {
      title: 'Uygulama belirtecini iptal et',
      term: 'Uygulama',
      effect: 'Uygulamanın oturumu bir sonraki isteğinde kapatılır.',
    },
    account: {
      title: 'Hesabın bağlantısını kes',
      term: 'Hesap',
      effect: 'Kullanıcı artık bununla oturum açamaz.',
    },
    passkey: {
      title: 'Geçiş anahtarını kaldır',
      term: 'Geçiş anahtarı',
      effect: 'Kullanıcı artık bununla oturum açamaz.',
    },
    app: {
      title: 'Kimlik doğrulama uygulamasını kaldır',
      term: 'İkinci faktör',
      effect:
        'Kullanıcı ikinci faktör olmadan oturum açar ve tüm oturumları kapatılır. Kurtarma kodları da kaldırılır.',
    },
    organization: {
      title: 'Kuruluştan çıkar',
      term: 'Kuruluş',
      effect: 'Kullanıcı kuruluşa erişimini kaybeder. Kullanıcı yeniden davet edilebilir.',
    },
    key: {
      title: 'API anahtarını iptal et',
      term: 'API anahtarı',
      effect: 'Bu anahtarı kullanan programlar hemen reddedilir. Bu işlem geri alınamaz.',
    },
  },
};
