/** The brands of tests/support/brands.ts, with the language in which they are shown. */
// cspell:ignore wordmark
export const brandLanguages = {
  black: 'en',
  yellow: 'en',
  pastel: 'en',
  wordmark: 'en',
  'no-logo': 'en',
  'long-name': 'en',
  'right-to-left': 'ar',
} as const;
export type BrandName = keyof typeof brandLanguages;
export const brandNames = Object.keys(brandLanguages) as BrandName[];
