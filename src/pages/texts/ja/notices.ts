/** Japanese: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'セッションが終了しました。続行するにはログインしてください。',
  signedOut: 'ログアウトしました。',
  signedInAgain: '再度ログインしました。変更はまだ保存されていません。',
  otherAccount: (name) => `現在 ${name} としてログインしています。変更は行われていません。`,
  otherAccountUnnamed: '現在、別のアカウントでログインしています。変更は行われていません。',
  linkExpired: 'このリンクの有効期限が切れています。新しいリンクをリクエストしてください。',
  reclaimed: {
    title: 'メールアドレスを確認しました',
    lead: 'このアカウントは、メールアドレスの確認前に作成されたもので、別の人が設定した可能性があります。そのため、パスワードとその他のログイン方法を削除しました。',
  },
  invitedOnly: 'アカウントの作成には招待が必要です',
  invitedOnlyLead: 'アカウントを作成するには、招待メールのリンクを開いてください。',
  blocked: 'ログインできません',
  support: 'サポートに問い合わせる',
  home: (product) => `${product} に戻る`,
  offline: 'オフラインです。接続を確認して、もう一度お試しください。',
  unreachable: 'サーバーに接続できません。しばらくしてからもう一度お試しください。',
  slow: '通常より時間がかかっています。',
  impersonating: (product, user) => [user, ` として ${product} を表示しています。`],
  impersonatingUnnamed: (product) => `別のユーザーとして ${product} を表示しています。`,
  stopImpersonating: '終了',
  confirmLink: (email) => [email, ' としてログインします。'],
  confirmLinkIgnore: 'お心当たりがない場合は、このページを閉じてください。',
  confirmLinkOther: '別の方法でログイン',
};
