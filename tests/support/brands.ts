/** Seven invented brands, each with what makes a brand difficult: tests/browser takes their pictures, `npm run gallery` shows every page in them. */
// cspell:ignore Abwassertechnik Bundesvereinigung Harborline Landesverbände Wasserwirtschaft harborline wordmark الخصوصية الشروط نخيل
import { html, type PagesOptions } from 'svc-auth/pages';
import type { BrandName } from '../browser/support/brand-names.js';

interface TestBrand {
  options: PagesOptions;
  /** By their paths. */
  files: Readonly<Record<string, string>>;
}

const svg = (width: number, height: number, content: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${content}</svg>`;
/** Letters without a font: bars, which look the same everywhere. */
const bars = (count: number, color: string) =>
  Array.from(
    { length: count },
    (_, index) =>
      `<rect x="${index * 60}" y="${index % 3 === 0 ? 0 : 20}" width="40" height="${index % 3 === 0 ? 60 : 40}" rx="8" fill="${color}"/>`,
  ).join('');
const ring = (color: string) =>
  `<circle cx="32" cy="32" r="24" fill="none" stroke="${color}" stroke-width="14"/>`;

const legal: NonNullable<PagesOptions['slots']>['footer'] = ({ language }) =>
  html`<a href="/terms">${language === 'ar' ? 'الشروط' : 'Terms'}</a> ·
    <a href="/privacy">${language === 'ar' ? 'الخصوصية' : 'Privacy'}</a>`;

export const brands: Readonly<Record<BrandName, TestBrand>> = {
  black: {
    options: {
      name: 'Noir',
      logo: { light: '/noir.svg', dark: '/noir-white.svg' },
      accent: '#000000',
      radius: '2px',
      theme: { light: { page: '#ffffff', shadow: 'none' }, dark: { page: '#000000', card: '#0a0a0a' } },
    },
    files: {
      '/noir.svg': svg(64, 64, ring('#000000')),
      '/noir-white.svg': svg(64, 64, ring('#ffffff')),
    },
  },
  yellow: {
    options: {
      name: 'Citrus',
      logo: '/citrus.svg',
      accent: '#ffe600',
      theme: { light: { page: '#fffbe8', text: '#2b2500', aside: '#ffe600' }, dark: { aside: '#ffe600' } },
      slots: {
        signInAside: () =>
          html`<h2>Fresh every morning.</h2>
            <p>Order until midnight, have breakfast at seven. <a href="/how">How it works</a></p>`,
        footer: legal,
      },
    },
    files: {
      '/citrus.svg': svg(
        64,
        64,
        '<circle cx="32" cy="32" r="32" fill="#ffe600"/><circle cx="32" cy="32" r="12" fill="#2b2500"/>',
      ),
    },
  },
  pastel: {
    options: { name: 'Mallow', accent: '#ffd6e0', radius: '1.25rem', theme: { light: { page: '#fff7f9' } } },
    files: {},
  },
  wordmark: {
    options: {
      name: 'Harborline',
      logo: { light: '/harborline.svg', dark: '/harborline-white.svg' },
      icon: '/anchor.svg',
      accent: '#0a2540',
      stylesheet: '/harborline.css',
      slots: { footer: legal },
    },
    files: {
      '/harborline.svg': svg(900, 60, bars(15, '#0a2540')),
      '/harborline-white.svg': svg(900, 60, bars(15, '#ffffff')),
      '/anchor.svg': svg(64, 64, ring('#0a2540')),
      '/harborline.css': ':root { --font-heading: "DejaVu Serif", serif; } h1 { letter-spacing: normal; }',
    },
  },
  'no-logo': { options: { name: 'Orange Post', accent: '#ff6b00', colorScheme: 'light' }, files: {} },
  'long-name': {
    options: {
      name: 'Bundesvereinigung der Landesverbände für Wasserwirtschaft und Abwassertechnik',
      accent: '#1f6b4f',
      slots: { footer: legal },
    },
    files: {},
  },
  'right-to-left': {
    options: {
      name: 'نخيل',
      logo: '/palm.svg',
      logoHeight: '4rem',
      accent: '#0d9488',
      slots: { footer: legal },
    },
    files: {
      '/palm.svg': svg(
        32,
        64,
        '<rect x="12" y="24" width="8" height="40" fill="#0d9488"/><circle cx="16" cy="16" r="16" fill="#0d9488"/>',
      ),
    },
  },
};
