/** Korean: the sentences of mails and text messages. */
import type { MailTexts } from './en.js';

export const ko: MailTexts = {
  direction: 'ltr',
  betweenSentences: ' ',
  expires: (inTime) => `${inTime} 만료됩니다.`,
  bothExpire: (inTime) => `둘 다 ${inTime} 만료됩니다.`,
  linkAndCodeExpire: (link, code) => `링크는 ${link}, 코드는 ${code} 만료됩니다.`,
  oneIsEnough: '둘 중 하나만 사용하면 됩니다.',
  ignore: '직접 요청하지 않았다면 이 이메일을 무시해도 됩니다.',
  keepSecret: '이 코드를 공유하지 마세요.',
  notYouContactSupport: '본인이 아니라면 고객지원에 문의하세요.',
  notYouIgnore: '본인이 아니라면 이 이메일을 무시해도 됩니다.',
  buttonFails: '버튼이 작동하지 않으면 다음 링크를 여세요.',
  help: '도움이 필요하신가요?',
  because: {
    signIn: ({ app }) => `이 이메일 주소로 ${app} 로그인 요청이 있어 이 이메일을 보내 드렸습니다.`,
    address: ({ app }) => `${app}에 이 이메일 주소가 입력되어 이 이메일을 보내 드렸습니다.`,
    account: ({ app }) => `${app} 계정이 있는 분께 이 이메일을 보내 드렸습니다.`,
    reset: ({ app }) => `${app} 계정의 새 비밀번호 설정 요청이 있어 이 이메일을 보내 드렸습니다.`,
    invite: ({ app }) => `${app}에 초대받은 분께 이 이메일을 보내 드렸습니다.`,
  },
  event: {
    time: '시간:',
    device: '기기:',
    place: '위치:',
    on: (client, system) => `${client}(${system})`,
  },
  signInCode: {
    subject: ({ app, code }) => `${app} 인증 코드: ${code}`,
    lead: ({ app }) => `${app}에 로그인하려면 다음 코드를 입력하세요.`,
  },
  verification: {
    subject: ({ app, code }) => `${app} 이메일 인증 코드: ${code}`,
    lead: ({ app }) => `이메일 주소를 인증하려면 ${app}에 다음 코드를 입력하세요.`,
  },
  existingAccount: {
    subject: ({ app }) => `이미 ${app} 계정이 있습니다`,
    lead: ({ app }) =>
      `이 이메일 주소로 ${app} 가입 시도가 있었지만, 이 주소로 만든 계정이 이미 있습니다. 본인이라면 다음 코드를 입력하여 로그인하세요. 비밀번호는 변경되지 않았습니다.`,
    ignore: '본인이 아니라면 이 이메일을 무시하고, 이 코드를 다른 사람과 공유하지 마세요.',
  },
  secondFactor: {
    subject: ({ app, code }) => `${app} 2단계 인증 코드: ${code}`,
    lead: ({ app }) => `${app} 로그인을 완료하려면 다음 코드를 입력하세요.`,
    ignore:
      '본인이 아니라면 이 코드를 다른 사람과 공유하지 마세요. 다른 사람이 비밀번호를 알고 있을 수 있으니 비밀번호를 변경하세요.',
  },
  recoveryCodesLow: {
    subject: ({ app }) => `${app} 복구 코드가 2개 남았습니다`,
    lead: ({ app }) =>
      `${app} 계정에 로그인하는 데 복구 코드가 사용되었습니다. 이제 2개 남았습니다. 필요할 때를 대비해 계정에서 새 코드를 만드세요.`,
    ignore: '본인이 아니라면 모든 기기에서 로그아웃하고 새 복구 코드를 만드세요.',
  },
  newAddress: {
    subject: ({ app, code }) => `${app} 새 이메일 주소 인증 코드: ${code}`,
    lead: ({ app }) => `계정의 이메일 주소를 이 주소로 변경하려면 ${app}에 다음 코드를 입력하세요.`,
  },
  leavingAddress: {
    subject: ({ app }) => `${app} 계정의 이메일 주소 변경을 확인하세요`,
    lead: ({ app }) =>
      `계정의 이메일 주소를 이 주소에서 새 주소로 변경하려면 ${app}에 다음 코드를 입력하세요.`,
    ignore:
      '본인이 아니라면 이 코드를 다른 사람과 공유하지 마세요. 다른 사람이 계정에 로그인되어 있습니다. 모든 기기에서 로그아웃하세요.',
  },
  addressInUse: {
    subject: ({ app }) => `이미 ${app} 계정이 있습니다`,
    lead: ({ app }) =>
      `다른 ${app} 계정에서 이 이메일 주소를 사용하려는 시도가 있었습니다. 이 주소로 만든 계정이 이미 있어 아무것도 변경되지 않았습니다. 이 이메일 주소로 로그인하거나, 다른 계정에는 다른 주소를 사용하세요.`,
  },
  addressChanged: {
    subject: ({ app }) => `${app} 계정의 이메일 주소가 변경되었습니다`,
    lead: ({ app }) =>
      `${app} 계정의 이메일 주소가 변경되었습니다. 이 주소로는 더 이상 로그인할 수 없으며, 다른 기기에서는 로그아웃되었습니다.`,
  },
  passwordChanged: {
    subject: ({ app }) => `${app} 계정의 비밀번호가 변경되었습니다`,
    lead: ({ app }) => `${app} 계정의 비밀번호가 변경되었으며, 다른 기기에서는 로그아웃되었습니다.`,
  },
  phoneAdded: {
    subject: ({ app }) => `${app} 계정에 전화번호가 추가되었습니다`,
    lead: ({ app, phone }) =>
      `${app} 계정에 전화번호(${phone})가 추가되었습니다. 이 번호로 로그인할 수 있습니다.`,
  },
  phoneRemoved: {
    subject: ({ app }) => `${app} 계정에서 전화번호가 삭제되었습니다`,
    lead: ({ app, phone }) =>
      `${app} 계정에서 전화번호(${phone})가 삭제되었습니다. 이 번호로는 더 이상 로그인할 수 없습니다.`,
  },
  changes: {
    endOfSentence: '.',
    passwordAdded: ({ app }) => `${app} 계정에 비밀번호가 추가되었습니다`,
    passwordReset: ({ app }) => `${app} 계정의 비밀번호가 재설정되었습니다`,
    passwordSet: ({ app }) => `관리자가 ${app} 계정의 비밀번호를 변경했습니다`,
    passkeyAdded: ({ app }) => `${app} 계정에 패스키가 추가되었습니다`,
    passkeyRemoved: ({ app }) => `${app} 계정에서 패스키가 삭제되었습니다`,
    twoFactorEnabled: ({ app }) => `${app} 계정의 2단계 인증이 켜졌습니다`,
    twoFactorDisabled: ({ app }) => `${app} 계정의 2단계 인증이 꺼졌습니다`,
    appAdded: ({ app }) => `${app} 계정에 인증 앱이 추가되었습니다`,
    appRemoved: ({ app }) => `${app} 계정에서 인증 앱이 삭제되었습니다`,
    recoveryCodesReplaced: ({ app }) => `${app} 계정의 새 복구 코드가 생성되었습니다`,
    emailCodesEnabled: ({ app }) => `${app} 계정에서 이메일 2단계 인증 코드가 켜졌습니다`,
    emailCodesDisabled: ({ app }) => `${app} 계정에서 이메일 2단계 인증 코드가 꺼졌습니다`,
    identityLinked: ({ app, about }) => `${app} 계정에 연결됨: ${about}`,
    identityUnlinked: ({ app, about }) => `${app} 계정에서 연결 해제됨: ${about}`,
    usernameChanged: ({ app }) => `${app} 계정의 사용자 이름이 변경되었습니다`,
    addressChanged: ({ app }) => `${app} 계정의 이메일 주소가 이 주소로 변경되었습니다`,
    apiKeyCreated: ({ app }) => `${app} 계정의 API 키가 생성되었습니다`,
    browserTrusted: ({ app }) => `${app} 계정에 신뢰할 수 있는 브라우저가 추가되었습니다`,
    newSignIn: ({ app }) => `${app} 계정에 새로운 로그인이 있습니다`,
    newSignInLead: ({ app }) => `새 기기에서 ${app} 계정이 사용되었습니다.`,
  },
  notMe: {
    advice: '본인이 아니라면 이 링크로 모든 기기에서 로그아웃하세요. 7일 동안 한 번만 사용할 수 있습니다.',
    button: '본인이 아닙니다',
    title: ({ app }) => `${app} 계정 보호`,
    lead: (email) => `${email} 계정으로 로그인한 모든 기기에서 로그아웃합니다.`,
    submit: '모든 기기에서 로그아웃',
    ignore: '본인의 활동이라면 이 페이지를 닫으세요.',
    doneTitle: '모든 기기에서 로그아웃했습니다',
    doneReset: (email) => `${email} 주소로 이메일을 보냈습니다. 이메일을 열어 새 비밀번호를 설정하세요.`,
    doneSignIn: '다시 로그인하고 계정에서 본인이 추가하지 않은 항목을 삭제하세요.',
    doneAddressChanged:
      '이 이메일 주소는 더 이상 이 계정의 주소가 아닙니다. 계정을 복구하려면 고객 지원팀에 문의하세요.',
    endedTitle: '이 링크는 더 이상 사용할 수 없습니다',
    ended: '만료되었거나 이미 사용된 링크입니다. 도움이 필요하면 고객 지원팀에 문의하세요.',
  },
  magicLink: {
    subject: ({ app }) => `${app} 로그인 링크`,
    lead: ({ app }) => `${app}에 로그인하려면 다음 링크를 여세요. 링크는 한 번만 사용할 수 있습니다.`,
    leadWithCode: ({ app }) => `${app}에 로그인하려면 다음 링크를 여세요.`,
    orCode: '또는 로그인 페이지에 다음 코드를 입력하세요.',
    button: '로그인',
  },
  linkConfirmation: {
    title: ({ app }) => `${app}에 로그인`,
    lead: (email) => `${email} 계정으로 로그인합니다.`,
    submit: '로그인',
    ignore: '직접 요청하지 않았다면 이 페이지를 닫으세요.',
  },
  passwordReset: {
    subject: ({ app }) => `${app} 비밀번호를 새로 설정하세요`,
    lead: ({ app }) =>
      `${app} 비밀번호를 새로 설정하려면 다음 링크를 여세요. 링크는 한 번만 사용할 수 있습니다.`,
    leadWithCode: ({ app }) => `비밀번호를 새로 설정하려면 ${app}에 다음 코드를 입력하세요.`,
    leadWithBoth: ({ app }) => `${app} 비밀번호를 새로 설정하려면 아래 링크나 코드를 사용하세요.`,
    button: '새 비밀번호 설정',
  },
  userInvite: {
    subject: ({ app }) => `${app}에 초대되었습니다`,
    lead: ({ app }) =>
      `${app}에 초대되었습니다. 다음 링크를 열어 계정을 설정하세요. 링크는 한 번만 사용할 수 있습니다.`,
    button: '초대 수락',
    ignore: '계정을 만들고 싶지 않다면 이 이메일을 무시해도 됩니다.',
  },
  signUpRefused: {
    subject: ({ app }) => `이 이메일 주소로는 ${app}에 가입할 수 없습니다`,
    lead: ({ app }) =>
      `이 이메일 주소로 ${app} 로그인 시도가 있었습니다. 이 주소로 만든 계정이 없으며, 새 계정도 만들 수 없습니다. 계정이 있다면 그 계정의 이메일 주소로 로그인하세요.`,
  },
  orgInvite: {
    subject: ({ app }) => `${app} 조직에 초대되었습니다`,
    lead: ({ app }) => `${app} 조직에 참여하려면 다음 링크를 여세요. 링크는 한 번만 사용할 수 있습니다.`,
    button: '초대 수락',
    ignore: '참여하고 싶지 않다면 이 이메일을 무시해도 됩니다.',
  },
  textMessage: {
    code: ({ app, code }) => `${app} 인증 코드는 ${code}입니다.`,
  },
};
