/** Korean: the forms that change a user. */
import type { AdminTexts } from '../texts.js';

export const actions: AdminTexts['actions'] = {
  ownAccount: '본인의 계정입니다.',
  email: '이메일 주소',
  verified: '인증된 주소',
  verifiedHint: '이 사용자가 이 주소의 메일을 읽는다는 것을 아는 경우에만 선택하세요.',
  username: '사용자 이름',
  emptyHint: '없으면 비워 두세요.',
  roles: '역할',
  rolesHint: (example) => `공백이나 쉼표로 구분합니다(예: ${example}).`,
  rolesEmptyHint: (example) => `공백이나 쉼표로 구분합니다(예: ${example}). 없으면 비워 두세요.`,
  metadata: '메타데이터',
  metadataJson: '메타데이터(JSON)',
  metadataHint: '8KB 이하의 JSON 객체입니다.',
  reasonLabel: '사유',
  signOut: {
    title: '모든 기기에서 로그아웃',
    lead: (name) => [name, ' 사용자의 모든 세션과 토큰을 종료합니다. API 키는 계속 유효합니다.'],
    own: '본인의 계정입니다. 다시 로그인해야 합니다.',
  },
  impersonate: {
    title: '사용자로 작업',
    lead: (name) => [
      '애플리케이션에서 최대 15분 동안 ',
      name,
      ' 사용자로 작업합니다. 종료하려면 계정의 각 페이지 위에 있는 버튼을 사용하거나 관리 페이지를 다시 여세요.',
    ],
    reasonHint: '이 작업과 함께 기록됩니다(예: 지원 요청 번호).',
  },
  delete: {
    title: '사용자 삭제',
    lead: (name) => [
      name,
      ' 사용자를 모든 세션, 로그인 방법, API 키, 멤버십 및 애플리케이션이 보관하는 이 사용자의 데이터와 함께 삭제합니다. 이 작업은 취소할 수 없습니다.',
    ],
    confirm: (phrase) => `확인을 위해 다음을 입력하세요: ${phrase}`,
  },
  block: {
    title: '사용자 차단',
    lead: (name) => [
      name,
      ' 사용자는 모든 기기에서 로그아웃되며 차단된 동안 로그인할 수 없습니다. 이 사용자의 API 키는 작동하지 않습니다.',
    ],
    own: '본인의 계정입니다. 로그아웃되며 직접 차단을 해제할 수 없습니다.',
    reasonHint: '관리자용입니다. 사용자에게는 표시되지 않습니다.',
    duration: '기간',
    forever: '차단을 해제할 때까지',
    hour: '1시간',
    day: '1일',
    week: '7일',
    month: '30일',
    date: '날짜까지',
    until: (zone) => ['차단 종료(', zone, ')'],
  },
  unblock: {
    title: '사용자 차단 해제',
    lead: (name) => [
      name,
      ' 사용자가 다시 로그인할 수 있고 이 사용자의 API 키도 다시 작동합니다. 차단으로 종료된 세션은 복원되지 않습니다.',
    ],
  },
  editMetadata: {
    title: '메타데이터 편집',
    lead: (name) => ['애플리케이션이 ', name, ' 사용자에 관해 저장한 내용입니다.'],
    hint: '8KB 이하의 JSON 객체입니다. 메타데이터 전체를 대체합니다.',
    current: '현재 메타데이터',
    submit: '메타데이터 저장',
  },
  name: {
    title: '이름 변경',
    titleWithPicture: '이름 및 사진 변경',
    lead: (name) => ['다른 사용자에게 보이는 ', name, ' 사용자의 정보입니다.'],
    name: '이름',
    picture: '사진 링크',
    pictureHint: (sources) => `${sources}(으)로 시작해야 합니다. 없으면 비워 두세요.`,
    submit: '저장',
  },
  invite: {
    title: '사용자 초대',
    lead: '7일 동안 한 번 사용할 수 있는 링크가 담긴 메일을 사용자에게 보냅니다. 링크를 열면 주소가 인증됩니다.',
    submit: '초대 보내기',
  },
  create: {
    title: '사용자 만들기',
    lead: '계정을 바로 만들고 메일은 보내지 않습니다. 사용자가 직접 비밀번호를 정하게 하려면 초대하세요.',
    password: '비밀번호',
  },
  address: {
    add: '이메일 주소 추가',
    change: '이메일 주소 변경',
    lead: '주소를 바꾸면 사용자의 모든 세션이 종료되고 이전 주소로 보낸 것은 무효가 됩니다.',
    submit: '주소 저장',
  },
  verify: {
    title: '이메일 주소 인증',
    lead: (address) => [
      '메일을 보내지 않고 ',
      address,
      ' 주소를 인증된 것으로 표시합니다. 사용자가 이 주소의 메일을 읽는다는 것을 아는 경우에만 하세요.',
    ],
    submit: '주소 인증',
  },
  changeUsername: {
    add: '사용자 이름 추가',
    change: '사용자 이름 변경',
    submit: '사용자 이름 저장',
  },
  changeRoles: {
    title: '역할 변경',
    lead: (name) => ['애플리케이션에서 ', name, ' 사용자의 역할입니다.'],
    own: '본인의 계정입니다. 역할이 없으면 이 페이지에 접근하지 못할 수 있습니다.',
    submit: '역할 저장',
  },
  password: {
    replace: '비밀번호 바꾸기',
    set: '비밀번호 설정',
    lead: (name) => [name, ' 사용자를 모든 기기에서 로그아웃하고 대기 중인 코드와 링크를 취소합니다.'],
    new: '새 비밀번호',
  },
  removals: {
    gone: '더 이상 존재하지 않습니다. 이미 종료되었거나 다른 사용자의 것입니다.',
    user: '사용자',
    session: {
      title: '기기에서 로그아웃',
      term: '세션',
      effect: '기기는 다음 요청에서 로그아웃됩니다.',
    },
    token: {
      title: '앱 토큰 폐기',
      term: '앱',
      effect: '앱은 다음 요청에서 로그아웃됩니다.',
    },
    account: {
      title: '계정 연결 해제',
      term: '계정',
      effect: '사용자가 더 이상 이것으로 로그인할 수 없습니다.',
    },
    passkey: {
      title: '패스키 삭제',
      term: '패스키',
      effect: '사용자가 더 이상 이것으로 로그인할 수 없습니다.',
    },
    app: {
      title: '인증 앱 삭제',
      term: '2단계 요소',
      effect:
        '사용자는 2단계 요소 없이 로그인하게 되며 모든 기기에서 로그아웃됩니다. 복구 코드도 삭제됩니다.',
    },
    organization: {
      title: '조직에서 내보내기',
      term: '조직',
      effect: '사용자가 더 이상 조직에 접근할 수 없습니다. 다시 초대할 수 있습니다.',
    },
    key: {
      title: 'API 키 폐기',
      term: 'API 키',
      effect: '이 키를 사용하는 프로그램은 바로 거부됩니다. 이 작업은 취소할 수 없습니다.',
    },
  },
};
