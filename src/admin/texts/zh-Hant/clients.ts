/** Traditional Chinese: the clients of the OAuth server. */
import type { AdminTexts } from '../texts.js';

export const clients: AdminTexts['clients'] = {
  register: '註冊用戶端',
  count: (_n, shown) => `${shown} 個用戶端`,
  client: '用戶端',
  kind: '類型',
  returnsTo: '返回至',
  created: '建立時間',
  createdAt: (time) => ['建立時間：', time],
  none: '還沒有用戶端',
  noneLead: '用戶端是向使用者要求存取權的應用程式。在你註冊它們或它們自行註冊後，會顯示在這裡。',
  notFound: '找不到用戶端',
  notFoundLead: '它可能已移除或已過期。',
  kinds: {
    registered: '已註冊',
    dynamic: '自行註冊',
    document: '自有地址',
  },
  proofs: {
    none: '沒有用戶端密鑰',
    secret: '有用戶端密鑰',
    key: '有自己的金鑰',
  },
  kindAndProof: (kind, proof) => `${kind}，${proof}`,
  name: '姓名',
  nameHint: '用戶端要求存取權時，使用者會看到它。',
  id: '用戶端 ID',
  redirects: '重新導向地址',
  redirectsHint: (example) => `確切的地址，每行一個，例如 ${example}。`,
  page: '網頁',
  expires: '到期時間',
  change: '變更',
  remove: '移除',
  secret: '用戶端密鑰',
  secrets: '用戶端密鑰',
  newLead: '可以向使用者要求其帳號存取權的應用程式。',
  confidential: '它在伺服器上執行，並保管用戶端密鑰',
  confidentialHint: '用戶端密鑰只會顯示一次。應用程式、命令列和網頁不保管用戶端密鑰。',
  edit: {
    title: '變更用戶端',
    lead: '使用者授予的權限維持不變。',
    submit: '儲存用戶端',
  },
  shownSecret: {
    title: '用戶端密鑰',
    lead: '請立即複製用戶端密鑰。它不會再次顯示。',
    done: '完成',
  },
  addSecret: {
    title: '新增用戶端密鑰',
    lead: '在你移除其中一個之前，兩個用戶端密鑰都有效。',
  },
  removeSecret: {
    title: '移除用戶端密鑰',
    lead: '使用這個用戶端密鑰的程式會立即遭到拒絕。這個動作無法復原。',
  },
  removal: {
    title: '移除用戶端',
    summary: '使用者授予它的所有權限都會終止。',
    lead: '這個用戶端以及使用者授予它的所有權限會立即終止。這個動作無法復原。',
  },
};
