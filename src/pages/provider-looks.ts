/** The name and the icon of each identity provider: those of the application, else those of its brand, else its name in the configuration. */
import { html, type Html } from '../html/html.js';
import type { OptionFaults } from '../core/support/options.js';
import { isTarget } from '../http/redirects.js';
import { brandOf, brands } from './brands.js';

export interface ProviderOptions {
  /** The name on buttons and in the account. */
  label?: string;
  /** The path of an image, such as `/contoso.svg`, or the name of a brand whose logo the package has, such as `gitlab`. */
  icon?: string;
}

export interface ProviderLook {
  label: string;
  icon: Html;
}

/** Returns the look of a provider by its name in the configuration. */
export type LookOf = (id: string) => ProviderLook;

export function createLooks(own: Readonly<Record<string, ProviderOptions>>): LookOf {
  const known = new Map<string, ProviderLook>();
  return (id) => {
    const look = known.get(id) ?? lookOf(id, Object.hasOwn(own, id) ? own[id] : undefined);
    known.set(id, look);
    return look;
  };
}

function lookOf(id: string, { label, icon }: ProviderOptions = {}): ProviderLook {
  const name = label ?? brandOf(id)?.label ?? id.charAt(0).toUpperCase() + id.slice(1);
  return { label: name, icon: iconOf(icon ?? id, name) };
}

function iconOf(icon: string, label: string): Html {
  if (icon.startsWith('/')) return html`<img class="icon" src="${icon}" alt="" width="18" height="18" />`;
  const brand = brandOf(icon);
  if (brand) return brand.logo;
  const [letter] = label;
  return html`<span class="icon letter" aria-hidden="true">${letter}</span>`;
}

/** A provider that is not configured is not a fault: an application may have it in production alone. */
export function checkProviders(faults: OptionFaults, providers: unknown): void {
  for (const [id, look] of faults.entries(providers, 'providers'))
    for (const [option, value] of faults.entries(look, `providers.${id}`)) {
      faults.named(option, ['label', 'icon'], `providers.${id}.`);
      const isText = typeof value === 'string' && value.trim() !== '';
      if (option === 'label')
        faults.check(isText, `providers.${id}.label`, 'must be a string that is not empty');
      if (option === 'icon')
        faults.check(
          isText && (value.startsWith('/') ? isTarget(value) : brandOf(value) !== null),
          `providers.${id}.icon`,
          `must be a path of your site that starts with one /, or one of ${Object.keys(brands).join(', ')}`,
        );
    }
}
