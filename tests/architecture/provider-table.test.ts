// The parts of src/providers/table.ts that the compiler cannot check.
import ts from 'typescript';
import { serviceConfig } from '../../src/config/schema.js';
import { readLibrary } from './source-graph.js';

interface Schema {
  shape?: Record<string, Schema>;
  valueType?: Schema;
  def: { innerType?: Schema; in?: Schema; options?: Schema[] };
  safeParse: (value: unknown) => { success: boolean };
}

describe('The table of providers', () => {
  it('exports the type of every provider', () => {
    const table = readLibrary().find(({ path }) => path === 'providers/table.ts');
    const imported = table?.imports.flatMap(({ names }) => names).filter((name) => name.endsWith('Provider'));
    const exported = table?.syntax.statements
      .filter(ts.isExportDeclaration)
      .flatMap(({ exportClause }) =>
        exportClause && ts.isNamedExports(exportClause)
          ? exportClause.elements.map((element) => element.name.text)
          : [],
      );
    expect(imported?.length).toBeGreaterThan(10);
    expect(exported?.sort()).toEqual(imported?.sort());
  });

  // close() finds senders by this name.
  it('calls every option that takes a sender `sender`', () => {
    const senders = optionsOf(serviceConfig().shape.providers as unknown as Schema).filter(
      ([, schema]) => schema.safeParse({ send: () => undefined }).success && !schema.safeParse({}).success,
    );
    expect(senders.length).toBeGreaterThan(3);
    expect(senders.filter(([name]) => name !== 'sender')).toEqual([]);
  });
});

/** Every option below the schema, at any depth. */
function optionsOf({ shape, valueType, def }: Schema): [name: string, schema: Schema][] {
  const own = Object.entries(shape ?? {});
  const inner = [
    ...own.map(([, schema]) => schema),
    valueType,
    def.innerType,
    def.in,
    ...(def.options ?? []),
  ];
  return [...own, ...inner.flatMap((schema) => (schema ? optionsOf(schema) : []))];
}
