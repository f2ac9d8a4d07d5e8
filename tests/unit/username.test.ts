// cspell:disable -- names in several scripts
import { parseUsername } from '../../src/domain/username.js';
import { errorOf } from '../support/outcomes.js';

describe('parseUsername', () => {
  it.each([
    ['Ada', 'ada'],
    ['ada.lovelace_1-x', 'ada.lovelace_1-x'],
    ['7', '7'],
    ['Ада', 'ада'],
    ['ÅSA', 'åsa'],
    ['A\u030asa', 'åsa'],
    ['ΑΘΗΝΑ', 'αθηνα'],
    ['田中たろう', '田中たろう'],
    ['김한자漢字', '김한자漢字'],
    ['नमस्ते', 'नमस्ते'],
    ['\u0645\u062d\u0645\u062f\u0661', '\u0645\u062d\u0645\u062f\u0661'],
    ['\u05d0\u05d11', '\u05d0\u05d11'],
    ['〇一', '〇一'],
  ])('accepts %s and finds it as %s', (name, key) => {
    expect(parseUsername(name)).toEqual({ name: name.normalize('NFC'), key });
    expect(parseUsername(key).key).toBe(key);
  });

  it.each([
    ['', 'an empty name'],
    ['a b', 'a space'],
    ['a@b', 'the separator of an address'],
    ['.ada', 'a separator at the beginning'],
    ['ada.', 'a separator at the end'],
    ['a..b', 'two separators'],
    ['\u0301a', 'a mark at the beginning'],
    ['аda', 'a Cyrillic letter among Latin ones'],
    ['pаypal', 'a Cyrillic letter inside a Latin name'],
    ['αda', 'a Greek letter among Latin ones'],
    ['ａｄａ', 'full-width letters'],
    ['ﬁx', 'a ligature'],
    ['ada\u200b', 'an invisible character'],
    ['ada\u202e', 'a change of direction'],
    ['\u1160', 'an invisible letter'],
    ['가\u1160', 'an invisible letter after a visible one'],
    ['\u1112\u1161'.normalize('NFC') + '\u11f0', 'an old Hangul letter'],
    ['\u0645\u062d\u0640\u0645\u062f', 'a letter that only lengthens the word'],
    ['\u0627\u0663\u06f3', 'two sets of digits'],
    ['\u0905\u0967' + '1', 'two sets of digits, one of them ASCII'],
    ['1\u05d0', 'a digit before letters from right to left'],
    ['\u0663', 'an Arabic digit at the beginning'],
    ['a\u2180', 'a number that is neither a letter nor a digit'],
    ['ada😀', 'an emoji'],
    ['a\0', 'U+0000'],
    ['\ud800', 'a lone surrogate'],
    ['a'.repeat(33), '33 characters'],
    ['0190f6a0-0000-7000-8000-000000000001', 'the form of an id'],
    [42, 'a number'],
    [null, 'null'],
  ])('refuses %j: %s', async (name: unknown, _reason: string) => {
    const error = await errorOf(() => parseUsername(name));
    expect(error).toMatchObject({ code: 'invalid_request', field: 'username', reason: 'username_invalid' });
  });

  it.each(['admin', 'Root', 'SUPPORT'])('refuses the reserved name %s', async (name) => {
    expect(await errorOf(() => parseUsername(name))).toMatchObject({ reason: 'username_reserved' });
  });
});
