/** Traditional Chinese, as in Taiwan: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const zhHant: MailTexts = {
  direction: 'ltr',
  betweenSentences: '',
  expires: (inTime) => `${inTime}失效。`,
  bothExpire: (inTime) => `兩者都會在 ${inTime}失效。`,
  linkAndCodeExpire: (link, code) => `連結會在 ${link}失效，驗證碼會在 ${code}失效。`,
  oneIsEnough: '你只需要使用其中一種。',
  ignore: '如果你沒有提出這項要求，可以忽略這封電子郵件。',
  keepSecret: '請勿將驗證碼告訴任何人。',
  notYouContactSupport: '如果這不是你本人的操作，請聯絡支援團隊。',
  notYouIgnore: '如果這不是你本人的操作，可以忽略這封電子郵件。',
  buttonFails: '如果按鈕無法使用，請開啟這個連結：',
  help: '需要協助嗎？',
  because: {
    signIn: ({ app }) => `你會收到這封電子郵件，是因為有人要求使用這個電子郵件地址登入 ${app}。`,
    address: ({ app }) => `你會收到這封電子郵件，是因為有人在 ${app} 輸入了這個電子郵件地址。`,
    account: ({ app }) => `你會收到這封電子郵件，是因為你擁有 ${app} 帳號。`,
    reset: ({ app }) => `你會收到這封電子郵件，是因為有人要求為你的 ${app} 帳號設定新密碼。`,
    invite: ({ app }) => `你會收到這封電子郵件，是因為有人邀請你加入 ${app}。`,
  },
  event: {
    time: '時間：',
    device: '裝置：',
    place: '地點：',
    on: (client, system) => `${system} 上的 ${client}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 登入驗證碼`,
    lead: ({ app }) => `請輸入這組驗證碼以登入 ${app}：`,
  },
  verification: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 驗證碼`,
    lead: ({ app }) => `請在 ${app} 輸入這組驗證碼，以驗證你的電子郵件地址：`,
  },
  existingAccount: {
    subject: ({ app }) => `你已有 ${app} 帳號`,
    lead: ({ app }) =>
      `有人使用這個電子郵件地址註冊 ${app}，但這個地址已有帳號。如果這是你本人的操作，請輸入這組驗證碼以登入該帳號。你的密碼並未變更。`,
    ignore: '如果這不是你本人的操作，請忽略這封電子郵件，並且不要將驗證碼告訴任何人。',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 兩步驟驗證碼`,
    lead: ({ app }) => `請輸入這組驗證碼，以完成登入 ${app}：`,
    ignore: '如果這不是你本人的操作，請勿將驗證碼告訴任何人。可能有人知道你的密碼，請變更密碼。',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `你的 ${app} 復原碼只剩兩組`,
    lead: ({ app }) =>
      `有人使用復原碼登入了你的 ${app} 帳號。復原碼只剩兩組。請在用完之前，在帳號中建立新的復原碼。`,
    ignore: '如果這不是你本人的操作，請在所有裝置上登出，並建立新的復原碼。',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 新電子郵件地址驗證碼`,
    lead: ({ app }) => `請在 ${app} 輸入這組驗證碼，將帳號的電子郵件地址變更為這個地址：`,
  },
  leavingAddress: {
    subject: ({ app }) => `請確認變更你的 ${app} 電子郵件地址`,
    lead: ({ app }) => `請在 ${app} 輸入這組驗證碼，將帳號從這個電子郵件地址移至新地址：`,
    ignore: '如果這不是你本人的操作，請勿將驗證碼告訴任何人。有其他人登入了你的帳號，請在所有裝置上登出。',
  },
  addressInUse: {
    subject: ({ app }) => `你已有 ${app} 帳號`,
    lead: ({ app }) =>
      `有人嘗試將這個電子郵件地址用於另一個 ${app} 帳號。這個地址已有帳號，因此未進行任何變更。請使用這個電子郵件地址登入，或為另一個帳號選擇其他地址。`,
  },
  addressChanged: {
    subject: ({ app }) => `你的 ${app} 帳號的電子郵件地址已變更`,
    lead: ({ app }) =>
      `你的 ${app} 帳號的電子郵件地址已變更。你無法再使用這個地址登入，你的其他裝置也已登出。`,
  },
  passwordChanged: {
    subject: ({ app }) => `你的 ${app} 帳號的密碼已變更`,
    lead: ({ app }) => `你的 ${app} 帳號的密碼已變更，你的其他裝置也已登出。`,
  },
  phoneAdded: {
    subject: ({ app }) => `你的 ${app} 帳號已新增手機號碼`,
    lead: ({ app, phone }) => `手機號碼 ${phone} 已新增至你的 ${app} 帳號。你可以使用這個號碼登入。`,
  },
  phoneRemoved: {
    subject: ({ app }) => `你的 ${app} 帳號已移除手機號碼`,
    lead: ({ app, phone }) => `手機號碼 ${phone} 已從你的 ${app} 帳號中移除。你無法再使用這個號碼登入。`,
  },
  changes: {
    endOfSentence: '。',
    passwordAdded: ({ app }) => `您的 ${app} 帳號已新增密碼`,
    passwordReset: ({ app }) => `您的 ${app} 帳號的密碼已重設`,
    passwordSet: ({ app }) => `管理員已變更您的 ${app} 帳號的密碼`,
    passkeyAdded: ({ app }) => `您的 ${app} 帳號已新增通行密鑰`,
    passkeyRemoved: ({ app }) => `您的 ${app} 帳號已移除通行密鑰`,
    twoFactorEnabled: ({ app }) => `您的 ${app} 帳號已開啟兩步驟驗證`,
    twoFactorDisabled: ({ app }) => `您的 ${app} 帳號已關閉兩步驟驗證`,
    appAdded: ({ app }) => `您的 ${app} 帳號已新增驗證器應用程式`,
    appRemoved: ({ app }) => `您的 ${app} 帳號已移除驗證器應用程式`,
    recoveryCodesReplaced: ({ app }) => `您的 ${app} 帳號已產生新的復原碼`,
    emailCodesEnabled: ({ app }) => `您的 ${app} 帳號已開啟電子郵件兩步驟驗證碼`,
    emailCodesDisabled: ({ app }) => `您的 ${app} 帳號已關閉電子郵件兩步驟驗證碼`,
    identityLinked: ({ app, about }) => `您的 ${app} 帳號已連結 ${about}`,
    identityUnlinked: ({ app, about }) => `您的 ${app} 帳號已移除 ${about}`,
    usernameChanged: ({ app }) => `您的 ${app} 帳號的使用者名稱已變更`,
    addressChanged: ({ app }) => `您的 ${app} 帳號現在使用此電子郵件地址`,
    apiKeyCreated: ({ app }) => `您的 ${app} 帳號已建立 API 金鑰`,
    browserTrusted: ({ app }) => `您的 ${app} 帳號已新增信任的瀏覽器`,
    newSignIn: ({ app }) => `您的 ${app} 帳號有新的登入`,
    newSignInLead: ({ app }) => `您的 ${app} 帳號已在新裝置上使用。`,
  },
  notMe: {
    advice: '如果不是您本人，請使用此連結登出所有裝置。此連結在 7 天內有效，只能使用一次。',
    button: '不是我本人',
    title: ({ app }) => `保護您的 ${app} 帳號`,
    lead: (email) => `這會登出所有以 ${email} 登入的裝置。`,
    submit: '登出所有裝置',
    ignore: '如果這是您本人的活動，請關閉此頁面。',
    doneTitle: '所有裝置均已登出',
    doneReset: (email) => `我們已傳送電子郵件至 ${email}。請開啟郵件以設定新密碼。`,
    doneSignIn: '請重新登入，並從您的帳號中移除您不認得的項目。',
    doneAddressChanged: '此電子郵件地址已不屬於該帳號。請聯絡支援團隊以復原帳號。',
    endedTitle: '此連結已失效',
    ended: '連結已過期或已使用。如需協助，請聯絡支援團隊。',
  },
  magicLink: {
    subject: ({ app }) => `登入 ${app}`,
    lead: ({ app }) => `請開啟這個連結以登入 ${app}。連結只能使用一次。`,
    leadWithCode: ({ app }) => `請開啟這個連結以登入 ${app}：`,
    orCode: '或在登入頁面輸入這組驗證碼：',
    button: '登入',
  },
  linkConfirmation: {
    title: ({ app }) => `登入 ${app}`,
    lead: (email) => `你即將登入的帳號是 ${email}。`,
    submit: '登入',
    ignore: '如果你沒有提出這項要求，請關閉這個頁面。',
  },
  passwordReset: {
    subject: ({ app }) => `設定 ${app} 的新密碼`,
    lead: ({ app }) => `請開啟這個連結，設定 ${app} 的新密碼。連結只能使用一次。`,
    leadWithCode: ({ app }) => `請在 ${app} 輸入這組驗證碼，以設定新密碼：`,
    leadWithBoth: ({ app }) => `請使用這個連結或下方的驗證碼，設定 ${app} 的新密碼。`,
    button: '設定新密碼',
  },
  userInvite: {
    subject: ({ app }) => `邀請你加入 ${app}`,
    lead: ({ app }) => `你已獲邀加入 ${app}。請開啟這個連結以設定帳號。連結只能使用一次。`,
    button: '接受邀請',
    ignore: '如果你不需要帳號，可以忽略這封電子郵件。',
  },
  signUpRefused: {
    subject: ({ app }) => `你無法使用這個電子郵件地址註冊 ${app}`,
    lead: ({ app }) =>
      `有人嘗試使用這個電子郵件地址登入 ${app}。這個地址沒有帳號，也無法用來建立新帳號。如果你已有帳號，請使用該帳號的電子郵件地址登入。`,
  },
  orgInvite: {
    subject: ({ app }) => `邀請你加入 ${app} 上的組織`,
    lead: ({ app }) => `請開啟這個連結，加入 ${app} 上的組織。連結只能使用一次。`,
    button: '接受邀請',
    ignore: '如果你不想加入，可以忽略這封電子郵件。',
  },
  textMessage: {
    code: ({ app, code }) => `${code} 是你的 ${app} 驗證碼。`,
  },
};
