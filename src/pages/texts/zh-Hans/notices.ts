/** Simplified Chinese: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: '你的会话已结束。请登录以继续。',
  signedOut: '你已退出登录。',
  signedInAgain: '你已重新登录。内容尚未保存。',
  otherAccount: (name) => `你当前登录的账号是 ${name}。未做任何更改。`,
  otherAccountUnnamed: '你当前登录的是另一个账号。未做任何更改。',
  linkExpired: '此链接已过期。请重新获取链接。',
  reclaimed: {
    title: '电子邮件地址已确认',
    lead: '此账号创建时未确认你的地址，可能由他人设置。因此，其密码和其他登录方式已被移除。',
  },
  invitedOnly: '仅限受邀用户注册',
  invitedOnlyLead: '如需创建账号，请打开邀请中的链接。',
  blocked: '无法登录',
  support: '联系支持团队',
  home: (product) => `返回 ${product}`,
  offline: '你已离线。请检查网络连接后重试。',
  unreachable: '无法连接到服务器。请稍后重试。',
  slow: '所需时间比平常更长。',
  impersonating: (product, user) => ['你正在以 ', user, ` 的身份查看 ${product}。`],
  impersonatingUnnamed: (product) => `你正在以其他用户的身份查看 ${product}。`,
  stopImpersonating: '结束',
  confirmLink: (email) => ['你将登录账号 ', email, '。'],
  confirmLinkIgnore: '如果你没有提出此请求，请关闭此页面。',
  confirmLinkOther: '使用其他方式登录',
};
