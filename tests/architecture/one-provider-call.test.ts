// "A handler parses, calls one provider method, sets the cookie, responds": counted in the syntax of every endpoint.
import ts from 'typescript';
import { readLibrary } from './source-graph.js';

/** Ends the session of every token that the request carries, which can be two. */
const exempt = new Set(['logout']);

const routeFiles = readLibrary().filter(({ path }) => path.startsWith('http/routes/'));

/** Returns the identifier at the start of `a.b[c].d()`, and the number of steps from it to the end. */
function rootOf(node: ts.Node, steps = 0): { name: string; steps: number } | undefined {
  if (ts.isIdentifier(node)) return { name: node.text, steps };
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
    return rootOf(node.expression, steps + 1);
  if (ts.isCallExpression(node) || ts.isNonNullExpression(node) || ts.isAwaitExpression(node))
    return rootOf(node.expression, steps);
  return undefined;
}

/** Returns the names for the service and its parts, and the functions of the file that a handler may call. */
function declarationsOf(file: ts.SourceFile) {
  const parts = new Map([['service', 0]]);
  const functions = new Map<string, ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionDeclaration(node) && node.name && node.body) functions.set(node.name.text, node.body);
    if (ts.isVariableDeclaration(node) && node.initializer) {
      const root = rootOf(node.initializer);
      const depth = root && parts.get(root.name);
      const isPart = !ts.isAwaitExpression(node.initializer) && root !== undefined && depth !== undefined;
      if (isPart && ts.isIdentifier(node.name)) parts.set(node.name.text, depth + root.steps);
      if (isPart && ts.isObjectBindingPattern(node.name)) {
        for (const { name } of node.name.elements)
          if (ts.isIdentifier(name)) parts.set(name.text, depth + root.steps + 1);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { parts, functions };
}

/** Returns the maximum number of provider and tool methods that the code calls. A call in a loop counts twice. */
function callsIn(node: ts.Node, file: ReturnType<typeof declarationsOf>): number {
  const inside = (child: ts.Node) => callsIn(child, file);
  if (ts.isConditionalExpression(node))
    return inside(node.condition) + Math.max(inside(node.whenTrue), inside(node.whenFalse));
  let calls = 0;
  ts.forEachChild(node, (child) => void (calls += inside(child)));
  if (ts.isIterationStatement(node, false)) calls *= 2;
  if (!ts.isCallExpression(node)) return calls;
  const called = ts.isIdentifier(node.expression) ? file.functions.get(node.expression.text) : undefined;
  if (called) return calls + inside(called);
  const root = rootOf(node.expression);
  const depth = root && file.parts.get(root.name);
  // `service.oauth(name)` and `service[internals].existing.totp()` are accessors; `service.orgs.create()` is a call.
  const text = node.expression.getText();
  const isAccessor =
    /^service(?:\[internals\](?:\.existing)?)?\.\w+$/.test(text) || /\.(?:then|catch|finally)$/.test(text);
  return calls + (root && depth !== undefined && depth + root.steps >= 2 && !isAccessor ? 1 : 0);
}

const creators = new Set(['endpoint', 'redirectEndpoint']);

/** Returns the handlers of a file, with the name of the constant or the function that creates the endpoint. */
function handlersOf(file: ts.SourceFile): { endpoint: string; body: ts.Node }[] {
  const handlers: { endpoint: string; body: ts.Node }[] = [];
  const visit = (node: ts.Node, endpoint: string): void => {
    const [definition] =
      ts.isCallExpression(node) && creators.has(node.expression.getText()) ? node.arguments : [];
    if (definition && ts.isObjectLiteralExpression(definition)) {
      const handle = definition.properties.find((each) => each.name?.getText() === 'handle');
      if (handle) handlers.push({ endpoint, body: handle });
    }
    const isNamed = ts.isVariableDeclaration(node) || ts.isFunctionDeclaration(node);
    const name = isNamed ? (node.name?.getText() ?? endpoint) : endpoint;
    ts.forEachChild(node, (child) => visit(child, name));
  };
  visit(file, '');
  return handlers;
}

const handlers = routeFiles.flatMap(({ path: name, syntax }) => {
  const declarations = declarationsOf(syntax);
  return handlersOf(syntax).map(({ endpoint, body }) => ({
    name,
    endpoint,
    calls: callsIn(body, declarations),
  }));
});

describe('The handlers of the routes', () => {
  it('are found, and most of them call a provider', () => {
    expect(handlers.length).toBeGreaterThan(55);
    expect(handlers.filter(({ calls }) => calls === 1).length).toBeGreaterThan(50);
  });

  it('call one method of one provider each, so that no rule is in a route alone', () => {
    const several = handlers.filter(({ endpoint, calls }) => calls > 1 && !exempt.has(endpoint));
    expect(several).toEqual([]);
  });
});
