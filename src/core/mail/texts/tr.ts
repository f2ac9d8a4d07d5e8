/** Turkish: the sentences of mails and text messages. A name has no suffix: its form would depend on the name. */
import type { MailTexts } from './en.js';

export const tr: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `${inTime} geçersiz olur.`,
  bothExpire: (inTime) => `İkisi de ${inTime} geçersiz olur.`,
  linkAndCodeExpire: (link, code) => `Bağlantı ${link}, kod ${code} geçersiz olur.`,
  oneIsEnough: 'Yalnızca birini kullanmanız yeterlidir.',
  ignore: 'Bu isteği siz yapmadıysanız bu e-postayı yok sayabilirsiniz.',
  keepSecret: 'Bu kodu kimseyle paylaşmayın.',
  notYouContactSupport: 'Bu işlemi siz yapmadıysanız destek ekibiyle iletişime geçin.',
  notYouIgnore: 'Bu işlemi siz yapmadıysanız bu e-postayı yok sayabilirsiniz.',
  buttonFails: 'Düğme çalışmıyorsa bu bağlantıyı açın:',
  help: 'Yardıma mı ihtiyacınız var?',
  because: {
    signIn: ({ app }) =>
      `Bu e-postayı, birisi bu e-posta adresiyle ${app} oturumu açmak istediği için aldınız.`,
    address: ({ app }) => `Bu e-postayı, birisi ${app} üzerinde bu e-posta adresini girdiği için aldınız.`,
    account: ({ app }) => `Bu e-postayı, ${app} hesabınız olduğu için aldınız.`,
    reset: ({ app }) => `Bu e-postayı, birisi ${app} hesabınız için yeni bir şifre istediği için aldınız.`,
    invite: ({ app }) => `Bu e-postayı, birisi sizi ${app} hizmetine davet ettiği için aldınız.`,
  },
  event: {
    time: 'Zaman:',
    device: 'Cihaz:',
    place: 'Konum:',
    on: (client, system) => `${client} (${system})`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code}, ${app} oturum açma kodunuz`,
    lead: ({ app }) => `${app} oturumu açmak için bu kodu girin:`,
  },
  verification: {
    subject: ({ app, code }) => `${code}, ${app} doğrulama kodunuz`,
    lead: ({ app }) => `E-posta adresinizi doğrulamak için ${app} üzerinde bu kodu girin:`,
  },
  existingAccount: {
    subject: ({ app }) => `Zaten bir ${app} hesabınız var`,
    lead: ({ app }) =>
      `Birisi bu e-posta adresiyle ${app} hesabı oluşturmak istedi, ancak bu adrese ait bir hesap zaten var. Bu kişi sizseniz hesabınızda oturum açmak için bu kodu girin. Şifreniz değişmedi.`,
    ignore: 'Bu işlemi siz yapmadıysanız bu e-postayı yok sayın ve bu kodu kimseyle paylaşmayın.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code}, ${app} iki adımlı doğrulama kodunuz`,
    lead: ({ app }) => `${app} oturumunuzu açma işlemini tamamlamak için bu kodu girin:`,
    ignore:
      'Bu işlemi siz yapmadıysanız bu kodu kimseyle paylaşmayın. Başka biri hesabınızda oturum açmanın ilk adımını geçti. Şifrenizi değiştirin.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `${app} hesabınız için iki kurtarma kodunuz kaldı`,
    lead: ({ app }) =>
      `${app} hesabınızda bir kurtarma koduyla oturum açıldı. İki kodunuz kaldı. İhtiyaç duymadan önce hesabınızda yenilerini oluşturun.`,
    ignore: 'Bu işlemi siz yapmadıysanız tüm cihazlarda oturumu kapatın ve yeni kurtarma kodları oluşturun.',
  },
  newAddress: {
    subject: ({ app, code }) => `${code}, ${app} için yeni e-posta adresinizin kodu`,
    lead: ({ app }) => `Hesabınızda bu e-posta adresini kullanmak için ${app} üzerinde bu kodu girin:`,
  },
  leavingAddress: {
    subject: ({ app }) => `${app} hesabınızın yeni e-posta adresini onaylayın`,
    lead: ({ app }) =>
      `Hesabınızda bu e-posta adresi yerine yenisini kullanmak için ${app} üzerinde bu kodu girin:`,
    ignore:
      'Bu işlemi siz yapmadıysanız bu kodu kimseyle paylaşmayın. Başka biri hesabınızda oturum açtı. Tüm cihazlarda oturumu kapatın.',
  },
  addressInUse: {
    subject: ({ app }) => `Zaten bir ${app} hesabınız var`,
    lead: ({ app }) =>
      `Birisi bu e-posta adresini başka bir ${app} hesabı için kullanmaya çalıştı. Bu adrese ait bir hesap zaten olduğundan hiçbir şey değiştirilmedi. Bu e-posta adresiyle oturum açın veya diğer hesap için başka bir adres seçin.`,
  },
  addressChanged: {
    subject: ({ app }) => `${app} hesabınızın e-posta adresi değiştirildi`,
    lead: ({ app }) =>
      `${app} hesabınızın e-posta adresi değiştirildi. Artık bu adresle oturum açamazsınız. Diğer cihazlarınızda oturum kapatıldı.`,
  },
  passwordChanged: {
    subject: ({ app }) => `${app} hesabınızın şifresi değiştirildi`,
    lead: ({ app }) => `${app} hesabınızın şifresi değiştirildi. Diğer cihazlarınızda oturum kapatıldı.`,
  },
  phoneAdded: {
    subject: ({ app }) => `${app} hesabınıza bir telefon numarası eklendi`,
    lead: ({ app, phone }) =>
      `${phone} telefon numarası ${app} hesabınıza eklendi. Bu numarayla oturum açabilirsiniz.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `${app} hesabınızdan bir telefon numarası kaldırıldı`,
    lead: ({ app, phone }) =>
      `${phone} telefon numarası ${app} hesabınızdan kaldırıldı. Artık bu numarayla oturum açamazsınız.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `${app} hesabınıza bir şifre eklendi`,
    passwordReset: ({ app }) => `${app} hesabınızın şifresi sıfırlandı`,
    passwordSet: ({ app }) => `Bir yönetici ${app} hesabınızın şifresini değiştirdi`,
    passkeyAdded: ({ app }) => `${app} hesabınıza bir geçiş anahtarı eklendi`,
    passkeyRemoved: ({ app }) => `${app} hesabınızdan bir geçiş anahtarı kaldırıldı`,
    twoFactorEnabled: ({ app }) => `${app} hesabınız için iki adımlı doğrulama açıldı`,
    twoFactorDisabled: ({ app }) => `${app} hesabınız için iki adımlı doğrulama kapatıldı`,
    appAdded: ({ app }) => `${app} hesabınıza bir kimlik doğrulama uygulaması eklendi`,
    appRemoved: ({ app }) => `${app} hesabınızdan bir kimlik doğrulama uygulaması kaldırıldı`,
    recoveryCodesReplaced: ({ app }) => `${app} hesabınız için yeni kurtarma kodları oluşturuldu`,
    emailCodesEnabled: ({ app }) => `${app} hesabınız için e-posta ile ikinci adım kodları açıldı`,
    emailCodesDisabled: ({ app }) => `${app} hesabınız için e-posta ile ikinci adım kodları kapatıldı`,
    identityLinked: ({ app, about }) => `${about}, ${app} hesabınıza bağlandı`,
    identityUnlinked: ({ app, about }) => `${about}, ${app} hesabınızdan kaldırıldı`,
    usernameChanged: ({ app }) => `${app} hesabınızın kullanıcı adı değiştirildi`,
    addressChanged: ({ app }) => `${app} hesabınız artık bu e-posta adresini kullanıyor`,
    apiKeyCreated: ({ app }) => `${app} hesabınız için bir API anahtarı oluşturuldu`,
    browserTrusted: ({ app }) => `${app} hesabınıza güvenilir bir tarayıcı eklendi`,
    newSignIn: ({ app }) => `${app} hesabınızda yeni oturum açma`,
    newSignInLead: ({ app }) => `${app} hesabınız yeni bir cihazda kullanıldı.`,
  },
  notMe: {
    advice:
      'Bu siz değilseniz bu bağlantıyla tüm cihazlarda oturumu kapatın. Bağlantı yedi gün içinde bir kez çalışır.',
    button: 'Bu ben değildim',
    title: ({ app }) => `${app} hesabınızı koruyun`,
    lead: (email) => `Bu işlem, ${email} olarak oturum açmış tüm cihazlarda oturumu kapatır.`,
    submit: 'Tüm cihazlarda oturumu kapat',
    ignore: 'Bu etkinliği tanıyorsanız bu sayfayı kapatın.',
    doneTitle: 'Tüm cihazlarda oturum kapatıldı',
    doneReset: (email) =>
      `${email} adresine bir e-posta gönderdik. Yeni bir şifre seçmek için e-postayı açın.`,
    doneSignIn: 'Yeniden oturum açın ve tanımadığınız her şeyi hesabınızdan kaldırın.',
    doneAddressChanged:
      'Bu e-posta adresi artık hesaba ait değil. Hesabı kurtarmak için destek ekibiyle iletişime geçin.',
    endedTitle: 'Bu bağlantı artık çalışmıyor',
    ended:
      'Bağlantının süresi dolmuş veya bağlantı daha önce kullanılmış. Yardıma ihtiyacınız varsa destek ekibiyle iletişime geçin.',
  },
  magicLink: {
    subject: ({ app }) => `${app} hesabınızda oturum açın`,
    lead: ({ app }) => `${app} oturumu açmak için bu bağlantıyı açın. Bağlantı yalnızca bir kez çalışır.`,
    leadWithCode: ({ app }) => `${app} oturumu açmak için bu bağlantıyı açın:`,
    orCode: 'Ya da bu kodu, oturum açmak istediğiniz sayfada girin:',
    button: 'Oturum aç',
  },
  linkConfirmation: {
    title: ({ app }) => `${app} hesabınızda oturum açın`,
    lead: (email) => `${email} olarak oturum açıyorsunuz.`,
    submit: 'Oturum aç',
    ignore: 'Bu isteği siz yapmadıysanız bu sayfayı kapatın.',
  },
  passwordReset: {
    subject: ({ app }) => `${app} için yeni bir şifre belirleyin`,
    lead: ({ app }) =>
      `${app} için yeni bir şifre belirlemek üzere bu bağlantıyı açın. Bağlantı yalnızca bir kez çalışır.`,
    leadWithCode: ({ app }) => `Yeni bir şifre belirlemek için ${app} üzerinde bu kodu girin:`,
    leadWithBoth: ({ app }) =>
      `Yeni bir şifre belirlemek için bu bağlantıyı açın veya altındaki kodu ${app} üzerinde girin. Bağlantı ve kod yalnızca bir kez çalışır.`,
    button: 'Yeni şifre belirle',
  },
  userInvite: {
    subject: ({ app }) => `${app} hizmetine davet edildiniz`,
    lead: ({ app }) =>
      `${app} hizmetine davet edildiniz. Hesabınızı kurmak için bu bağlantıyı açın. Bağlantı yalnızca bir kez çalışır.`,
    button: 'Daveti kabul et',
    ignore: 'Hesap istemiyorsanız bu e-postayı yok sayabilirsiniz.',
  },
  signUpRefused: {
    subject: ({ app }) => `Bu e-posta adresiyle ${app} hesabı oluşturamazsınız`,
    lead: ({ app }) =>
      `Birisi bu e-posta adresiyle ${app} oturumu açmaya çalıştı. Bu adrese ait bir hesap yok ve bu adresle yeni hesap oluşturulamaz. Bir hesabınız varsa o hesabın e-posta adresiyle oturum açın.`,
  },
  orgInvite: {
    subject: ({ app }) => `${app} üzerinde bir kuruluşa davet edildiniz`,
    lead: ({ app }) =>
      `${app} üzerinde bir kuruluşa katılmak için bu bağlantıyı açın. Bağlantı yalnızca bir kez çalışır.`,
    button: 'Daveti kabul et',
    ignore: 'Katılmak istemiyorsanız bu e-postayı yok sayabilirsiniz.',
  },
  textMessage: {
    code: ({ app, code }) => `${app} kodunuz: ${code}`,
  },
};
