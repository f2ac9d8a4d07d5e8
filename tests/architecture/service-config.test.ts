// The interface `ServiceConfig` is written by hand. It has the options of the schema, with the same types and the same words.
import ts from 'typescript';
import type * as z from 'zod';
import {
  commentOf,
  configSchema,
  descriptionOf,
  nestedSchema,
  recordOf,
  type Schema,
} from '../../scripts/config-schema.js';
import type { serviceConfig } from '../../src/config/schema.js';
import type { ServiceConfig } from '../../src/config/service-config.js';
import { readLibrary } from './source-graph.js';

type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;

const interfaces = new Map(
  readLibrary()
    .filter((file) => file.path.startsWith('config/'))
    .flatMap((file) => file.syntax.statements.filter(ts.isInterfaceDeclaration))
    .map((declaration) => [declaration.name.text, declaration] as const),
);

/** The limits share an interface, so the defaults of each are in the comment of the whole limit. */
const isOfLimit = (option: string) => /^rateLimit\.\w+\.\w+\.\w+$/.test(option);

interface Difference {
  option: string;
  comment: string;
  expected: string;
}

/** Returns the options whose comments differ from the schema, or that are in one of the two only. */
function differences(name: string, schema: Schema, prefix: string): Difference[] {
  const declaration = interfaces.get(name);
  if (!declaration) throw new Error(`src/config has no interface ${name}`);
  const members = new Map(
    declaration.members.filter(ts.isPropertySignature).map((member) => [member.name.getText(), member]),
  );
  const names = new Set([...members.keys(), ...Object.keys(schema.shape ?? {})]);
  return [...names].flatMap((key) => {
    const member = members.get(key);
    const option = schema.shape?.[key];
    const path = `${prefix}${key}`;
    if (!member || !option)
      return [
        { option: path, comment: member ? 'present' : 'missing', expected: option ? 'present' : 'missing' },
      ];
    const comment = wordsOf(member);
    const expected = isOfLimit(path) ? descriptionOf(path, option) : commentOf(path, option);
    const isSame = comment === expected || (isOfLimit(`${path}.max`) && comment.startsWith(expected));
    const record = recordOf(option);
    const nested = nestedSchema(record?.valueType ?? option);
    const inner = nested ? nameOfInterface(member.type!) : undefined;
    return [
      ...(isSame ? [] : [{ option: path, comment, expected }]),
      ...(nested && inner ? differences(inner, nested, record ? `${path}.<name>.` : `${path}.`) : []),
    ];
  });
}

function wordsOf(member: ts.PropertySignature): string {
  const text = ts
    .getJSDocCommentsAndTags(member)
    .map((part) => ts.getTextOfJSDocComment(part.comment) ?? '')
    .join(' ');
  return text.replace(/\s+/g, ' ').trim();
}

/** Returns the only interface of the configuration that a type names. */
function nameOfInterface(type: ts.TypeNode): string {
  const [name] = [...type.getText().matchAll(/\w+/g)]
    .map(([word]) => word)
    .filter((word) => interfaces.has(word));
  if (name === undefined) throw new Error(`${type.getText()} names no interface of src/config`);
  return name;
}

describe('ServiceConfig', () => {
  it('has the types that the schema accepts', () => {
    // Does not compile if one of them changes alone.
    const same: Same<ServiceConfig, z.input<ReturnType<typeof serviceConfig>>> = true;
    expect(same).toBe(true);
  });

  it('describes each option, and its default, in the words of the schema', () => {
    expect(differences('ServiceConfig', configSchema, '')).toEqual([]);
  });

  it('finds options that are missing, and other words', () => {
    const { shape = {} } = configSchema;
    const { appName: _left, ...others } = shape;
    const changed = {
      ...configSchema,
      shape: { ...others, clock: shape['background']!, secret: shape['logger']! },
    };
    const found = differences('ServiceConfig', changed, '').map(({ option }) => option);
    expect(found.sort()).toEqual(['appName', 'clock', 'secret']);
  });
});
