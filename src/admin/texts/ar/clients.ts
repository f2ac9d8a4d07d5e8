/** Arabic: the clients of the OAuth server. */
import { pluralForms } from '../plural.js';
import { isolated } from '../isolated.js';
import type { AdminTexts } from '../texts.js';

const plural = pluralForms('ar');

export const clients: AdminTexts['clients'] = {
  register: 'تسجيل عميل',
  count: (n, shown) =>
    plural(n, {
      zero: `${shown} عميل`,
      one: `عميل واحد (${shown})`,
      two: `عميلان (${shown})`,
      few: `${shown} عملاء`,
      many: `${shown} عميلًا`,
      other: `${shown} عميل`,
    }),
  client: 'العميل',
  kind: 'النوع',
  returnsTo: 'يعود إلى',
  created: 'تاريخ الإنشاء',
  createdAt: (time) => ['تاريخ الإنشاء: ', time],
  none: 'لا يوجد عملاء بعد',
  noneLead: 'العملاء تطبيقات تطلب الوصول من المستخدمين. تظهر هنا عندما تسجّلها أو عندما تسجّل نفسها.',
  notFound: 'العميل غير موجود',
  notFoundLead: 'ربما تمت إزالته أو انتهت صلاحيته.',
  kinds: {
    registered: 'مسجّل',
    dynamic: 'سجّل نفسه',
    document: 'عنوانه الخاص',
  },
  proofs: {
    none: 'من دون سر',
    secret: 'مع سر',
    key: 'بمفتاحه الخاص',
  },
  kindAndProof: (kind, proof) => `${isolated(kind)}، ${isolated(proof)}`,
  name: 'الاسم',
  nameHint: 'يقرؤه المستخدمون عندما يطلب العميل الوصول.',
  id: 'معرّف العميل',
  redirects: 'عناوين إعادة التوجيه',
  redirectsHint: (example) => `عناوين دقيقة، كل عنوان في سطر، مثل ${isolated(example)}.`,
  page: 'الصفحة',
  expires: 'تاريخ الانتهاء',
  change: 'تغيير',
  remove: 'إزالة',
  secret: 'السر',
  secrets: 'الأسرار',
  newLead: 'تطبيق يمكنه أن يطلب من المستخدمين الوصول إلى حساباتهم.',
  confidential: 'يعمل على خادم ويحتفظ بسر',
  confidentialHint: 'يُعرض السر مرة واحدة. لا تحتفظ التطبيقات وأسطر الأوامر والصفحات بأي سر.',
  edit: {
    title: 'تغيير العميل',
    lead: 'يبقى ما سمح به المستخدمون ساريًا.',
    submit: 'حفظ العميل',
  },
  shownSecret: {
    title: 'سر العميل',
    lead: 'انسخ السر الآن. لن يُعرض مرة أخرى.',
    done: 'تم',
  },
  addSecret: {
    title: 'إضافة سر',
    lead: 'يُقبل السران إلى أن تزيل أحدهما.',
  },
  removeSecret: {
    title: 'إزالة السر',
    lead: 'تُرفض فورًا البرامج التي تستخدم هذا السر. لا يمكن التراجع عن ذلك.',
  },
  removal: {
    title: 'إزالة العميل',
    summary: 'ينتهي كل ما سمح به المستخدمون.',
    lead: 'ينتهي العميل وكل ما سمح به المستخدمون فورًا. لا يمكن التراجع عن ذلك.',
  },
};
