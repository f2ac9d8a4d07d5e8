/** Simplified Chinese: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const zhHans: AdminTexts = {
  direction: 'ltr',
  skip: '跳到内容',
  language: '语言',
  zone: (zone) => ['时间所用时区：', zone],
  error: '错误',
  optional: '选填',
  cancel: '取消',
  none: '无',
  never: '从未',
  nothingChanged: '未作任何更改',
  toApp: '返回应用',
  signedIn: '已登录',
  sections: {
    label: '主菜单',
    trail: '路径',
    overview: '概览',
    users: '用户',
    clients: '客户端',
    audit: '审计日志',
  },
  pager: {
    label: '列表的各页',
    first: '第一页',
    previous: '上一页',
    next: '下一页',
    empty: '列表的这一页为空。',
  },
  names: {
    user: (id) => `用户 ${id}`,
    guest: (id) => `访客 ${id}`,
  },
  states: {
    active: '正常',
    blocked: '已封禁',
    guest: '访客',
    verified: '已验证',
    unverified: '未验证',
    twoFactor: '两步验证',
    you: '你',
  },
  devices: {
    on: (client, system) => `${system} 上的 ${client}`,
    unknown: '未知设备',
  },
  impersonation: {
    title: '你正在以其他用户的身份操作',
    lead: (who) => ['你正在以 ', who, ' 的身份操作。在你停止之前，管理页面不可用。'],
    stop: '停止操作',
  },
  done: {
    address: '电子邮件地址已更改。',
    blocked: '用户已封禁。',
    client_created: '客户端已注册。',
    client_removed: '客户端已移除。',
    client_saved: '客户端已保存。',
    created: '用户已创建。',
    deleted: '用户已删除。',
    impersonation_ended: '已停止以该用户的身份操作。',
    invited: '邀请已发送。',
    invited_again: '此地址有一个未验证的账号。已再次发送邀请。',
    key_revoked: 'API 密钥已撤销。',
    metadata: '元数据已保存。',
    name: '姓名和头像已保存。',
    password: '密码已设置。',
    removed_app: '身份验证器应用已移除。',
    removed_from_org: '用户已从组织中移除。',
    removed_passkey: '通行密钥已移除。',
    roles: '角色已保存。',
    secret_removed: '客户端密码已移除。',
    session_ended: '设备已退出登录。',
    signed_out: '用户已在所有设备上退出登录。',
    token_revoked: '应用令牌已撤销。',
    unblocked: '用户已解封。',
    unlinked: '账号已取消关联。',
    username: '用户名已保存。',
    verified: '电子邮件地址已验证。',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
