/** API keys of an organisation, which outlive whoever made them. For admins and owners. */
import type { Org } from 'svc-auth/client';
import { auth } from '../auth.js';
import { el } from '../dom.js';
import { startKeys } from './keys.js';
import { emptyList, labelled, part } from './organisation-parts.js';

export function keysOf(org: Org): HTMLElement {
  const { apiKeys } = auth.orgs;
  const places = {
    list: emptyList('No keys of this organisation yet.'),
    form: keyForm(org),
    banner: keyBanner(),
  };
  startKeys(places, {
    list: () => apiKeys.list(org.id),
    create: (input) => apiKeys.create(org.id, input),
    remove: (id) => apiKeys.remove(org.id, id),
    scopes: ['organisation:read'],
    example: '/api/v1/organisation',
  });
  return part('Keys', org.name, places.list, places.banner, places.form);
}

/** As the section of one's own keys has it; see ../../pages/account/api-keys.ts. */
function keyBanner(): HTMLElement {
  const copy = (text: string) => el('button', { type: 'button', class: 'plain', 'data-copy': '' }, text);
  return el(
    'div',
    { class: 'banner', hidden: true },
    el('p', { tabindex: '-1' }, el('strong', {}, 'Copy this key now.'), ' It is not shown again.'),
    el('p', { class: 'row' }, el('code')),
    el('p', { class: 'row' }, copy('Copy the key'), copy('Copy a curl line')),
  );
}

function keyForm(org: Org): HTMLFormElement {
  const limits = { name: 'name', maxlength: '100', placeholder: 'Build server' };
  return el(
    'form',
    { class: 'inline' },
    ...labelled(`Name of a new key of ${org.name}`, `key-${org.id}`, limits),
    el('p', { class: 'error', role: 'alert', 'data-message': true }),
    el(
      'button',
      { class: 'plain', 'data-busy': 'Making…', 'aria-label': `Make a key of ${org.name}` },
      'Make a key',
    ),
  );
}
