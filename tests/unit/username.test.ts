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

  // Names of people in the languages of the pages.
  it.each([
    ['en', 'Zoë', "O'Brien"],
    ['de', 'Jürgen', 'Weiß', 'Äneas', 'GROẞ'],
    ['fr', 'Françoise', 'Lætitia', 'Cœur', 'Noël', 'Aÿ', 'Hélène', 'Benoît', 'Gaëlle', 'Où'],
    ['es', 'Íñigo', 'Núñez', 'Argüelles', 'Jesús'],
    ['it', 'Niccolò', 'Mosè', 'Desirée', 'Cantù', 'Forlì'],
    ['pt', 'João', 'Conceição', 'Inês', 'Antônio', 'À'],
    ['nl', 'Daniël', 'Renée', 'Thóra', 'IJsbrand'],
    ['pl', 'Łukasz', 'Świętosława', 'Żółć', 'Źrebię', 'Ąćęńó'],
    ['tr', 'Işıl', 'İbrahim', 'Çağrı', 'Şükrü', 'Gökçe', 'Hâlâ', 'Âdil', 'Nükhet'],
    ['ar', '\u0645\u062d\u0645\u062f', 'فاطمة', 'عبدالله', 'رؤى', 'ضياء', 'لآلئ', 'مُحَمَّد', 'إبراهيم'],
    ['ja', '髙橋', '﨑山', '𠮷田', 'さくら', 'ヴィクトリア', '佐々木', 'りょう', 'ジョー', '一ヶ谷', 'ゞゝ'],
    ['zh-Hans', '王小明', '张䶮', '李喆', '朱镕基', '陶喆', '㛃'],
  ])('accepts names of %s', (_language, ...names) => {
    const words = names.flatMap((name) => name.split("'"));
    expect(words.map((name) => parseUsername(name).name)).toEqual(words);
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
    ['ɑdmin', 'the phonetic letter alpha'],
    ['ᴀᴅᴍɪɴ', 'small capitals'],
    ['roᴏt', 'one small capital'],
    ['admꞮn', 'a capital of a phonetic letter'],
    ['suppo\u027dt', 'a phonetic letter with a tail'],
    ['uſer', 'a long s'],
    ['\u0501\u0430', 'a Cyrillic letter that looks like d'],
    ['\u1f00\u03b2', 'a Greek letter with a breathing'],
    ['\u10a0', 'a letter of an old Georgian script'],
    ['a\u0363', 'a letter above a letter'],
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

  it.each([
    ['admin', 'as it is'],
    ['Root', 'with a capital'],
    ['SUPPORT', 'in capitals'],
    ['admɩn', 'with the letter iota, which languages use'],
    ['admın', 'with an i without a dot'],
    ['ADMİN', 'in Turkish capitals'],
    ['ADMlN', 'with a small l for a capital I'],
    ['AdmıN', 'in mixed case'],
    ['1ogin', 'with a digit for a letter'],
    ['r00t', 'with two digits'],
    ['SUPP0RT', 'with a digit in capitals'],
    ['adrnin', 'with two letters for one'],
    ['officlal', 'with a small l for an i, which is the capital'],
    ['арі', 'all in Cyrillic letters'],
    ['АРІ', 'all in Cyrillic capitals'],
  ])('refuses the reserved name %s: %s', async (name) => {
    expect(await errorOf(() => parseUsername(name))).toMatchObject({ reason: 'username_reserved' });
  });

  it.each(['ádmin', 'roof', 'admin2', 'admins', 'nell', 'rnoderato', 'ada.admin'])(
    'accepts %s, which does not look like a reserved name',
    (name) => {
      expect(parseUsername(name).name).toBe(name);
    },
  );
});
