/** Arabic: what has happened in the meantime. */
import { isolated } from './isolated.js';
import type { Texts } from '../texts.js';

export const notices: Texts['notices'] = {
  sessionEnded: 'انتهت جلستك. سجّل الدخول للمتابعة.',
  signedOut: 'تم تسجيل خروجك.',
  signedInAgain: 'تم تسجيل دخولك مرة أخرى. لم يُحفظ أي شيء بعد.',
  otherAccount: (name) => `تم تسجيل دخولك الآن باسم ${isolated(name)}. لم يتغيّر أي شيء.`,
  otherAccountUnnamed: 'تم تسجيل دخولك الآن إلى حساب آخر. لم يتغيّر أي شيء.',
  linkExpired: 'انتهت صلاحية هذا الرابط. اطلب رابطًا جديدًا.',
  reclaimed: {
    title: 'تم تأكيد عنوان البريد الإلكتروني',
    lead: 'أُنشئ هذا الحساب دون تأكيد عنوانك، وربما أنشأه شخص آخر. لذلك أُزيلت كلمة المرور ووسائل تسجيل الدخول الأخرى.',
  },
  invitedOnly: 'التسجيل متاح بدعوة فقط',
  invitedOnlyLead: 'لإنشاء حساب، افتح الرابط الموجود في دعوتك.',
  blocked: 'تعذّر تسجيل الدخول',
  support: 'التواصل مع فريق الدعم',
  home: (product) => `العودة إلى ${isolated(product)}`,
  offline: 'أنت غير متصل بالإنترنت. تحقق من الاتصال وأعد المحاولة.',
  unreachable: 'تعذّر الوصول إلى الخادم. أعد المحاولة بعد قليل.',
  slow: 'يستغرق هذا وقتًا أطول من المعتاد.',
  impersonating: (product, user) => [`أنت تعرض ${isolated(product)} باسم `, user, '.'],
  impersonatingUnnamed: (product) => `أنت تعرض ${isolated(product)} باسم مستخدم آخر.`,
  stopImpersonating: 'إنهاء',
  confirmLink: (email) => ['أنت بصدد تسجيل الدخول باسم ', email, '.'],
  confirmLinkIgnore: 'إذا لم تطلب ذلك، فأغلق هذه الصفحة.',
  confirmLinkOther: 'تسجيل الدخول بطريقة أخرى',
};
