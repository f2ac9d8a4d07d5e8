/**
 * Pictures of pages, compared with those in tests/browser/pictures, so that a torn layout fails. Half of a page's size: fine lines and the
 * edges of letters, which differ between machines, weigh less. `PICTURES=renew` writes them instead.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/** The scale of a browser that takes pictures. */
export const pictureScale = 0.5;

const folder = fileURLToPath(new URL('../pictures/', import.meta.url));
/** The pictures that differ, and what differs in them. */
const reports = fileURLToPath(new URL('../../../.data/pictures/', import.meta.url));

/** The share of pixels that may differ: another version of a font moves letters. */
const allowedShare = 0.015;
/** By how many pixels of the picture its height may differ. */
const allowedHeight = 6;

export const renewsPictures = process.env['PICTURES'] === 'renew';

/** Takes a picture and compares it. Returns what is wrong, or null. */
export async function comparePicture(page: Page, name: string): Promise<string | null> {
  const actual = withFewColors(PNG.sync.read(await takePicture(page)));
  const file = path.join(folder, `${name}.png`);
  if (renewsPictures) {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, encode(actual));
    return null;
  }
  if (!existsSync(file)) return `${name}: there is no picture. PICTURES=renew npm run test:e2e every-page`;
  const problem = compare(PNG.sync.read(readFileSync(file)), actual, name);
  if (problem === null) return null;
  mkdirSync(path.dirname(path.join(reports, name)), { recursive: true });
  writeFileSync(path.join(reports, `${name}.png`), encode(actual));
  return `${name}: ${problem}. See ${path.join(reports, name)}.png`;
}

function compare(expected: PNG, actual: PNG, name: string): string | null {
  if (expected.width !== actual.width) return `${actual.width} px wide instead of ${expected.width}`;
  if (Math.abs(expected.height - actual.height) > allowedHeight)
    return `${actual.height} px high instead of ${expected.height}`;
  const { width } = expected;
  const height = Math.min(expected.height, actual.height);
  const difference = new PNG({ width, height });
  const size = width * height * 4;
  const count = pixelmatch(
    expected.data.subarray(0, size),
    actual.data.subarray(0, size),
    difference.data,
    width,
    height,
    { threshold: 0.2 },
  );
  const share = count / (width * height);
  if (share <= allowedShare) return null;
  mkdirSync(path.dirname(path.join(reports, name)), { recursive: true });
  writeFileSync(path.join(reports, `${name}.difference.png`), PNG.sync.write(difference));
  return `${(100 * share).toFixed(1)} % of the pixels differ`;
}

/** Eight steps of each color: the pictures become small, and the edges of letters more alike. */
function withFewColors(picture: PNG): PNG {
  for (let index = 0; index < picture.data.length; index += 1)
    if (index % 4 !== 3) picture.data[index] = ((picture.data[index] ?? 0) >> 5) * 36;
  return picture;
}

const encode = (picture: PNG) =>
  PNG.sync.write(picture, { colorType: 2, inputHasAlpha: true, filterType: -1, deflateLevel: 9 });

async function takePicture(page: Page): Promise<Buffer> {
  await page.evaluate(hideWhatChanges);
  // No button looks as if the mouse were on it.
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready.then(() => undefined));
  return page.screenshot({ fullPage: true, animations: 'disabled', caret: 'hide', scale: 'device' });
}

/** Replaces times, secrets and the seconds of a countdown, in the page. */
function hideWhatChanges(): void {
  for (const time of document.querySelectorAll('time')) time.textContent = 'Jan 1, 2026';
  for (const button of document.querySelectorAll<HTMLElement>('[data-pause]'))
    button.textContent = button.dataset['pausedLabel']!.replace('#', '30');
  for (const secret of document.querySelectorAll('main code'))
    secret.textContent = String(secret.textContent).replace(/[a-z0-9]/gi, 'x');
  for (const path of document.querySelectorAll('main svg[role=img] path')) path.removeAttribute('d');
}
