// The option `brand`, and the colors that follow from it.
// cspell:ignore acent
import { createService } from 'svc-auth';
import { outbox } from 'svc-auth/testing';
import { internals } from '../../src/core/internals.js';
import { faultsOf, pathsOf, validConfig } from '../support/config-faults.js';

const brandOf = (options: object) => createService({ ...validConfig, ...options })[internals].brand;

const mailLogo = { url: 'https://cdn.acme.test/mail.png', width: 120, height: 32 };

describe('the option brand', () => {
  it('has the name of the application, and nothing else, by default', () => {
    expect(brandOf({ appName: 'Acme' })).toEqual({
      name: 'Acme',
      logo: null,
      accent: null,
      supportUrl: null,
      mailLogo: null,
    });
  });

  it('prefers the name of the brand to appName', () => {
    expect(brandOf({ appName: 'acme-auth', brand: { name: 'Acme' } }).name).toBe('Acme');
  });

  it('shows a single logo on both grounds', () => {
    expect(brandOf({ brand: { logo: '/logo.svg' } }).logo).toEqual({
      light: '/logo.svg',
      dark: '/logo.svg',
    });
  });

  it('accepts every part', () => {
    const brand = {
      name: 'Acme',
      logo: { light: '/light.svg', dark: 'https://cdn.acme.test/dark.svg' },
      accent: '#1F6B4F',
      supportUrl: 'mailto:help@acme.test',
      mailLogo: { ...mailLogo, dark: 'http://localhost:3000/dark.png' },
    };
    expect(brandOf({ brand })).toEqual({ ...brand, accent: '#1f6b4f' });
    expect(brandOf({ brand: { mailLogo } }).mailLogo).toEqual({ ...mailLogo, dark: null });
  });

  it.each<[brand: unknown, path: string]>([
    [true, 'brand'],
    [{ name: '' }, 'brand.name'],
    [{ name: 'two\nlines' }, 'brand.name'],
    [{ logo: 'logo.svg' }, 'brand.logo'],
    [{ logo: '//evil.test/logo.svg' }, 'brand.logo'],
    [{ logo: '/\\evil.test/logo.svg' }, 'brand.logo'],
    [{ logo: 'http://acme.test/logo.svg' }, 'brand.logo'],
    [{ logo: 'javascript:alert(1)' }, 'brand.logo'],
    [{ logo: { light: '/logo.svg' } }, 'brand.logo.dark'],
    [{ accent: 'green' }, 'brand.accent'],
    [{ accent: '#1f6' }, 'brand.accent'],
    [{ accent: '#1f6b4f;}' }, 'brand.accent'],
    [{ supportUrl: 'help@acme.test' }, 'brand.supportUrl'],
    [{ supportUrl: 'http://acme.test/help' }, 'brand.supportUrl'],
    [{ supportUrl: 'javascript:alert(1)' }, 'brand.supportUrl'],
    [{ supportUrl: 'mailto:help@acme.test?cc=eve@evil.test' }, 'brand.supportUrl'],
    [{ mailLogo: { ...mailLogo, url: '/mail.png' } }, 'brand.mailLogo.url'],
    [{ mailLogo: { ...mailLogo, url: 'https://cdn.acme.test/mail.svg?v=2' } }, 'brand.mailLogo.url'],
    [{ mailLogo: { ...mailLogo, dark: 'https://cdn.acme.test/mail.webp' } }, 'brand.mailLogo.dark'],
    [{ mailLogo: { ...mailLogo, width: 0 } }, 'brand.mailLogo.width'],
    [{ mailLogo: { url: mailLogo.url, width: 10 } }, 'brand.mailLogo.height'],
    [{ colour: '#1f6b4f' }, 'brand.colour'],
  ])('%j has a fault at %s', (brand, path) => {
    expect(pathsOf({ ...validConfig, brand })).toEqual([path]);
  });

  it('suggests the right name for a misspelled part', () => {
    expect(faultsOf({ ...validConfig, brand: { acent: '#1f6b4f' } })[0]).toMatch(/brand\.acent.*accent/);
  });

  it('says what a logo must be that has no image for one of the grounds', () => {
    expect(faultsOf({ ...validConfig, brand: { logo: { light: '/logo.svg' } } })[0]).toBe(
      'brand.logo.dark: must be a path that starts with one /, or an https URL',
    );
  });

  it('is the name in mails', async () => {
    const mails = outbox();
    const service = createService({
      ...validConfig,
      brand: { name: ' Acme ' },
      providers: { emailCode: { sender: mails } },
    });
    await service.emailCode.sendCode({ email: 'ada@example.com' });
    expect(mails.messages[0]?.subject).toMatch(/ for Acme$/);
    await service.close();
  });
});
