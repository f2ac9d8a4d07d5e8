/** Traditional Chinese: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const zhHant: AdminTexts = {
  direction: 'ltr',
  skip: '跳到主要內容',
  language: '語言',
  zone: (zone) => ['時間所用時區：', zone],
  error: '錯誤',
  optional: '選填',
  cancel: '取消',
  none: '無',
  never: '從未',
  nothingChanged: '未做任何變更',
  toApp: '返回應用程式',
  signedIn: '已登入',
  sections: {
    label: '主選單',
    trail: '路徑',
    overview: '總覽',
    users: '使用者',
    clients: '用戶端',
    audit: '稽核記錄',
  },
  pager: {
    label: '清單的各頁',
    first: '第一頁',
    previous: '上一頁',
    next: '下一頁',
    empty: '清單的這一頁沒有內容。',
  },
  names: {
    user: (id) => `使用者 ${id}`,
    guest: (id) => `訪客 ${id}`,
  },
  states: {
    active: '正常',
    blocked: '已封鎖',
    guest: '訪客',
    verified: '已驗證',
    unverified: '未驗證',
    twoFactor: '兩步驟驗證',
    you: '你',
  },
  devices: {
    on: (client, system) => `${system} 上的 ${client}`,
    unknown: '不明裝置',
  },
  impersonation: {
    title: '你正在以其他使用者的身分操作',
    lead: (who) => ['你正在以 ', who, ' 的身分操作。在你停止之前，無法使用管理頁面。'],
    stop: '停止操作',
  },
  done: {
    address: '電子郵件地址已變更。',
    blocked: '使用者已封鎖。',
    client_created: '用戶端已註冊。',
    client_removed: '用戶端已移除。',
    client_saved: '用戶端已儲存。',
    created: '使用者已建立。',
    deleted: '使用者已刪除。',
    impersonation_ended: '已停止以該使用者的身分操作。',
    invited: '邀請已傳送。',
    invited_again: '這個地址有一個未驗證的帳號。已再次傳送邀請。',
    key_revoked: 'API 金鑰已撤銷。',
    metadata: '中繼資料已儲存。',
    name: '姓名和大頭貼已儲存。',
    password: '密碼已設定。',
    removed_app: '驗證器應用程式已移除。',
    removed_from_org: '使用者已從組織移除。',
    removed_passkey: '通行密鑰已移除。',
    roles: '角色已儲存。',
    secret_removed: '用戶端密鑰已移除。',
    session_ended: '裝置已登出。',
    signed_out: '使用者已在所有裝置上登出。',
    token_revoked: '應用程式權杖已撤銷。',
    unblocked: '使用者已解除封鎖。',
    unlinked: '已取消連結帳號。',
    username: '使用者名稱已儲存。',
    verified: '電子郵件地址已驗證。',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
