// "A handler parses, calls one provider method, sets the cookie, responds": counted in the syntax of every endpoint.
import ts from 'typescript';
import { readSource } from './source-graph.js';

/** Ends the session of every token that the request carries, which may be two. */
const exempt = new Set(['/logout']);

const routeFiles = readSource().filter(({ path }) => path.startsWith('http/routes/'));

/** The identifier at the start of `a.b[c].d()`, and how many steps lead from it to the end. */
function rootOf(node: ts.Node, steps = 0): { name: string; steps: number } | undefined {
  if (ts.isIdentifier(node)) return { name: node.text, steps };
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
    return rootOf(node.expression, steps + 1);
  if (ts.isCallExpression(node) || ts.isNonNullExpression(node) || ts.isAwaitExpression(node))
    return rootOf(node.expression, steps);
  return undefined;
}

/** Names that stand for the service or a part of it, and functions of the file that a handler may call. */
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

/** How many methods of providers and tools a piece of code calls at most. One in a loop counts as two. */
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

function handlersOf(file: ts.SourceFile): { path: string; body: ts.Node }[] {
  const found: { path: string; body: ts.Node }[] = [];
  const visit = (node: ts.Node): void => {
    const [definition] =
      ts.isCallExpression(node) && node.expression.getText() === 'endpoint' ? node.arguments : [];
    if (definition && ts.isObjectLiteralExpression(definition)) {
      const named = (name: string) => definition.properties.find((each) => each.name?.getText() === name);
      const handle = named('handle');
      const path = named('path');
      const written =
        path && ts.isPropertyAssignment(path) ? path.initializer.getText().slice(1, -1) : '(parameter)';
      if (handle) found.push({ path: written, body: handle });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

const handlers = routeFiles.flatMap(({ path: name, syntax }) => {
  const declarations = declarationsOf(syntax);
  return handlersOf(syntax).map(({ path, body }) => ({ name, path, calls: callsIn(body, declarations) }));
});

describe('The handlers of the routes', () => {
  it('are found, and most of them call a provider', () => {
    expect(handlers.length).toBeGreaterThan(55);
    expect(handlers.filter(({ calls }) => calls === 1).length).toBeGreaterThan(50);
  });

  it('call one method of one provider each, so that no rule is in a route alone', () => {
    const several = handlers.filter(({ path, calls }) => calls > 1 && !exempt.has(path));
    expect(several).toEqual([]);
  });
});
