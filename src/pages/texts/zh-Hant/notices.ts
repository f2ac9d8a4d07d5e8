/** Traditional Chinese: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: '你的工作階段已結束。請登入以繼續。',
  signedOut: '你已登出。',
  signedInAgain: '你已重新登入。內容尚未儲存。',
  otherAccount: (name) => `你目前登入的帳號是 ${name}。未進行任何變更。`,
  otherAccountUnnamed: '你目前登入的是另一個帳號。未進行任何變更。',
  linkExpired: '這個連結已過期。請重新取得連結。',
  reclaimed: {
    title: '電子郵件地址已確認',
    lead: '這個帳號建立時未確認你的地址，可能是由他人設定。因此，其密碼和其他登入方式已移除。',
  },
  invitedOnly: '僅限受邀者註冊',
  invitedOnlyLead: '如要建立帳號，請開啟邀請中的連結。',
  blocked: '無法登入',
  support: '聯絡支援團隊',
  home: (product) => `返回 ${product}`,
  offline: '你目前處於離線狀態。請檢查網路連線後再試一次。',
  unreachable: '無法連線到伺服器。請稍後再試。',
  slow: '所需時間比平常更久。',
  impersonating: (product, user) => ['你正在以 ', user, ` 的身分檢視 ${product}。`],
  impersonatingUnnamed: (product) => `你正在以其他使用者的身分檢視 ${product}。`,
  stopImpersonating: '結束',
  confirmLink: (email) => ['你即將登入的帳號是 ', email, '。'],
  confirmLinkIgnore: '如果你沒有提出這項要求，請關閉這個頁面。',
  confirmLinkOther: '使用其他方式登入',
};
