/** Ids that no row can have. */
export const malformedIds = ['', ' ', 'x', '1', "' or 1=1 --", '{}', 'a\0b', '\ud800', 'é'.repeat(5000)];

/** Strings that some columns cannot store. */
export const oddTexts = [
  '',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\\u0000',
  "'; drop table svc_users; --",
  'é'.repeat(5000),
];
