/** A program that exports every function and every method of an entry point, so that the compiler must name their types. */
import path from 'node:path';
import ts from 'typescript';

const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;

/** @param declarations the file of the entry point with its types. */
export function exportEveryMethod(entry: string, declarations: string): string {
  const program = ts.createProgram([declarations], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    strict: true,
    skipLibCheck: true,
  });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(declarations)!;
  const statements = checker.getExportsOfModule(checker.getSymbolAtLocation(file)!).flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    if (symbol.flags & ts.SymbolFlags.Function)
      return [`export const ${exported.name} = api.${exported.name};`];
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    if (!type.isClassOrInterface() || type.typeParameters !== undefined || !isOfPackage(type)) return [];
    return methodsOf(type, 'x').map(
      (method, index) => `export const ${exported.name}${index} = (x: api.${exported.name}) => ${method};`,
    );
  });
  return [`import * as api from '${entry}';`, ...statements].join('\n');

  /** The methods of an object, and those of its objects, such as \`x.users.create\`. */
  function methodsOf(type: ts.Type, owner: string): string[] {
    return checker.getPropertiesOfType(type).flatMap((property) => {
      const isPublic = !property.declarations?.some((each) => ts.getCombinedModifierFlags(each) & hidden);
      if (!isPublic || !/^[a-z]\w*$/i.test(property.name)) return [];
      const propertyPath = `${owner}.${property.name}`;
      const declared = checker.getTypeOfSymbol(property);
      const propertyType = checker.getNonNullableType(declared);
      if (propertyType.getCallSignatures().length > 0) return [propertyPath];
      const isRequired = (property.flags & ts.SymbolFlags.Optional) === 0 && propertyType === declared;
      return owner === 'x' && isRequired && isOfPackage(propertyType)
        ? methodsOf(propertyType, propertyPath)
        : [];
    });
  }

  function isOfPackage({ symbol }: ts.Type): boolean {
    const folder = path.dirname(declarations);
    return symbol?.declarations?.some((each) => each.getSourceFile().fileName.startsWith(folder)) ?? false;
  }
}
