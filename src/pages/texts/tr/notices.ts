/** Turkish: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Oturumunuz sona erdi. Devam etmek için oturum açın.',
  signedOut: 'Oturumunuz kapatıldı.',
  signedInAgain: 'Yeniden oturum açtınız. Henüz hiçbir şey kaydedilmedi.',
  otherAccount: (name) => `Şu anda ${name} hesabıyla oturumunuz açık. Hiçbir şey değiştirilmedi.`,
  otherAccountUnnamed: 'Şu anda başka bir hesapla oturumunuz açık. Hiçbir şey değiştirilmedi.',
  linkExpired: 'Bu bağlantının süresi doldu. Yeni bir bağlantı isteyin.',
  reclaimed: {
    title: 'E-posta adresi doğrulandı',
    lead: 'Bu hesap, adresiniz doğrulanmadan, belki de başka biri tarafından oluşturulmuş. Şifresi ve diğer oturum açma yöntemleri kaldırıldı.',
  },
  invitedOnly: 'Kayıt yalnızca davetle yapılır',
  invitedOnlyLead: 'Hesap oluşturmak için davetinizdeki bağlantıyı açın.',
  blocked: 'Oturum açamazsınız',
  support: 'Destek ekibiyle iletişime geç',
  home: (product) => `${product} sayfasına dön`,
  offline: 'Çevrimdışısınız. Bağlantınızı kontrol edip tekrar deneyin.',
  unreachable: 'Sunucuya ulaşılamıyor. Biraz sonra tekrar deneyin.',
  slow: 'Bu işlem her zamankinden uzun sürüyor.',
  impersonating: (product, user) => [`${product} uygulamasını `, user, ' olarak görüntülüyorsunuz.'],
  impersonatingUnnamed: (product) => `${product} uygulamasını başka bir kullanıcı olarak görüntülüyorsunuz.`,
  stopImpersonating: 'Bitir',
  confirmLink: (email) => [email, ' olarak oturum açıyorsunuz.'],
  confirmLinkIgnore: 'Bu isteği siz yapmadıysanız bu sayfayı kapatın.',
  confirmLinkOther: 'Başka bir yolla oturum aç',
};
