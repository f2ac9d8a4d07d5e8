/** The search field and the filters of the list. */
import { html, type Html } from '../../html/html.js';
import { input, select } from '../../pages-kit/fields.js';
import { listPath, type FilterError, type FilterName, type Filters } from './filters.js';

const yesOrNo = (any: string, yes: string, no: string) =>
  [
    ['', any],
    ['yes', yes],
    ['no', no],
  ] as const;

const choices = {
  blocked: yesOrNo('Any', 'Blocked', 'Not blocked'),
  verified: yesOrNo('Any', 'Verified', 'Not verified'),
  guest: yesOrNo('Any', 'Guest', 'Not a guest'),
  sort: [
    ['', 'Newest first'],
    ['oldest', 'Oldest first'],
  ],
} as const;

const labels: Record<Exclude<FilterName, 'search'>, string> = {
  blocked: 'Status',
  verified: 'Email address',
  guest: 'Type',
  role: 'Role',
  from: 'Created from (UTC)',
  to: 'Created to (UTC)',
  sort: 'Order',
};

export function filterForm(base: string, { values }: Filters, error: FilterError | undefined): Html {
  const chosen = (name: 'blocked' | 'verified' | 'guest' | 'sort') =>
    select({ name, label: labels[name], value: values[name], choices: choices[name] });
  const isFiltered = Object.keys(values).some((name) => name !== 'search');
  return html`<form method="get" action="${base}/users" role="search" class="filters">
    <div class="search">
      ${input({
        name: 'search',
        type: 'search',
        label: 'Search users',
        isLabelHidden: true,
        placeholder: 'Email address, username or id',
        value: values.search,
        maxLength: 320,
      })}
      <button>Search</button>
    </div>
    <details ${(isFiltered || error !== undefined) && html`open`}>
      <summary>Filters</summary>
      <div class="grid">
        ${chosen('blocked')} ${chosen('verified')} ${chosen('guest')}
        ${input({
          name: 'role',
          label: labels.role,
          value: values.role,
          error: error?.field === 'role' ? error.text : undefined,
          maxLength: 64,
        })}
        ${input({ name: 'from', type: 'date', label: labels.from, value: values.from })}
        ${input({ name: 'to', type: 'date', label: labels.to, value: values.to })} ${chosen('sort')}
        <div class="buttons"><button>Apply filters</button></div>
      </div>
    </details>
    ${applied(base, values)}
  </form>`;
}

/** Each condition in force, as a link that removes it. */
function applied(base: string, values: Filters['values']): Html | false {
  const names = (Object.keys(values) as FilterName[]).filter((name) => name !== 'search' && name !== 'sort');
  if (names.length === 0) return false;
  return html`<ul class="applied" aria-label="Filters in force">
    ${names.map((name) => {
      const path = listPath({ ...values, [name]: undefined });
      return html`<li>
        <a href="${base}${path}"
          ><span class="soft">${labels[name as 'role']}:</span> ${textOf(name, values[name])}
          <span aria-hidden="true">×</span><span class="hidden"> (remove this filter)</span></a
        >
      </li>`;
    })}
    <li><a class="clear" href="${base}/users">Clear all</a></li>
  </ul>`;
}

function textOf(name: FilterName, value: string | undefined): string | undefined {
  const known = name in choices ? choices[name as 'blocked'] : [];
  return known.find(([each]) => each === value)?.[1] ?? value;
}
