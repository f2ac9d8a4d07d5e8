/** What has happened, for administrators. */
import * as z from 'zod';
import { parseInput } from '../../../core/support/input.js';
import { statisticsRanges } from '../../../core/support/statistics-periods.js';
import { lazily } from '../../../runtime/load.js';
import { endpoint } from '../../endpoint.js';
import { queryParametersOf } from '../../request-context.js';
import { responses } from '../../response-schemas.js';

const query = lazily(() => z.object({ range: z.enum(statisticsRanges).optional() }));

export const getStatistics = endpoint({
  action: 'statistics.read',
  access: 'no-impersonation',
  summary:
    'Returns what was counted in the last 24 hours, 30 days or 12 months, with the option `statistics`',
  query,
  response: responses.statistics,
  errors: ['invalid_request'],
  requires: ({ service }) => service.statistics.assertEnabled(),
  handle: async ({ service, req }) => {
    const { range } = parseInput(query, queryParametersOf(req, ['range']));
    return service.statistics.read({ ...(range !== undefined && { range }) });
  },
});
