/** Simplified Chinese: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const zhHans: MailTexts = {
  direction: 'ltr',
  betweenSentences: '',
  expires: (inTime) => `${inTime}失效。`,
  bothExpire: (inTime) => `两者都将在 ${inTime}失效。`,
  linkAndCodeExpire: (link, code) => `链接将在 ${link}失效，验证码将在 ${code}失效。`,
  oneIsEnough: '你只需使用其中一种方式。',
  ignore: '如果你没有提出此请求，可以忽略这封邮件。',
  keepSecret: '请勿将此验证码告诉任何人。',
  notYouContactSupport: '如果这不是你本人的操作，请联系支持团队。',
  notYouIgnore: '如果这不是你本人的操作，可以忽略这封邮件。',
  buttonFails: '如果按钮无法使用，请打开此链接：',
  help: '需要帮助？',
  because: {
    signIn: ({ app }) => `你收到这封邮件，是因为有人请求使用此电子邮件地址登录 ${app}。`,
    address: ({ app }) => `你收到这封邮件，是因为有人在 ${app} 中填写了此电子邮件地址。`,
    account: ({ app }) => `你收到这封邮件，是因为你拥有 ${app} 账号。`,
    reset: ({ app }) => `你收到这封邮件，是因为有人请求为你的 ${app} 账号设置新密码。`,
    invite: ({ app }) => `你收到这封邮件，是因为有人邀请你加入 ${app}。`,
  },
  event: {
    time: '时间：',
    device: '设备：',
    place: '地点：',
    on: (client, system) => `${system} 上的 ${client}`,
  },
  signInCode: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 登录验证码`,
    lead: ({ app }) => `请输入此验证码以登录 ${app}：`,
  },
  verification: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 验证码`,
    lead: ({ app }) => `请在 ${app} 中输入此验证码，以验证你的电子邮件地址：`,
  },
  existingAccount: {
    subject: ({ app }) => `你已有 ${app} 账号`,
    lead: ({ app }) =>
      `有人使用此电子邮件地址注册 ${app}，但此地址已有账号。如果是你本人的操作，请输入此验证码以登录该账号。你的密码没有更改。`,
    ignore: '如果这不是你本人的操作，请忽略这封邮件，并且不要将此验证码告诉任何人。',
  },
  secondFactor: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 两步验证代码`,
    lead: ({ app }) => `请输入此验证码以完成 ${app} 的登录：`,
    ignore:
      '如果这不是你本人的操作，请勿将此验证码告诉任何人。有人已通过你账号登录的第一步。请更改你的密码。',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `你的 ${app} 恢复代码还剩两个`,
    lead: ({ app }) =>
      `有人使用恢复代码登录了你的 ${app} 账号。恢复代码还剩两个。请在用完之前，在账号中创建新代码。`,
    ignore: '如果这不是你本人的操作，请在所有设备上退出登录，并创建新的恢复代码。',
  },
  newAddress: {
    subject: ({ app, code }) => `${code} 是你的 ${app} 新电子邮件地址的验证码`,
    lead: ({ app }) => `请在 ${app} 中输入此验证码，以将账号的电子邮件地址更改为此地址：`,
  },
  leavingAddress: {
    subject: ({ app }) => `请确认你的 ${app} 账号的新电子邮件地址`,
    lead: ({ app }) => `请在 ${app} 中输入此验证码，以将账号的电子邮件地址从此地址更改为新地址：`,
    ignore: '如果这不是你本人的操作，请勿将此验证码告诉任何人。有人已登录你的账号。请在所有设备上退出登录。',
  },
  addressInUse: {
    subject: ({ app }) => `你已有 ${app} 账号`,
    lead: ({ app }) =>
      `有人试图将此电子邮件地址用于另一个 ${app} 账号。此地址已有账号，因此未作任何更改。请使用此电子邮件地址登录，或为另一个账号选择其他地址。`,
  },
  addressChanged: {
    subject: ({ app }) => `你的 ${app} 账号的电子邮件地址已更改`,
    lead: ({ app }) =>
      `你的 ${app} 账号的电子邮件地址已更改。你无法再使用此地址登录，你的其他设备已退出登录。`,
  },
  passwordChanged: {
    subject: ({ app }) => `你的 ${app} 账号的密码已更改`,
    lead: ({ app }) => `你的 ${app} 账号的密码已更改，你的其他设备已退出登录。`,
  },
  phoneAdded: {
    subject: ({ app }) => `你的 ${app} 账号已添加手机号码`,
    lead: ({ app, phone }) => `手机号码 ${phone} 已添加到你的 ${app} 账号。你可以使用它登录。`,
  },
  phoneRemoved: {
    subject: ({ app }) => `你的 ${app} 账号已移除手机号码`,
    lead: ({ app, phone }) => `手机号码 ${phone} 已从你的 ${app} 账号中移除。你无法再使用它登录。`,
  },
  changes: {
    endOfSentence: '。',
    passwordAdded: ({ app }) => `您的 ${app} 账号已添加密码`,
    passwordReset: ({ app }) => `您的 ${app} 账号的密码已重置`,
    passwordSet: ({ app }) => `管理员已更改您的 ${app} 账号的密码`,
    passkeyAdded: ({ app }) => `您的 ${app} 账号已添加通行密钥`,
    passkeyRemoved: ({ app }) => `您的 ${app} 账号已移除通行密钥`,
    twoFactorEnabled: ({ app }) => `您的 ${app} 账号已开启两步验证`,
    twoFactorDisabled: ({ app }) => `您的 ${app} 账号已关闭两步验证`,
    appAdded: ({ app }) => `您的 ${app} 账号已添加身份验证器应用`,
    appRemoved: ({ app }) => `您的 ${app} 账号已移除身份验证器应用`,
    recoveryCodesReplaced: ({ app }) => `您的 ${app} 账号已生成新的恢复代码`,
    emailCodesEnabled: ({ app }) => `您的 ${app} 账号已开启邮件两步验证码`,
    emailCodesDisabled: ({ app }) => `您的 ${app} 账号已关闭邮件两步验证码`,
    identityLinked: ({ app, about }) => `您的 ${app} 账号已关联 ${about}`,
    identityUnlinked: ({ app, about }) => `您的 ${app} 账号已移除 ${about}`,
    usernameChanged: ({ app }) => `您的 ${app} 账号的用户名已更改`,
    addressChanged: ({ app }) => `您的 ${app} 账号现在使用此邮箱地址`,
    apiKeyCreated: ({ app }) => `您的 ${app} 账号已创建 API 密钥`,
    browserTrusted: ({ app }) => `您的 ${app} 账号已添加受信任的浏览器`,
    newSignIn: ({ app }) => `您的 ${app} 账号有新的登录`,
    newSignInLead: ({ app }) => `您的 ${app} 账号已在新设备上使用。`,
  },
  notMe: {
    advice: '如果不是您本人操作，请使用此链接退出所有设备。该链接在 7 天内有效，只能使用一次。',
    button: '不是我本人',
    title: ({ app }) => `保护您的 ${app} 账号`,
    lead: (email) => `这将使所有以 ${email} 登录的设备退出登录。`,
    submit: '退出所有设备',
    ignore: '如果这是您本人的操作，请关闭此页面。',
    doneTitle: '所有设备均已退出登录',
    doneReset: (email) => `我们已向 ${email} 发送邮件。请打开邮件设置新密码。`,
    doneSignIn: '请重新登录，并从您的账号中移除您不认识的内容。',
    doneAddressChanged: '此邮箱地址不再属于该账号。请联系支持团队以恢复账号。',
    endedTitle: '此链接已失效',
    ended: '链接已过期或已被使用。如需帮助，请联系支持团队。',
  },
  magicLink: {
    subject: ({ app }) => `登录 ${app}`,
    lead: ({ app }) => `请打开此链接以登录 ${app}。链接只能使用一次。`,
    leadWithCode: ({ app }) => `请打开此链接以登录 ${app}：`,
    orCode: '或者，在你发起登录的页面输入此验证码：',
    button: '登录',
  },
  linkConfirmation: {
    title: ({ app }) => `登录 ${app}`,
    lead: (email) => `你将登录账号 ${email}。`,
    submit: '登录',
    ignore: '如果你没有提出此请求，请关闭此页面。',
  },
  passwordReset: {
    subject: ({ app }) => `设置 ${app} 的新密码`,
    lead: ({ app }) => `请打开此链接，为 ${app} 设置新密码。链接只能使用一次。`,
    leadWithCode: ({ app }) => `请在 ${app} 中输入此验证码，以设置新密码：`,
    leadWithBoth: ({ app }) =>
      `请打开此链接，为 ${app} 设置新密码，或在 ${app} 中输入下方的验证码。链接和验证码只能使用其中一个，且只能使用一次。`,
    button: '设置新密码',
  },
  userInvite: {
    subject: ({ app }) => `邀请你使用 ${app}`,
    lead: ({ app }) => `你已受邀使用 ${app}。请打开此链接，设置你的账号。链接只能使用一次。`,
    button: '接受邀请',
    ignore: '如果你不需要账号，可以忽略这封邮件。',
  },
  signUpRefused: {
    subject: ({ app }) => `你无法使用此电子邮件地址注册 ${app}`,
    lead: ({ app }) =>
      `有人试图使用此电子邮件地址登录 ${app}。此地址没有账号，也无法用来创建新账号。如果你已有账号，请使用该账号的电子邮件地址登录。`,
  },
  orgInvite: {
    subject: ({ app }) => `邀请你加入 ${app} 上的一个组织`,
    lead: ({ app }) => `请打开此链接，加入 ${app} 上的一个组织。链接只能使用一次。`,
    button: '接受邀请',
    ignore: '如果你不想加入，可以忽略这封邮件。',
  },
  textMessage: {
    code: ({ app, code }) => `${code} 是你的 ${app} 验证码。`,
  },
};
