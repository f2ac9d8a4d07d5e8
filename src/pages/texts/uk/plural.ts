/** The forms of a Ukrainian noun after a number. */
const rules = new Intl.PluralRules('uk');

export interface Forms {
  /** After 1, 21, 31 and so on. */
  one: string;
  /** After 2, 3, 4, 22 and so on. */
  few: string;
  /** After every other whole number. */
  many: string;
}

/** Returns the form for a whole number. */
export function formFor(n: number, { one, few, many }: Forms): string {
  const category = rules.select(n);
  if (category === 'one') return one;
  return category === 'few' ? few : many;
}
