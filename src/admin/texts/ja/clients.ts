/** Japanese: the clients of the OAuth server. */
import type { AdminTexts } from '../texts.js';

export const clients: AdminTexts['clients'] = {
  register: 'クライアントを登録',
  count: (_n, shown) => `${shown} 件のクライアント`,
  client: 'クライアント',
  kind: '種類',
  returnsTo: '戻り先',
  created: '作成日',
  createdAt: (time) => ['作成日: ', time],
  none: 'クライアントはまだありません',
  noneLead:
    'クライアントは、ユーザーにアクセスを求めるアプリケーションです。登録するか、クライアントが自身を登録すると、ここに表示されます。',
  notFound: 'クライアントが見つかりません',
  notFoundLead: '削除されたか、有効期限が切れた可能性があります。',
  kinds: {
    registered: '登録済み',
    dynamic: '自己登録',
    document: '独自のアドレス',
  },
  proofs: {
    none: 'シークレットなし',
    secret: 'シークレットあり',
    key: '独自の鍵あり',
  },
  kindAndProof: (kind, proof) => `${kind}、${proof}`,
  name: '名前',
  nameHint: 'クライアントがアクセスを求めるときにユーザーに表示されます。',
  id: 'クライアント ID',
  redirects: 'リダイレクト先アドレス',
  redirectsHint: (example) => `正確なアドレスを 1 行に 1 つずつ入力します（例: ${example}）。`,
  page: 'ページ',
  expires: '有効期限',
  change: '変更',
  remove: '削除',
  secret: 'シークレット',
  secrets: 'シークレット',
  newLead: 'ユーザーのアカウントへのアクセスを求めることができるアプリケーションです。',
  confidential: 'サーバーで動作し、シークレットを保管する',
  confidentialHint:
    'シークレットは 1 回だけ表示されます。アプリ、コマンドライン、ウェブページは保管しません。',
  edit: {
    title: 'クライアントを変更',
    lead: 'ユーザーが許可した内容はそのままです。',
    submit: 'クライアントを保存',
  },
  shownSecret: {
    title: 'クライアントシークレット',
    lead: '今すぐシークレットをコピーしてください。再表示されません。',
    done: '完了',
  },
  addSecret: {
    title: 'シークレットを追加',
    lead: 'どちらかを削除するまで、両方のシークレットが使えます。',
  },
  removeSecret: {
    title: 'シークレットを削除',
    lead: 'このシークレットを使用するプログラムは直ちに拒否されます。この操作は取り消せません。',
  },
  removal: {
    title: 'クライアントを削除',
    summary: 'ユーザーが許可した内容はすべて無効になります。',
    lead: 'クライアントと、ユーザーが許可した内容はすべて直ちに無効になります。この操作は取り消せません。',
  },
};
