/** Korean: refused requests and changes. */
import type { AdminTexts } from '../texts.js';

export const errors: AdminTexts['errors'] = {
  toUsers: '사용자 목록으로 돌아가기',
  toUser: '사용자로 돌아가기',
  signIn: '로그인',
  signInAgain: '다시 로그인',
  signOut: '로그아웃',
  signedInAs: (who) => [who, ' 계정으로 로그인했습니다.'],
  pages: {
    failed: {
      title: '문제가 발생했습니다',
      text: '페이지를 표시하지 못했습니다. 잠시 후 다시 시도하세요.',
    },
    notFound: {
      title: '페이지를 찾을 수 없습니다',
      text: '이 주소에는 페이지가 없습니다.',
    },
    formExpired: {
      title: '양식이 만료되었습니다',
      text: '이 양식을 연 뒤에 다시 로그인했습니다. 변경된 내용이 없습니다. 양식을 다시 여세요.',
    },
    noAccess: {
      title: '접근 권한 없음',
      text: '이 작업을 할 권한이 없는 계정입니다.',
    },
    signIn: {
      title: '로그인',
      text: '관리자로 로그인한 다음 이 페이지를 다시 여세요.',
    },
    confirm: {
      title: '본인 확인',
      text: '보안을 위해 변경하기 전에 다시 로그인하세요.',
    },
    userNotFound: {
      title: '사용자를 찾을 수 없습니다',
      text: '이 ID의 사용자가 없습니다. 삭제되었을 수 있습니다.',
    },
    invalid: {
      title: '잘못된 요청',
      text: '이 페이지의 주소나 양식이 올바르지 않습니다.',
    },
    notConfigured: {
      title: '사용할 수 없음',
      text: '애플리케이션에 이 기능이 설정되어 있지 않습니다.',
    },
    license: {
      title: '사용할 수 없음',
      text: '이 기능을 사용하려면 라이선스가 필요합니다.',
    },
    storage: {
      title: '사용할 수 없음',
      text: '저장소 어댑터가 이 기능을 지원하지 않습니다.',
    },
  },
  emailExists: '다른 사용자가 이 주소를 사용하고 있습니다.',
  weakPassword: '비밀번호가 너무 짧거나 흔하거나 주소를 포함하고 있습니다. 다른 비밀번호를 입력하세요.',
  email: '이메일 주소를 입력하세요(예: ada@example.com).',
  emailMissing: '이메일 주소를 입력하세요. 이 변경에 필요합니다.',
  name: '이름을 한 줄에 100자 이하로 입력하세요.',
  nameAddress: '이름에는 이메일 주소나 링크를 넣을 수 없습니다.',
  nameReserved: '예약된 이름입니다. 다른 이름을 입력하세요.',
  pictureSource: '이 주소의 사진은 사용할 수 없습니다.',
  usernameTaken: '다른 사용자가 이 사용자 이름을 사용하고 있습니다.',
  usernameInvalid:
    '한 가지 문자의 글자와 숫자를 1~32자로 입력하세요. 사이에 마침표, 하이픈, 밑줄을 하나씩 쓸 수 있습니다.',
  usernameReserved: '예약된 사용자 이름입니다. 다른 이름을 입력하세요.',
  guest: '게스트는 가입하면 주소를 갖게 됩니다.',
  outdated:
    '이 페이지를 연 뒤에 사용자가 변경되었습니다. 변경할 내용을 현재 값과 비교한 다음 다시 저장하세요.',
  lastMethod: '이것이 없으면 사용자가 더 이상 로그인할 수 없습니다.',
  metadata: '메타데이터는 예약된 키가 없는 8KB, 8단계 이하의 JSON 객체여야 합니다.',
  metadataObject: (example) => `메타데이터는 JSON 객체여야 합니다(예: ${example}).`,
  metadataSyntax: (line, column) => `올바른 JSON이 아닙니다. ${line}행 ${column}열을 확인하세요.`,
  roles:
    '역할을 20개 이하로 입력하세요. 각 역할은 1~64자의 소문자, 숫자 또는 . _ : - 이며 양 끝은 글자나 숫자여야 합니다.',
  role: '사용자에게 부여된 그대로 역할을 입력하세요(예: support).',
  filters: '조건이 올바르지 않습니다. 필터를 지우세요.',
  userId: '사용자의 ID를 입력하세요.',
  redirect:
    '주소를 한 줄에 하나씩 1~20개 입력하세요. 모두 https이거나, 모두 앱의 주소(자체 스킴 또는 이 컴퓨터의 http)여야 합니다.',
  uri: '주소를 입력하세요(예: https://partner.example/).',
  secretUnused: '이 클라이언트는 보안 비밀을 사용하지 않습니다. 기밀 클라이언트를 등록하세요.',
  secretLimit: '클라이언트에 보안 비밀이 두 개 있습니다. 먼저 하나를 삭제하세요.',
  secretLast: '클라이언트의 유일한 보안 비밀입니다. 먼저 다른 보안 비밀을 추가하세요.',
  until: '미래의 시각을 입력하세요.',
  untilMissing: '날짜와 시각을 입력하세요.',
  untilUnused: '‘날짜까지’를 선택하거나 차단 종료 시각을 지우세요.',
  duration: '기간을 선택하세요.',
  reason: '사유는 500자 이하여야 합니다.',
  passwordMissing: '비밀번호를 입력하세요.',
  phrase: '입력한 내용이 일치하지 않습니다.',
  incomplete: '양식이 완전하지 않습니다. 다시 여세요.',
  lastOwner: '조직의 마지막 소유자는 조직을 나갈 수 없습니다. 먼저 다른 구성원을 소유자로 지정하세요.',
  blocked: '차단된 사용자입니다.',
  notAllowed: '애플리케이션에서 이 사용자에게 허용하지 않는 작업입니다.',
  sendFailed: '이메일을 보내지 못했습니다. 잠시 후 다시 시도하세요.',
  notConfigured: '애플리케이션에 이 기능이 설정되어 있지 않습니다.',
  invalid: '변경이 거부되었습니다. 양식을 확인하고 다시 시도하세요.',
  tooMany: (inMinutes) => `시도 횟수가 너무 많습니다. ${inMinutes}분 후에 다시 시도하세요.`,
};
