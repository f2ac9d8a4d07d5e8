/** Traditional Chinese: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: '這是你自己的帳號。',
  email: '電子郵件地址',
  verified: '該地址已驗證',
  verifiedHint: '只有在你確知這位使用者會閱讀寄到這個地址的郵件時才勾選。',
  username: '使用者名稱',
  emptyHint: '留空表示沒有。',
  roles: '角色',
  rolesHint: (example) => `以空格或逗號分隔，例如：${example}。`,
  rolesEmptyHint: (example) => `以空格或逗號分隔，例如：${example}。留空表示沒有。`,
  metadata: '中繼資料',
  metadataJson: '中繼資料（JSON）',
  metadataHint: '不超過 8 KB 的 JSON 物件。',
  reasonLabel: '原因',
  signOut: {
    title: '在所有裝置上登出',
    lead: (name) => ['結束 ', name, ' 的所有工作階段和權杖。API 金鑰仍然有效。'],
    own: '這是你自己的帳號。你之後必須重新登入。',
  },
  impersonate: {
    title: '以使用者身分操作',
    lead: (name) => [
      '你將在應用程式中以 ',
      name,
      ' 的身分操作，最長 15 分鐘。如要停止，請使用帳號各頁面頂端的按鈕，或重新開啟管理頁面。',
    ],
    reasonHint: '與這次操作一併記錄，例如支援單的編號。',
  },
  delete: {
    title: '刪除使用者',
    lead: (name) => [
      '刪除 ',
      name,
      ' 及其所有工作階段、登入方式、API 金鑰和成員身分，以及你的應用程式保存的這位使用者的資料。這個動作無法復原。',
    ],
    confirm: (phrase) => `如要確認，請輸入「${phrase}」`,
  },
  block: {
    title: '封鎖使用者',
    lead: (name) => [name, ' 會在所有裝置上登出，封鎖期間無法登入。這位使用者的 API 金鑰會停止運作。'],
    own: '這是你自己的帳號。你會被登出，而且無法自行解除封鎖。',
    reasonHint: '供管理員查看。使用者永遠看不到。',
    duration: '時間長度',
    forever: '直到你解除封鎖這位使用者',
    hour: '1 小時',
    day: '1 天',
    week: '7 天',
    month: '30 天',
    date: '直到某個日期',
    until: (zone) => ['封鎖結束時間（', zone, '）'],
  },
  unblock: {
    title: '解除封鎖使用者',
    lead: (name) => [
      name,
      ' 可以重新登入，這位使用者的 API 金鑰也會恢復運作。因封鎖而結束的工作階段不會恢復。',
    ],
  },
  editMetadata: {
    title: '編輯中繼資料',
    lead: (name) => ['應用程式保存的 ', name, ' 相關資訊。'],
    hint: '不超過 8 KB 的 JSON 物件。它會取代全部中繼資料。',
    current: '目前的中繼資料',
    submit: '儲存中繼資料',
  },
  name: {
    title: '變更姓名',
    titleWithPicture: '變更姓名和大頭貼',
    lead: (name) => ['其他使用者看到的 ', name, ' 相關資訊。'],
    name: '姓名',
    picture: '圖片連結',
    pictureHint: (sources) => `必須以 ${sources} 開頭。留空表示沒有。`,
    submit: '儲存',
  },
  invite: {
    title: '邀請使用者',
    lead: '使用者會收到一封郵件，其中的連結在七天內可使用一次。開啟該連結即可驗證地址。',
    submit: '傳送邀請',
  },
  create: {
    title: '建立使用者',
    lead: '立即建立帳號，不傳送郵件。如果希望由使用者設定密碼，請改為邀請使用者。',
    password: '密碼',
  },
  address: {
    add: '新增電子郵件地址',
    change: '變更電子郵件地址',
    lead: '更換地址會結束這位使用者的所有工作階段，並使寄到舊地址的內容失效。',
    submit: '儲存地址',
  },
  verify: {
    title: '驗證電子郵件地址',
    lead: (address) => [
      '將 ',
      address,
      ' 標示為已驗證，不傳送郵件。只有在你確知這位使用者會閱讀寄到這個地址的郵件時才這麼做。',
    ],
    submit: '驗證地址',
  },
  changeUsername: {
    add: '新增使用者名稱',
    change: '變更使用者名稱',
    submit: '儲存使用者名稱',
  },
  changeRoles: {
    title: '變更角色',
    lead: (name) => [name, ' 在應用程式中的角色。'],
    own: '這是你自己的帳號。失去角色後，你可能無法再存取這些頁面。',
    submit: '儲存角色',
  },
  password: {
    replace: '取代密碼',
    set: '設定密碼',
    lead: (name) => ['讓 ', name, ' 在所有裝置上登出，並使未使用的驗證碼和連結失效。'],
    new: '新密碼',
  },
  removals: {
    gone: '這個項目已不存在：它已結束，或屬於其他使用者。',
    user: '使用者',
    session: {
      title: '登出裝置',
      term: '工作階段',
      effect: '裝置會在下一次要求時登出。',
    },
    token: {
      title: '撤銷應用程式權杖',
      term: '應用程式',
      effect: '應用程式會在下一次要求時登出。',
    },
    account: {
      title: '取消連結帳號',
      term: '帳號',
      effect: '使用者將無法再用它登入。',
    },
    passkey: {
      title: '移除通行密鑰',
      term: '通行密鑰',
      effect: '使用者將無法再用它登入。',
    },
    app: {
      title: '移除驗證器應用程式',
      term: '第二重驗證',
      effect: '使用者登入時不再需要第二重驗證，並會在所有裝置上登出。復原碼也會一併移除。',
    },
    organization: {
      title: '從組織移除',
      term: '組織',
      effect: '使用者將無法再存取該組織。可以再次邀請這位使用者。',
    },
    key: {
      title: '撤銷 API 金鑰',
      term: 'API 金鑰',
      effect: '使用這個金鑰的程式會立即遭到拒絕。這個動作無法復原。',
    },
  },
};
