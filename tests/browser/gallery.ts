/** `npm run gallery`: writes one page that shows every page of the package in every brand, light and dark. `npm run gallery black` shows one. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { html } from '../../src/html/html.js';
import { brandNames, type BrandName } from './support/brand-names.js';
import { visitBrand } from './support/brand-site.js';
import type { PageApplicationOptions } from './support/page-application.js';
import { launchBrowser, type Person } from './support/people.js';
import { rarePages } from './support/rare-pages.js';
import { tour } from './support/tour.js';

const folder = fileURLToPath(new URL('../../.data/gallery/', import.meta.url));
const schemes = ['light', 'dark'] as const;
const widths = { phone: 390, desktop: 1280 } as const;

const asked = process.argv.slice(2);
const unknown = asked.find((each) => !brandNames.includes(each as BrandName));
if (unknown !== undefined) {
  console.error(`There is no brand ${unknown}. The brands are ${brandNames.join(', ')}.`);
  process.exit(1);
}
const brands = asked.length > 0 ? (asked as BrandName[]) : brandNames;

/** The names of the pages, in the order of the tour. */
const shown = new Set<string>();
const fileOf = (brand: BrandName, name: string, width: string, scheme: string) =>
  `${brand}/${name}-${width}-${scheme}.jpeg`;

await rm(folder, { recursive: true, force: true });
const browser = await launchBrowser();
for (const [index, brand] of brands.entries()) {
  await mkdir(path.join(folder, brand), { recursive: true });
  let count = 0;
  const walk = (way: typeof tour, options?: PageApplicationOptions) =>
    visitBrand(browser, brand, 1, (site, ada) => way(site, ada, (name) => keep(ada, name)), options);
  const keep = async ({ page }: Person, name: string) => {
    shown.add(name);
    count += 1;
    progress(`${brand} (${index + 1} of ${brands.length}): ${count} pages, ${name}`);
    for (const [device, width] of Object.entries(widths)) {
      await page.setViewportSize({ width, height: 800 });
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        const file = path.join(folder, fileOf(brand, name, device, colorScheme));
        await page.screenshot({ path: file, type: 'jpeg', quality: 80, fullPage: true, caret: 'hide' });
      }
    }
  };
  await walk(tour);
  await walk(rarePages, { hasFields: true, challenge: true });
  await writeFile(path.join(folder, 'index.html'), galleryPage());
}
await browser.close();
progress(
  `${path.relative(process.cwd(), path.join(folder, 'index.html'))} shows ${shown.size} pages in ${brands.length} brands.\n`,
);

/** On one line of a terminal, which the next call replaces. */
function progress(text: string): void {
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${text}` : `${text.trimEnd()}\n`);
}

function galleryPage(): string {
  const choice = (group: string, value: string, isFirst = false) =>
    html`<label
      ><input type="radio" name="${group}" value="${value}" ${isFirst && html`checked`} /> ${value}</label
    >`;
  const picture = (brand: BrandName, name: string, device: string, scheme: string) => {
    const file = fileOf(brand, name, device, scheme);
    return html`<a class="${device} ${scheme}" href="${file}"
      ><img src="${file}" alt="${name}, ${brand}, ${device}, ${scheme}" loading="lazy"
    /></a>`;
  };
  const style = html`
    body { margin: 0; font: 0.875rem/1.4 system-ui, sans-serif; background: #8a8f98; } form { position:
    sticky; top: 0; left: 0; z-index: 2; display: flex; gap: 2rem; padding: 0.75rem 1rem; background: #fff; }
    fieldset { display: flex; gap: 1rem; margin: 0; padding: 0; border: 0; } th { position: sticky; top:
    2.75rem; z-index: 1; padding: 0.5rem; background: #fff; text-align: start; } tbody th { left: 0; top:
    auto; vertical-align: top; } tbody th span { position: sticky; top: 5rem; } td { padding: 0.5rem;
    vertical-align: top; } img { display: block; width: 18rem; } a.desktop img { width: 32rem; }
    body:has([value='phone']:checked) .desktop, body:has([value='desktop']:checked) .phone { display: none; }
    body:has([value='light']:checked) .dark, body:has([value='dark']:checked) .light { display: none; }
  `;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Every page in every brand</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <form>
          <fieldset>${choice('device', 'phone', true)} ${choice('device', 'desktop')}</fieldset>
          <fieldset>
            ${choice('scheme', 'light', true)} ${choice('scheme', 'dark')} ${choice('scheme', 'both')}
          </fieldset>
        </form>
        <table>
          <thead>
            <tr>
              <th></th>
              ${brands.map((brand) => html`<th>${brand}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${[...shown].map(
              (name) =>
                html`<tr>
                  <th><span>${name}</span></th>
                  ${brands.map(
                    (brand) =>
                      html`<td>
                        ${Object.keys(widths).map((device) =>
                          schemes.map((scheme) => picture(brand, name, device, scheme)),
                        )}
                      </td>`,
                  )}
                </tr>`,
            )}
          </tbody>
        </table>
      </body>
    </html>`.text;
}
