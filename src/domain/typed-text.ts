/**
 * What input methods make of codes and numbers: digits of another script, full-width characters, marks of direction, and the dashes and
 * blanks that a keyboard, a mail or a screen reader adds (UAX 9, UAX 15).
 */

// With the mark of long vowels, which the key of the hyphen writes in Japanese.
const dash = /[\p{Pd}\u2212\u30fc]/gu;
const blank = /\p{White_Space}/gu;
const invisible = /\p{Default_Ignorable_Code_Point}|\p{Cf}/gu;

/** Returns a code as it was mailed or shown: digits in ASCII, without blanks, dashes and invisible characters. */
export function typedCode(text: string): string {
  return inAscii(text).replace(dash, '').replace(blank, '');
}

/** Returns a phone number as it would be typed on a phone: digits and punctuation in ASCII, without invisible characters. */
export function typedPhone(text: string): string {
  return inAscii(text).replace(dash, '-').replace(blank, ' ').trim();
}

function inAscii(text: string): string {
  // Almost every text.
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/\p{Nd}/gu, (digit) => String(valueOf(digit)));
}

/** The ten digits of a script follow each other (Unicode Standard, 4.6), and NFKC has replaced the sets that follow one another. */
function valueOf(digit: string): number {
  const code = digit.codePointAt(0)!;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return value;
}
