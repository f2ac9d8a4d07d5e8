/** Ukrainian: what has happened in the meantime. */
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'Ваш сеанс завершився. Увійдіть, щоб продовжити.',
  signedOut: 'Ви вийшли з облікового запису.',
  signedInAgain: 'Ви знову ввійшли. Ще нічого не збережено.',
  otherAccount: (name) => `Тепер ви ввійшли як ${name}. Нічого не змінено.`,
  otherAccountUnnamed: 'Тепер ви ввійшли в інший обліковий запис. Нічого не змінено.',
  linkExpired: 'Це посилання застаріло. Отримайте нове.',
  reclaimed: {
    title: 'Електронну адресу підтверджено',
    lead: 'Цей обліковий запис створено без підтвердження вашої адреси, можливо, іншою людиною. Пароль та інші способи входу видалено.',
  },
  invitedOnly: 'Реєстрація лише за запрошенням',
  invitedOnlyLead: 'Щоб створити обліковий запис, відкрийте посилання із запрошення.',
  blocked: 'Ви не можете ввійти',
  support: 'Звернутися до служби підтримки',
  home: (product) => `Повернутися до сервісу ${product}`,
  offline: 'Немає з’єднання з інтернетом. Перевірте його та спробуйте ще раз.',
  unreachable: 'Не вдалося зв’язатися із сервером. Спробуйте ще раз трохи пізніше.',
  slow: 'Це триває довше, ніж зазвичай.',
  impersonating: (product, user) => [`Ви переглядаєте ${product} від імені користувача `, user, '.'],
  impersonatingUnnamed: (product) => `Ви переглядаєте ${product} від імені іншого користувача.`,
  stopImpersonating: 'Завершити',
  confirmLink: (email) => ['Ви входите як ', email, '.'],
  confirmLinkIgnore: 'Якщо ви цього не запитували, закрийте цю сторінку.',
  confirmLinkOther: 'Увійти іншим способом',
};
