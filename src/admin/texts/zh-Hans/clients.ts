/** Simplified Chinese: the clients of the OAuth server. */
import type { AdminTexts } from '../texts.js';

export const clients: AdminTexts['clients'] = {
  register: '注册客户端',
  count: (_n, shown) => `${shown} 个客户端`,
  client: '客户端',
  kind: '类型',
  returnsTo: '返回到',
  created: '创建时间',
  createdAt: (time) => ['创建时间：', time],
  none: '还没有客户端',
  noneLead: '客户端是向用户请求访问权限的应用程序。在你注册它们或它们自行注册后，会显示在这里。',
  notFound: '找不到客户端',
  notFoundLead: '它可能已被移除或已过期。',
  kinds: {
    registered: '已注册',
    dynamic: '自行注册',
    document: '自有地址',
  },
  proofs: {
    none: '没有客户端密码',
    secret: '有客户端密码',
    key: '有自己的密钥',
  },
  kindAndProof: (kind, proof) => `${kind}，${proof}`,
  name: '姓名',
  nameHint: '客户端请求访问权限时，用户会看到它。',
  id: '客户端 ID',
  redirects: '重定向地址',
  redirectsHint: (example) => `准确的地址，每行一个，例如 ${example}。`,
  page: '网页',
  expires: '到期时间',
  change: '更改',
  remove: '移除',
  secret: '客户端密码',
  secrets: '客户端密码',
  newLead: '可以向用户请求其账号访问权限的应用程序。',
  confidential: '它在服务器上运行，并保管客户端密码',
  confidentialHint: '客户端密码只显示一次。应用、命令行和网页不保管客户端密码。',
  edit: {
    title: '更改客户端',
    lead: '用户授予的权限保持不变。',
    submit: '保存客户端',
  },
  shownSecret: {
    title: '客户端密码',
    lead: '请立即复制客户端密码。它不会再次显示。',
    done: '完成',
  },
  addSecret: {
    title: '添加客户端密码',
    lead: '在你移除其中一个之前，两个客户端密码都有效。',
  },
  removeSecret: {
    title: '移除客户端密码',
    lead: '使用此客户端密码的程序将立即被拒绝。此操作无法撤销。',
  },
  removal: {
    title: '移除客户端',
    summary: '用户授予它的所有权限都将终止。',
    lead: '该客户端以及用户授予它的所有权限将立即终止。此操作无法撤销。',
  },
};
