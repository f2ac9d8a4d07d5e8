// Every built-in language says what English says: nothing is left out, and every value is in its sentence.
import * as templates from '../../src/core/mail/email-templates.js';
import { builtInMails } from '../../src/core/mail/texts/built-in.js';
import { en as englishMails } from '../../src/core/mail/texts/en.js';
import { plainBrand } from '../support/every-mail.js';
import { builtInAdminPages } from '../../src/admin/texts/built-in.js';
import { en as englishAdminPages } from '../../src/admin/texts/en.js';
import { builtInPages } from '../../src/pages/texts/built-in.js';
import { en as englishPages } from '../../src/pages/texts/en.js';

type Leaf = string | ((...values: unknown[]) => unknown);

/** The sentences of an object, by their path. */
function leavesOf(texts: object, path = ''): [string, Leaf][] {
  return Object.entries(texts).flatMap(([name, value]: [string, unknown]) => {
    const at = path === '' ? name : `${path}.${name}`;
    return typeof value === 'object' && value !== null ? leavesOf(value, at) : [[at, value as Leaf]];
  });
}

/** A value for any parameter of a text: a string, a number, a link, or an object with named values. */
function value(name: string, amount: number): unknown {
  const link = (label: string) => `‹link›${label}`;
  return Object.assign(link, {
    app: '‹app›',
    code: '‹code›',
    phone: '‹phone›',
    [Symbol.toPrimitive]: (hint: string) => (hint === 'number' ? amount : `‹${name}›`),
  });
}

function said(text: Leaf, amount = 5): string {
  if (typeof text === 'string') return text;
  const result = text(value('first', amount), value('second', amount), value('third', amount));
  return [result]
    .flat(3)
    .map((part) => String(part))
    .join('');
}

const valuesIn = (text: string) => [...new Set(text.match(/‹\w+›/g) ?? [])].sort();

/** Whether a string may be the same in two languages: a name, an abbreviation, or a word that both have. */
const mayBeSame = (text: string) =>
  text.split(/\s+/).length < 3 || !/[a-z]{3}/i.test(text.replace(/‹\w+›/g, ''));

const sources = [
  ['mails', builtInMails, englishMails],
  ['pages', builtInPages, englishPages],
  ['admin pages', builtInAdminPages, englishAdminPages],
] as const;

it('mails and pages have the same languages', () => {
  expect([...builtInPages.keys()].sort()).toEqual([...builtInMails.keys()].sort());
});

describe.each(sources)('the %s', (_kind, languages, english) => {
  const tags = [...languages.keys()].filter((language) => language !== 'en');

  it.each(tags)('%s has the sentences of English and no others', async (language) => {
    const own = leavesOf(await languages.get(language)!());
    expect(own.map(([path]) => path).sort()).toEqual(
      leavesOf(english)
        .map(([path]) => path)
        .sort(),
    );
  });

  it.each(tags)(
    '%s has every value of the English sentence, for every form of the plural',
    async (language) => {
      const own = new Map(leavesOf(await languages.get(language)!()));
      const differing = leavesOf(english).flatMap(([path, text]) =>
        [3, 5, 11, 100].flatMap((amount) => {
          const [theirs, ours] = [said(text, amount), said(own.get(path)!, amount)];
          const isEqual = valuesIn(theirs).join() === valuesIn(ours).join();
          return isEqual ? [] : [`${path} (${amount}): ${ours}`];
        }),
      );
      expect(differing).toEqual([]);
    },
  );

  it.each(tags)('%s leaves no sentence in English', async (language) => {
    const own = new Map(leavesOf(await languages.get(language)!()));
    const same = leavesOf(english).filter(([path, text]) => {
      const ours = said(own.get(path)!);
      return ours === said(text) && !mayBeSame(ours);
    });
    expect(same.map(([path]) => path)).toEqual([]);
  });

  it.each(tags)('%s is set as its typography wants it', async (language) => {
    const faults = leavesOf(await languages.get(language)!()).flatMap(([path, text]) => {
      const ours = said(text).replace(/https:\/\/\S+/, '‹url›');
      const isFaulty =
        /['"<]|\.\.\.| {2}|\n/.test(ours) ||
        // No-break spaces, so that a mark never begins a line.
        (language === 'fr' && /[^\s\u00a0\u202f][?!;»]|[a-zà-ÿ›]:|« | »| [?!;:»]/i.test(ours)) ||
        // A Polish word of one letter never ends a line.
        (language === 'pl' && /(^|[\s(„])(a|i|o|u|w|z) /i.test(ours)) ||
        // A Spanish question begins with its mark.
        (language === 'es' && /^[^¿]*\?/.test(ours)) ||
        (language === 'ar' && /[?,;]/.test(ours)) ||
        (['ja', 'zh-Hans', 'zh-Hant'].includes(language) &&
          /[\u3040-\u30ff\u4e00-\u9fff] ?[,.?!;]|[,?!;] ?[\u3040-\u30ff\u4e00-\u9fff]/.test(ours)) ||
        (['zh-Hans', 'zh-Hant'].includes(language) &&
          /[\u4e00-\u9fff] ?[:()]|[:()] ?[\u4e00-\u9fff]/.test(ours));
      return isFaulty ? [`${path}: ${ours}`] : [];
    });
    expect(faults).toEqual([]);
  });
});

const numbered = [
  'passwordHint',
  'account.recovery.left',
  'account.devices.limit',
  'account.tokens.days',
  'twoFactor.trust',
  'errors.tooMany',
];

/** The sentences that are the same in two categories of the plural, because no word depends on the number. */
const sameForms: Record<string, string[]> = {
  de: ['passwordHint one = other'],
  pl: ['account.devices.limit few = many', 'account.tokens.days few = many', 'twoFactor.trust few = many'],
  tr: [
    'account.recovery.left one = other',
    'account.tokens.days one = other',
    'passwordHint one = other',
    'twoFactor.trust one = other',
  ],
  sv: ['passwordHint one = other'],
  uk: ['account.devices.limit few = many'],
  ar: [
    'account.tokens.days other = zero',
    'errors.tooMany many = zero',
    'errors.tooMany other = zero',
    'passwordHint other = zero',
    'twoFactor.trust other = zero',
  ],
};

it.each([...builtInPages])(
  'the pages in %s have a form for every plural category',
  async (language, load) => {
    const texts = new Map(leavesOf(await load()));
    const rules = new Intl.PluralRules(language);
    const same = new Set<string>();
    for (const path of numbered) {
      const categories = new Map<string, Intl.LDMLPluralRule>();
      for (let amount = 0; amount < 120; amount += 1) {
        const form = said(texts.get(path)!, amount).replace('‹first›', '');
        const category = rules.select(amount);
        const first = categories.get(form) ?? category;
        categories.set(form, first);
        if (first !== category) same.add(`${path} ${category} = ${first}`);
      }
    }
    expect([...same].sort()).toEqual(sameForms[language] ?? []);
  },
);

const adminNumbered = ['errors.tooMany', 'users.count', 'clients.count'];

it.each([...builtInAdminPages])(
  'the admin pages in %s have a form for every plural category',
  async (language, load) => {
    const texts = new Map(leavesOf(await load()));
    const rules = new Intl.PluralRules(language);
    for (const path of adminNumbered) {
      const forms = new Map<string, Set<string>>();
      for (let amount = 0; amount < 120; amount += 1) {
        const form = said(texts.get(path)!, amount);
        forms.set(rules.select(amount), (forms.get(rules.select(amount)) ?? new Set()).add(form));
      }
      // One sentence for each category, and none of them empty.
      expect([path, [...forms.values()].map(({ size }) => size)]).toEqual([path, [...forms].map(() => 1)]);
      for (const form of [...forms.values()].flatMap((each) => [...each]))
        expect(form).not.toMatch(/undefined|^$/);
      // The singular is not the plural, except where no word depends on the number.
      const hasOne = forms.has('one') && !['tr', 'de', 'sv', 'it'].includes(language);
      if (hasOne) expect(forms.get('one')).not.toEqual(forms.get('other'));
    }
  },
);

// Else the end of a name such as "Acme Inc." is shown at its beginning. A name with markup is in `<bdi>`.
it('a page from right to left isolates every name that it has without markup', async () => {
  const texts = await builtInPages.get('ar')!();
  const numbers =
    /^passwordHint$|^twoFactor\.trust$|^checkEmail\.resendIn$|^errors\.tooMany$|^account\.(devices\.limit|tokens\.days|recovery\.left)$/;
  // A user who copies the phrase must not copy invisible characters with it.
  const typed = 'account.data.deleteConfirm';
  const bare = leavesOf(texts).flatMap(([path, text]) => {
    if (typeof text === 'string' || numbers.test(path) || path === typed) return [];
    const parts = [text(value('first', 5), value('second', 5))]
      .flat(2)
      .filter((part) => typeof part === 'string');
    const isBare = parts.some((part) => /(?<!\u2068)‹(first|second)›|‹(first|second)›(?!\u2069)/.test(part));
    return isBare ? [path] : [];
  });
  expect(bare).toEqual([]);
});

describe.each([...builtInMails])('the mails in %s', (language, load) => {
  const appName = 'A'.repeat(100);
  const code = '012345';
  const url = 'https://app.test/?token=abc';

  it('have a subject that is short enough with the longest name, their values, their language and their direction', async () => {
    const texts = await load();
    const values = {
      brand: plainBrand(appName),
      event: { time: 'November 26, 2026', device: null, place: null },
      ...{ appName, language, texts, code, url, expiresInMinutes: 10, codeExpiresInMinutes: 5 },
      ...{
        change: 'added' as const,
        phone: '+49••••12',
        organization: 'Acme',
        role: 'member' as const,
        inviter: null,
      },
    };
    for (const [name, template] of Object.entries(templates)) {
      const mail = template(values);
      if (typeof mail === 'string') {
        expect(mail).toContain(code);
        expect(mail).toContain(appName);
        continue;
      }
      expect([name, mail.subject.length <= 200, /[\r\n]/.test(mail.subject)]).toEqual([name, true, false]);
      expect(mail.html).toContain(`lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}"`);
      expect([name, mail.text.includes(appName)]).toEqual([name, true]);
      expect([name, /undefined|\[object/.test(mail.text + mail.html)]).toEqual([name, false]);
    }
  });
});

it('an admin page from right to left isolates every name that it has without markup', async () => {
  const texts = leavesOf(await builtInAdminPages.get('ar')!());
  // Numbers, and the phrase that a user types, as above.
  const others =
    /^errors\.(tooMany|metadataSyntax)$|^(users|clients)\.count|^actions\.delete\.confirm$|^overview\.most$|^audit\.firstRows$|^operations\.(bulk\.changed|inviteList\.invited|lockdown\.doneUsers)$/;
  const bare = texts.flatMap(([path, text]) => {
    if (typeof text === 'string' || others.test(path)) return [];
    const parts = [text(value('first', 5), value('second', 5))]
      .flat(2)
      .filter((part) => typeof part === 'string');
    return parts.some((part) => /(?<!\u2068)‹(first|second)›|‹(first|second)›(?!\u2069)/.test(part))
      ? [path]
      : [];
  });
  expect(bare).toEqual([]);
});
