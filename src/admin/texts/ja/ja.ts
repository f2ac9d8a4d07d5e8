/** Japanese: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const ja: AdminTexts = {
  direction: 'ltr',
  skip: '本文へ移動',
  language: '言語',
  zone: (zone) => ['時刻のタイムゾーン: ', zone],
  error: 'エラー',
  optional: '任意',
  cancel: 'キャンセル',
  none: 'なし',
  never: 'なし',
  nothingChanged: '何も変更されていません',
  toApp: 'アプリに戻る',
  signedIn: 'ログイン中',
  sections: {
    label: 'メインメニュー',
    trail: 'パンくずリスト',
    overview: '概要',
    users: 'ユーザー',
    clients: 'クライアント',
    audit: '監査ログ',
  },
  pager: {
    label: '一覧のページ',
    first: '最初のページ',
    previous: '前のページ',
    next: '次のページ',
    empty: '一覧のこのページには何もありません。',
  },
  names: {
    user: (id) => `ユーザー ${id}`,
    guest: (id) => `ゲスト ${id}`,
  },
  states: {
    active: '有効',
    blocked: 'ブロック中',
    guest: 'ゲスト',
    verified: '確認済み',
    unverified: '未確認',
    twoFactor: '2 段階認証',
    you: '自分',
  },
  devices: {
    on: (client, system) => `${client}（${system}）`,
    unknown: '不明なデバイス',
  },
  impersonation: {
    title: 'ユーザーとして操作しています',
    lead: (who) => [who, ' として操作しています。終了するまで管理ページは利用できません。'],
    stop: '操作を終了',
  },
  done: {
    address: 'メールアドレスを変更しました。',
    blocked: 'ユーザーをブロックしました。',
    client_created: 'クライアントを登録しました。',
    client_removed: 'クライアントを削除しました。',
    client_saved: 'クライアントを保存しました。',
    created: 'ユーザーを作成しました。',
    deleted: 'ユーザーを削除しました。',
    impersonation_ended: 'ユーザーとしての操作を終了しました。',
    invited: '招待を送信しました。',
    invited_again: 'このアドレスには未確認のアカウントがあります。招待を再送しました。',
    key_revoked: 'API キーを無効にしました。',
    metadata: 'メタデータを保存しました。',
    name: '名前と写真を保存しました。',
    password: 'パスワードを設定しました。',
    removed_app: '認証アプリを削除しました。',
    removed_from_org: 'ユーザーを組織から削除しました。',
    removed_passkey: 'パスキーを削除しました。',
    roles: '役割を保存しました。',
    secret_removed: 'シークレットを削除しました。',
    session_ended: 'デバイスからログアウトしました。',
    signed_out: 'ユーザーをすべてのデバイスからログアウトしました。',
    token_revoked: 'アプリのトークンを無効にしました。',
    unblocked: 'ブロックを解除しました。',
    unlinked: 'アカウントの連携を解除しました。',
    username: 'ユーザー名を保存しました。',
    verified: 'メールアドレスを確認済みにしました。',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
