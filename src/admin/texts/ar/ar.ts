/** Arabic: the frame of the admin pages, and messages. */
import { isolated } from '../isolated.js';
import type { AdminTexts } from '../texts.js';
import { errors } from './errors.js';
import { users } from './users.js';
import { actions } from './actions.js';
import { clients } from './clients.js';
import { operations } from './operations.js';
import { reports } from './reports.js';

export const ar: AdminTexts = {
  direction: 'rtl',
  skip: 'التخطي إلى المحتوى',
  language: 'اللغة',
  zone: (zone) => ['الأوقات بالمنطقة الزمنية ', zone],
  error: 'خطأ',
  optional: 'اختياري',
  cancel: 'إلغاء',
  none: 'لا يوجد',
  never: 'أبدًا',
  nothingChanged: 'لم يتغيّر شيء',
  toApp: 'العودة إلى التطبيق',
  signedIn: 'تم تسجيل الدخول',
  sections: {
    label: 'القائمة الرئيسية',
    trail: 'مسار التنقل',
    overview: 'نظرة عامة',
    users: 'المستخدمون',
    clients: 'العملاء',
    audit: 'سجل التدقيق',
  },
  pager: {
    label: 'صفحات القائمة',
    first: 'الصفحة الأولى',
    previous: 'الصفحة السابقة',
    next: 'الصفحة التالية',
    empty: 'صفحة القائمة هذه فارغة.',
  },
  names: {
    user: (id) => `المستخدم ${isolated(id)}`,
    guest: (id) => `الضيف ${isolated(id)}`,
  },
  states: {
    active: 'نشط',
    blocked: 'محظور',
    guest: 'ضيف',
    verified: 'مؤكّد',
    unverified: 'غير مؤكّد',
    twoFactor: 'بخطوتين',
    you: 'أنت',
  },
  devices: {
    on: (client, system) => `\u200f${isolated(client)} على ${isolated(system)}`,
    unknown: 'جهاز غير معروف',
  },
  impersonation: {
    title: 'أنت تتصرف باسم مستخدم آخر',
    lead: (who) => ['أنت تتصرف باسم ', who, '. صفحات الإدارة مغلقة إلى أن تتوقف.'],
    stop: 'إيقاف التصرف باسم المستخدم',
  },
  done: {
    address: 'تم تغيير عنوان البريد الإلكتروني.',
    blocked: 'تم حظر المستخدم.',
    client_created: 'تم تسجيل العميل.',
    client_removed: 'تمت إزالة العميل.',
    client_saved: 'تم حفظ العميل.',
    created: 'تم إنشاء المستخدم.',
    deleted: 'تم حذف المستخدم.',
    impersonation_ended: 'لم تعد تتصرف باسم المستخدم.',
    invited: 'تم إرسال الدعوة.',
    invited_again: 'لهذا العنوان حساب غير مؤكّد. تم إرسال دعوة أخرى.',
    key_revoked: 'تم إبطال مفتاح API.',
    metadata: 'تم حفظ البيانات الوصفية.',
    name: 'تم حفظ الاسم والصورة.',
    password: 'تم تعيين كلمة المرور.',
    removed_app: 'تمت إزالة تطبيق المصادقة.',
    removed_from_org: 'تمت إزالة المستخدم من المؤسسة.',
    removed_passkey: 'تمت إزالة مفتاح المرور.',
    roles: 'تم حفظ الأدوار.',
    secret_removed: 'تمت إزالة السر.',
    session_ended: 'تم تسجيل الخروج من الجهاز.',
    signed_out: 'تم تسجيل خروج المستخدم من جميع الأجهزة.',
    token_revoked: 'تم إبطال رمز وصول التطبيق.',
    unblocked: 'تم رفع الحظر عن المستخدم.',
    unlinked: 'تم إلغاء ربط الحساب.',
    username: 'تم حفظ اسم المستخدم.',
    verified: 'تم تأكيد عنوان البريد الإلكتروني.',
  },
  errors,
  ...users,
  actions,
  clients,
  operations,
  ...reports,
};
