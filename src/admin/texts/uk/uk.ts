/** Ukrainian: the frame of the admin pages, and messages. */
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const uk: AdminTexts = {
  direction: 'ltr',
  skip: 'Перейти до вмісту',
  language: 'Мова',
  zone: (zone) => ['Час у часовому поясі ', zone],
  error: 'Помилка',
  optional: 'необов’язково',
  cancel: 'Скасувати',
  none: 'Немає',
  never: 'Ніколи',
  nothingChanged: 'Нічого не змінено',
  toApp: 'Повернутися до застосунку',
  signedIn: 'Вхід виконано',
  sections: {
    label: 'Головне меню',
    trail: 'Шлях',
    overview: 'Огляд',
    users: 'Користувачі',
    clients: 'Клієнти',
    audit: 'Журнал аудиту',
  },
  pager: {
    label: 'Сторінки списку',
    first: 'Перша сторінка',
    previous: 'Попередня сторінка',
    next: 'Наступна сторінка',
    empty: 'Ця сторінка списку порожня.',
  },
  names: {
    user: (id) => `Користувач ${id}`,
    guest: (id) => `Гість ${id}`,
  },
  states: {
    active: 'Активний',
    blocked: 'Заблоковано',
    guest: 'Гість',
    verified: 'Підтверджено',
    unverified: 'Не підтверджено',
    twoFactor: 'Два кроки',
    you: 'Ви',
  },
  devices: {
    on: (client, system) => `${client} на ${system}`,
    unknown: 'Невідомий пристрій',
  },
  impersonation: {
    title: 'Ви дієте від імені користувача',
    lead: (who) => ['Ви дієте від імені ', who, '. Сторінки адміністрування закрито, доки ви не завершите.'],
    stop: 'Завершити дії від імені користувача',
  },
  done: {
    address: 'Електронну адресу змінено.',
    blocked: 'Користувача заблоковано.',
    client_created: 'Клієнта зареєстровано.',
    client_removed: 'Клієнта вилучено.',
    client_saved: 'Клієнта збережено.',
    created: 'Користувача створено.',
    deleted: 'Користувача видалено.',
    impersonation_ended: 'Ви більше не дієте від імені користувача.',
    invited: 'Запрошення надіслано.',
    invited_again: 'Ця адреса має непідтверджений обліковий запис. Надіслано ще одне запрошення.',
    key_revoked: 'Ключ API відкликано.',
    metadata: 'Метадані збережено.',
    name: 'Ім’я та зображення збережено.',
    password: 'Пароль установлено.',
    removed_app: 'Застосунок для автентифікації вилучено.',
    removed_from_org: 'Користувача вилучено з організації.',
    removed_passkey: 'Ключ доступу вилучено.',
    roles: 'Ролі збережено.',
    secret_removed: 'Секрет вилучено.',
    session_ended: 'Сеанс на пристрої завершено.',
    signed_out: 'Усі сеанси користувача завершено.',
    token_revoked: 'Токен застосунку відкликано.',
    unblocked: 'Користувача розблоковано.',
    unlinked: 'Обліковий запис відключено.',
    username: 'Ім’я користувача збережено.',
    verified: 'Електронну адресу підтверджено.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
