/** The forms of a sentence with a number. */

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Returns the form for a number in a language. */
export function pluralForms(language: string): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  return (count, forms) => forms[rules.select(count)] ?? forms.other;
}
