// The errors of malformed arguments name the field and what it must be.
import * as z from 'zod';
import { parseInput } from '../../src/core/support/input.js';

const schema = z.object({
  email: z.string().optional(),
  owner: z.object({ epoch: z.int() }).optional(),
  scopes: z.array(z.string()).optional(),
  params: z.record(z.string(), z.string()).optional(),
  access: z.enum(['online', 'offline']).optional(),
  state: z.string().min(1, 'must not be empty').optional(),
  at: z.custom<Date>(() => false).optional(),
});

describe('parseInput', () => {
  it.each([
    [null, 'The input must be an object.'],
    [{ email: 1 }, 'email must be a string.'],
    [{ owner: { epoch: 1.5 } }, 'owner.epoch must be an integer.'],
    [{ scopes: 'read' }, 'scopes must be an array.'],
    [{ params: [] }, 'params must be an object.'],
    [{ access: 'never' }, 'access must be one of online, offline.'],
    [{ state: '' }, 'state must not be empty.'],
    [{ at: 1 }, 'at is invalid.'],
  ])('refuses %j: %s', (input, message) => {
    const call = () => parseInput(() => schema, input);
    expect(call).toThrow(expect.objectContaining({ code: 'invalid_request', message }));
  });

  it('says that a required field is missing', () => {
    const call = () => parseInput(() => schema.pick({ email: true }).required(), {});
    expect(call).toThrow(expect.objectContaining({ code: 'invalid_request', message: 'email is required.' }));
  });
});
