/** Japanese: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const ja: MailTexts = {
  direction: 'ltr',
  betweenSentences: '',
  expires: (inTime) => `${inTime}に有効期限が切れます。`,
  bothExpire: (inTime) => `どちらも ${inTime}に有効期限が切れます。`,
  linkAndCodeExpire: (link, code) => `リンクは ${link}、確認コードは ${code}に有効期限が切れます。`,
  oneIsEnough: '必要なのはどちらか一方だけです。',
  ignore: 'お心当たりがない場合は、このメールを無視してください。',
  keepSecret: 'この確認コードを誰にも教えないでください。',
  notYouContactSupport: 'お心当たりがない場合は、サポートにお問い合わせください。',
  notYouIgnore: 'お心当たりがない場合は、このメールを無視してください。',
  buttonFails: 'ボタンが動作しない場合は、次のリンクを開いてください。',
  help: 'お困りですか？',
  because: {
    signIn: ({ app }) =>
      `このメールは、このメールアドレスで ${app} へのログインが要求されたため、お送りしています。`,
    address: ({ app }) => `このメールは、${app} でこのメールアドレスが入力されたため、お送りしています。`,
    account: ({ app }) => `このメールは、${app} のアカウントをお持ちの方にお送りしています。`,
    reset: ({ app }) =>
      `このメールは、${app} アカウントの新しいパスワードの設定が要求されたため、お送りしています。`,
    invite: ({ app }) => `このメールは、${app} に招待された方にお送りしています。`,
  },
  event: {
    time: '日時：',
    device: 'デバイス：',
    place: '場所：',
    on: (client, system) => `${client}（${system}）`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} は ${app} の確認コードです`,
    lead: ({ app }) => `${app} にログインするには、次の確認コードを入力してください。`,
  },
  verification: {
    subject: ({ app, code }) => `${code} は ${app} の確認コードです`,
    lead: ({ app }) => `メールアドレスを確認するため、${app} で次の確認コードを入力してください。`,
  },
  existingAccount: {
    subject: ({ app }) => `${app} のアカウントはすでに存在します`,
    lead: ({ app }) =>
      `このメールアドレスで ${app} への登録操作が行われましたが、このメールアドレスのアカウントはすでに存在します。ご自身による操作の場合は、次の確認コードを入力してログインしてください。パスワードは変更されていません。`,
    ignore: 'お心当たりがない場合は、このメールを無視し、確認コードを誰にも教えないでください。',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} は ${app} の 2 段階認証コードです`,
    lead: ({ app }) => `${app} へのログインを完了するには、次の確認コードを入力してください。`,
    ignore:
      'お心当たりがない場合は、この確認コードを誰にも教えないでください。第三者があなたのアカウントへのログインの最初の段階を通過しています。パスワードを変更してください。',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `${app} のリカバリーコードは残り 2 個です`,
    lead: ({ app }) =>
      `${app} アカウントへのログインにリカバリーコードが使用されました。残りは 2 個です。必要になる前に、アカウントで新しいコードを作成してください。`,
    ignore:
      'お心当たりがない場合は、すべてのデバイスからログアウトし、新しいリカバリーコードを作成してください。',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} は ${app} の新しいメールアドレスの確認コードです`,
    lead: ({ app }) =>
      `アカウントのメールアドレスをこのアドレスに変更するには、${app} で次の確認コードを入力してください。`,
  },
  leavingAddress: {
    subject: ({ app }) => `${app} アカウントの新しいメールアドレスを承認してください`,
    lead: ({ app }) =>
      `アカウントのメールアドレスをこのアドレスから新しいアドレスに変更するには、${app} で次の確認コードを入力してください。`,
    ignore:
      'お心当たりがない場合は、この確認コードを誰にも教えないでください。第三者があなたのアカウントにログインしています。すべてのデバイスからログアウトしてください。',
  },
  addressInUse: {
    subject: ({ app }) => `${app} のアカウントはすでに存在します`,
    lead: ({ app }) =>
      `${app} の別のアカウントでこのメールアドレスを使用しようとする操作がありました。このメールアドレスのアカウントはすでに存在するため、何も変更されていません。このメールアドレスでログインするか、別のアカウントには異なるメールアドレスを使用してください。`,
  },
  addressChanged: {
    subject: ({ app }) => `${app} アカウントのメールアドレスが変更されました`,
    lead: ({ app }) =>
      `${app} アカウントのメールアドレスが変更されました。このメールアドレスではログインできなくなり、ほかのデバイスからはログアウトしました。`,
  },
  passwordChanged: {
    subject: ({ app }) => `${app} アカウントのパスワードが変更されました`,
    lead: ({ app }) =>
      `${app} アカウントのパスワードが変更されました。ほかのデバイスからはログアウトしました。`,
  },
  phoneAdded: {
    subject: ({ app }) => `${app} アカウントに電話番号が追加されました`,
    lead: ({ app, phone }) =>
      `${app} アカウントに電話番号 ${phone} が追加されました。この電話番号でログインできます。`,
  },
  phoneRemoved: {
    subject: ({ app }) => `${app} アカウントから電話番号が削除されました`,
    lead: ({ app, phone }) =>
      `${app} アカウントから電話番号 ${phone} が削除されました。この電話番号ではログインできなくなりました。`,
  },
  changes: {
    endOfSentence: '。',
    passwordAdded: ({ app }) => `${app} のアカウントにパスワードが追加されました`,
    passwordReset: ({ app }) => `${app} のアカウントのパスワードがリセットされました`,
    passwordSet: ({ app }) => `管理者が ${app} のアカウントのパスワードを変更しました`,
    passkeyAdded: ({ app }) => `${app} のアカウントにパスキーが追加されました`,
    passkeyRemoved: ({ app }) => `${app} のアカウントからパスキーが削除されました`,
    twoFactorEnabled: ({ app }) => `${app} のアカウントで2 段階認証が有効になりました`,
    twoFactorDisabled: ({ app }) => `${app} のアカウントで2 段階認証が無効になりました`,
    appAdded: ({ app }) => `${app} のアカウントに認証アプリが追加されました`,
    appRemoved: ({ app }) => `${app} のアカウントから認証アプリが削除されました`,
    recoveryCodesReplaced: ({ app }) => `${app} のアカウントの新しいリカバリーコードが作成されました`,
    emailCodesEnabled: ({ app }) => `${app} のアカウントでメールによる2 段階認証コードが有効になりました`,
    emailCodesDisabled: ({ app }) => `${app} のアカウントでメールによる2 段階認証コードが無効になりました`,
    identityLinked: ({ app, about }) => `${about} が ${app} のアカウントに連携されました`,
    identityUnlinked: ({ app, about }) => `${about} が ${app} のアカウントから削除されました`,
    usernameChanged: ({ app }) => `${app} のアカウントのユーザー名が変更されました`,
    addressChanged: ({ app }) => `${app} のアカウントのメールアドレスがこのアドレスに変更されました`,
    apiKeyCreated: ({ app }) => `${app} のアカウントのAPIキーが作成されました`,
    browserTrusted: ({ app }) => `${app} のアカウントに信頼できるブラウザが追加されました`,
    newSignIn: ({ app }) => `${app} のアカウントへの新しいログイン`,
    newSignInLead: ({ app }) => `新しいデバイスで ${app} のアカウントが使用されました。`,
  },
  notMe: {
    advice:
      'お心当たりがない場合は、このリンクですべてのデバイスからログアウトしてください。7日以内に1回だけ使用できます。',
    button: '身に覚えがありません',
    title: ({ app }) => `${app} のアカウントを保護`,
    lead: (email) => `${email} としてログインしているすべてのデバイスからログアウトします。`,
    submit: 'すべてのデバイスからログアウト',
    ignore: 'お心当たりがある場合は、このページを閉じてください。',
    doneTitle: 'すべてのデバイスからログアウトしました',
    doneReset: (email) =>
      `${email} にメールを送信しました。メールを開いて新しいパスワードを設定してください。`,
    doneSignIn: 'もう一度ログインし、お心当たりのないものをアカウントから削除してください。',
    doneAddressChanged:
      'このメールアドレスは、現在このアカウントに登録されていません。アカウントを復旧するには、サポートにお問い合わせください。',
    endedTitle: 'このリンクは使用できません',
    ended: '有効期限が切れているか、すでに使用されています。お困りの場合は、サポートにお問い合わせください。',
  },
  magicLink: {
    subject: ({ app }) => `${app} にログイン`,
    lead: ({ app }) =>
      `${app} にログインするには、次のリンクを開いてください。リンクは 1 回だけ使用できます。`,
    leadWithCode: ({ app }) => `${app} にログインするには、次のリンクを開いてください。`,
    orCode: 'または、ログインを始めた画面で次の確認コードを入力してください。',
    button: 'ログイン',
  },
  linkConfirmation: {
    title: ({ app }) => `${app} にログイン`,
    lead: (email) => `${email} としてログインします。`,
    submit: 'ログイン',
    ignore: 'お心当たりがない場合は、このページを閉じてください。',
  },
  passwordReset: {
    subject: ({ app }) => `${app} の新しいパスワードを設定してください`,
    lead: ({ app }) =>
      `${app} の新しいパスワードを設定するには、次のリンクを開いてください。リンクは 1 回だけ使用できます。`,
    leadWithCode: ({ app }) => `新しいパスワードを設定するには、${app} で次の確認コードを入力してください。`,
    leadWithBoth: ({ app }) =>
      `${app} の新しいパスワードを設定するには、次のリンクを開くか、その下の確認コードを ${app} で入力してください。どちらか一方を 1 回だけ使用できます。`,
    button: '新しいパスワードを設定',
  },
  userInvite: {
    subject: ({ app }) => `${app} への招待`,
    lead: ({ app }) =>
      `${app} に招待されました。次のリンクを開いて、アカウントを設定してください。リンクは 1 回だけ使用できます。`,
    button: '招待を承諾',
    ignore: 'アカウントが不要な場合は、このメールを無視してください。',
  },
  signUpRefused: {
    subject: ({ app }) => `このメールアドレスでは ${app} に登録できません`,
    lead: ({ app }) =>
      `このメールアドレスで ${app} にログインしようとする操作がありました。このメールアドレスのアカウントは存在せず、新しく作成することもできません。アカウントをお持ちの場合は、そのアカウントのメールアドレスでログインしてください。`,
  },
  orgInvite: {
    subject: ({ app }) => `${app} の組織への招待`,
    lead: ({ app }) =>
      `${app} の組織に参加するには、次のリンクを開いてください。リンクは 1 回だけ使用できます。`,
    button: '招待を承諾',
    ignore: '参加しない場合は、このメールを無視してください。',
  },
  textMessage: {
    code: ({ app, code }) => `${code} は ${app} の確認コードです。`,
  },
};
