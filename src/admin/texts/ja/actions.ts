/** Japanese: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: 'これはご自身のアカウントです。',
  email: 'メールアドレス',
  verified: 'アドレスは確認済み',
  verifiedHint: 'このユーザーがこのアドレスのメールを読んでいるとわかっている場合に限ります。',
  username: 'ユーザー名',
  emptyHint: 'なしにする場合は空欄にしてください。',
  roles: '役割',
  rolesHint: (example) => `スペースまたはコンマで区切ります（例: ${example}）。`,
  rolesEmptyHint: (example) =>
    `スペースまたはコンマで区切ります（例: ${example}）。なしにする場合は空欄にしてください。`,
  metadata: 'メタデータ',
  metadataJson: 'メタデータ（JSON）',
  metadataHint: '8 KB 以内の JSON オブジェクト。',
  reasonLabel: '理由',
  signOut: {
    title: 'すべてのデバイスからログアウト',
    lead: (name) => [name, ' のすべてのセッションとトークンを終了します。API キーは有効なままです。'],
    own: 'これはご自身のアカウントです。再度ログインが必要になります。',
  },
  impersonate: {
    title: 'ユーザーとして操作',
    lead: (name) => [
      'アプリケーションで最長 15 分間、',
      name,
      ' として操作します。終了するには、アカウントの各ページの上にあるボタンを使うか、管理ページをもう一度開いてください。',
    ],
    reasonHint: 'この操作とともに記録されます（例: サポート依頼の番号）。',
  },
  delete: {
    title: 'ユーザーを削除',
    lead: (name) => [
      name,
      ' を、すべてのセッション、ログイン方法、API キー、メンバーシップ、およびアプリケーションが保存しているこのユーザーのデータとともに削除します。この操作は取り消せません。',
    ],
    confirm: (phrase) => `確認のため、「${phrase}」と入力してください`,
  },
  block: {
    title: 'ユーザーをブロック',
    lead: (name) => [
      name,
      ' はすべてのデバイスからログアウトされ、ブロック中はログインできません。このユーザーの API キーは使えなくなります。',
    ],
    own: 'これはご自身のアカウントです。ログアウトされ、ご自身ではブロックを解除できません。',
    reasonHint: '管理者用です。ユーザーには表示されません。',
    duration: '期間',
    forever: 'ブロックを解除するまで',
    hour: '1 時間',
    day: '1 日',
    week: '7 日',
    month: '30 日',
    date: '日時を指定',
    until: (zone) => ['ブロックの終了（', zone, '）'],
  },
  unblock: {
    title: 'ブロックを解除',
    lead: (name) => [
      name,
      ' は再びログインできるようになり、このユーザーの API キーも再び使えるようになります。ブロックで終了したセッションは元に戻りません。',
    ],
  },
  editMetadata: {
    title: 'メタデータを編集',
    lead: (name) => ['アプリケーションが ', name, ' について保存している内容です。'],
    hint: '8 KB 以内の JSON オブジェクト。メタデータ全体を置き換えます。',
    current: '現在のメタデータ',
    submit: 'メタデータを保存',
  },
  name: {
    title: '名前を変更',
    titleWithPicture: '名前と写真を変更',
    lead: (name) => ['ほかのユーザーに表示される ', name, ' の情報です。'],
    name: '名前',
    picture: '画像へのリンク',
    pictureHint: (sources) => `${sources} で始まる必要があります。なしにする場合は空欄にしてください。`,
    submit: '保存',
  },
  invite: {
    title: 'ユーザーを招待',
    lead: '7 日間、1 回だけ使えるリンクをユーザーにメールで送ります。開くとアドレスが確認されます。',
    submit: '招待を送信',
  },
  create: {
    title: 'ユーザーを作成',
    lead: 'アカウントを直ちに作成し、メールは送信しません。ユーザーがパスワードを決められるようにするには、招待してください。',
    password: 'パスワード',
  },
  address: {
    add: 'メールアドレスを追加',
    change: 'メールアドレスを変更',
    lead: 'アドレスを変更すると、ユーザーのすべてのセッションが終了し、以前のアドレスに送信したものは無効になります。',
    submit: 'アドレスを保存',
  },
  verify: {
    title: 'メールアドレスを確認済みにする',
    lead: (address) => [
      'メールを送らずに ',
      address,
      ' を確認済みにします。ユーザーがこのアドレスのメールを読んでいるとわかっている場合に限ってください。',
    ],
    submit: 'アドレスを確認済みにする',
  },
  changeUsername: {
    add: 'ユーザー名を追加',
    change: 'ユーザー名を変更',
    submit: 'ユーザー名を保存',
  },
  changeRoles: {
    title: '役割を変更',
    lead: (name) => ['アプリケーションでの ', name, ' の役割です。'],
    own: 'これはご自身のアカウントです。役割がなくなると、これらのページにアクセスできなくなることがあります。',
    submit: '役割を保存',
  },
  password: {
    replace: 'パスワードを再設定',
    set: 'パスワードを設定',
    lead: (name) => [name, ' をすべてのデバイスからログアウトし、未使用のコードとリンクを無効にします。'],
    new: '新しいパスワード',
  },
  removals: {
    gone: 'もう存在しません。すでに終了したか、別のユーザーのものです。',
    user: 'ユーザー',
    session: {
      title: 'デバイスからログアウト',
      term: 'セッション',
      effect: 'デバイスは次のリクエストでログアウトされます。',
    },
    token: {
      title: 'アプリのトークンを無効にする',
      term: 'アプリ',
      effect: 'アプリは次のリクエストでログアウトされます。',
    },
    account: {
      title: 'アカウントの連携を解除',
      term: 'アカウント',
      effect: 'ユーザーはこの方法でログインできなくなります。',
    },
    passkey: {
      title: 'パスキーを削除',
      term: 'パスキー',
      effect: 'ユーザーはこの方法でログインできなくなります。',
    },
    app: {
      title: '認証アプリを削除',
      term: '第 2 要素',
      effect:
        'ユーザーは第 2 要素なしでログインするようになり、すべてのデバイスからログアウトされます。リカバリーコードも削除されます。',
    },
    organization: {
      title: '組織から削除',
      term: '組織',
      effect: 'ユーザーは組織にアクセスできなくなります。再び招待できます。',
    },
    key: {
      title: 'API キーを無効にする',
      term: 'API キー',
      effect: 'このキーを使用するプログラムは直ちに拒否されます。この操作は取り消せません。',
    },
  },
};
