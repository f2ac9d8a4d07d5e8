/** Holds what the endpoints of the Pro router answer against what they say they answer: every field, and no other. */
import type { Service } from 'svc-auth';
import { createEndpointTools } from '../../src/http/endpoint-tools.js';
import { proEndpoints } from '../../src/http/pro-router.js';
import type { Answer } from './http-client.js';

export function answerSchemaCheck(service: Service) {
  const known = proEndpoints(createEndpointTools(service)).map((endpoint) => ({
    ...endpoint,
    pattern: new RegExp(`^${endpoint.path.replace(/:\w+/g, '[^/]+')}$`),
  }));
  return (method: string, path: string, { status, json }: Answer): void => {
    const at = (path.split('?')[0] ?? '').replace(/\/$/, '');
    const endpoint = known.find((each) => each.method === method.toLowerCase() && each.pattern.test(at));
    if (endpoint && status === 200) expect(endpoint.answer.parse(json)).toEqual(json);
  };
}
