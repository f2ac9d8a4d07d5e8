/**
 * Letters of identifiers, and which of them look like ASCII (Unicode Technical Standard 39, version 17.0.0, of the scripts in
 * src/domain/username.ts). Source: IdentifierStatus.txt and confusables.txt, © 2025 Unicode, Inc., under the Unicode License V3, by
 * scripts/generate-identifier-letters.ts.
 */

/**
 * Code points and ranges with Identifier_Status=Allowed. Without ideographs: the rare ones are restricted, but people in China and
 * Japan have them in their names, and they look like no letter of another script.
 */
export const identifierLetters =
  // Generated: letters. cspell:disable
  '30-113 116-12b 12e-137 139-14d 150-155 158-161 164-17e 181 186 189-18a 18e-192 194 196-199 19d 1a0-1a1 1af-1b0 ' +
  '1b2-1b4 1b7 1cd-1d4 1dd 1e6-1e9 1ee-1ef 1f8-1f9 218-21b 244 24c-24d 253-254 256-257 259 25b 263 268-269 272 ' +
  '289 28b 292 2bc 300-304 306-30c 323 331 386-38a 38c 38e-3a1 3a3-3ce 401-40c 40e-44f 451-45c 45e-45f 490-49b ' +
  '49e-4a5 4a8-4b7 4ba-4c0 4cf-4d9 4dc-4e9 4ee-4f5 4f8-4f9 524-525 531-556 561-586 5d0-5ea 620-63a 63d 641-652 ' +
  '654-655 660-669 670 672 674-68f 691-69a 69f-6a0 6a2 6a4-6ab 6ad-6b1 6b3 6b5-6b7 6ba-6be 6c0-6d5 6ee-6f9 6ff ' +
  '751-752 756 760 762-763 766-768 76a 76e-771 88f 8a0 8a2-8a9 8bb-8c2 8c7 901-903 905-90b 90d-928 92a-933 ' +
  '935-93c 93e-943 945-94d 94f 956-957 966-96f 972-977 97b-97c 97e-97f 981-983 985-98b 98f-990 993-9a8 9aa-9b0 ' +
  '9b2 9b6-9b9 9bc 9be-9c4 9c7-9c8 9cb-9ce 9e6-9f1 b83 b85-b8a b8e-b90 b92-b95 b99-b9a b9c b9e-b9f ba3-ba4 ' +
  'ba8-baa bae-bb9 bbe-bc2 bc6-bc8 bca-bcd c02-c03 c05-c0b c0e-c10 c12-c28 c2a-c30 c32-c33 c35-c39 c3e-c44 ' +
  'c46-c48 c4a-c4d e01-e3a e40-e4d e50-e59 10c7 10cd 10d0-10f0 1200-1206 1208-1248 124a-124d 1250-1256 1258 ' +
  '125a-125d 1260-1286 1288 128a-128d 1290-12ae 12b0 12b2-12b5 12b8-12be 12c0 12c2-12c5 12c8-12d6 12d8-12f7 ' +
  '1300-130e 1310 1312-1315 1318-131e 1320-1346 1348-1359 1c90-1cba 1cbd-1cbf 1e0c-1e0d 1e12-1e13 1e20-1e21 ' +
  '1e24-1e25 1e36-1e37 1e3c-1e3f 1e42-1e4b 1e5a-1e5b 1e62-1e63 1e6c-1e6d 1e70-1e71 1e8c-1e8d 1e92-1e93 1e9e ' +
  '1ea0-1ef9 1fa0-1fa7 1fb2-1fb4 1fec 3006 3041-3096 309d-30fe a78d a7aa ac00-d7a3 11301-11303 1133c 1e7e0-1e7e6 ' +
  '1e7e8-1e7eb 1e7ed-1e7ee 1e7f0-1e7fe';
// Generated: end. cspell:enable

/** Each ASCII string with the letters that look like it (MA in confusables.txt). */
export const lookalikes: Readonly<Record<string, string>> = {
  // Generated: lookalikes. cspell:disable
  '3': '969 1b7 417 4e0',
  '6': '431',
  '8': '9ea',
  '9': '9ed',
  A: '391 410',
  AE: 'c6 4d4',
  B: '392 412',
  C: '421',
  E: '395 415',
  H: '397 41d',
  J: '408',
  K: '39a 41a',
  M: '39c 41c',
  N: '39d',
  O: '30 39f 41e 555 12d0',
  OE: '152',
  P: '3a1 420',
  S: '405 54f',
  T: '3a4 422',
  U: '54d 1200',
  V: '667 6f7',
  X: '3a7 425',
  Y: '3a5 423 4ae',
  Z: '396',
  a: '3b1 430',
  ae: 'e6 4d5',
  b: '42c',
  bl: '42b',
  c: '441',
  e: '435 4bd',
  f: '192 584',
  g: '581',
  h: '4bb 570',
  i: '131 269 3b9 456 582',
  j: '458',
  l: '31 661 6f1 49 196 399 406 4cf 4c0 5d5 5df 627',
  lO: '42e',
  n: '578 57c',
  o: 'c02 966 9e6 e50 665 6f5 3bf 3c3 43e 585 5e1 647 6be 6c1 6d5',
  oe: '153',
  p: 'fe 3c1 440',
  q: '563 566',
  r: '433',
  rn: '6d',
  s: '455',
  u: '28b 3c5 57d',
  v: '3bd 5d8',
  w: '448 561',
  x: '445',
  y: '263 3b3 443 4af 10e7',
  // Generated: end. cspell:enable
};
