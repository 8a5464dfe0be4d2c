// Prints the API page of the package (docs/client-web-api.md), made from the types that tsc makes of the JSDoc.
//
//   api.mjs FOLDER          prints the page
//   api.mjs --check FOLDER  prints what has no description, and fails if that is more than 5 % of exported names and their public members
//
// A member that is marked @internal is neither on the page nor counted.
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

const BAR = 0.95
const ENTRIES = {
  roomclient: 'roomclient', roomplayer: 'roomclient/player', 'room-elements': 'roomclient/elements', process: 'roomclient/process',
  background: 'roomclient/background', record: 'roomclient/record', 'own-media': 'roomclient/own-media', broadcast: 'roomclient/broadcast',
}

const checks = process.argv[2] === '--check'
const folder = process.argv[checks ? 3 : 2]
const tsc = process.env.PATH.split(delimiter).map(path => { try { return realpathSync(join(path, 'tsc')) } catch { return null } }).find(Boolean)
const ts = createRequire(tsc)('../lib/typescript.js')

const entries = Object.keys(ENTRIES)
const program = ts.createProgram([join(folder, 'types.d.ts'), ...entries.map(name => join(folder, `${name}.d.ts`))], {
  strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022, lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
})
const checker = program.getTypeChecker()
const isOurs = symbol => symbol?.declarations?.some(each => each.getSourceFile().fileName.startsWith(folder))
const text = symbol => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
const isInternal = symbol => symbol.getJsDocTags(checker).some(({ name }) => name === 'internal')
// A method without parameters, such as one of the browser's callbacks, has no description of ours.
const INHERITED = new Set(['connectedCallback', 'disconnectedCallback', 'attributeChangedCallback', 'observedAttributes', 'handleEvent', 'prototype'])

/** A type as it is written, on one line. */
const written = type => checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope)
  .replace(/import\("[^"]*"\)\./g, '').replace(/\s+/g, ' ')
const cell = value => value.replace(/\n/g, ' ').replace(/\|/g, '\\|')

/** A function's or method's name with its parameters and result. */
function signature(name, symbol) {
  const type = checker.getTypeOfSymbolAtLocation(symbol, symbol.declarations[0])
  const [call] = type.getCallSignatures()
  return call ? name + checker.signatureToString(call, undefined, ts.TypeFormatFlags.NoTruncation).replace(/import\("[^"]*"\)\./g, '').replace(/\s+/g, ' ')
    : `${name}: ${written(type)}`
}

let count = 0
const missing = []
/** Counts a name, and returns its description. */
function described(path, symbol) {
  const description = text(symbol)
  count += 1
  if (!description) missing.push(path)
  return description
}

/** The public members of a class that this package declares, the static ones first. */
function members(symbol) {
  const own = symbol.members ? [...symbol.members.values()] : []
  const fixed = symbol.exports ? [...symbol.exports.values()] : []
  const isPublic = each => isOurs(each) && !isInternal(each) && !INHERITED.has(each.name) && each.name !== '__constructor' && !/^__|^#/.test(each.name)
    && (each.flags & (ts.SymbolFlags.Property | ts.SymbolFlags.Method | ts.SymbolFlags.Accessor))
  return [...fixed.filter(isPublic).map(each => ({ name: `${symbol.name}.${each.name}`, member: each })),
    ...own.filter(isPublic).map(each => ({ name: each.name, member: each }))]
}

const seen = new Set()
/** The section of a class, and of the classes of its properties, such as `room.seats`. */
function section(symbol, title, level) {
  if (seen.has(symbol)) return ''
  seen.add(symbol)
  const heritage = symbol.declarations[0].heritageClauses?.[0]?.types[0]?.expression.getText()
  const parts = []
  let out = `\n${'#'.repeat(level)} ${title}\n\n${described(title, symbol)}\n`
  if (heritage && isOurs(checker.getTypeAtLocation(symbol.declarations[0].heritageClauses[0].types[0]).symbol)) {
    out += `\nExtends \`${heritage.replace('_base', '')}\`.\n`
  }
  const rows = members(symbol).map(({ name, member }) => {
    const description = described(`${title}.${name}`, member)
    const type = checker.getTypeOfSymbolAtLocation(member, member.declarations[0])
    if (type.symbol?.flags & ts.SymbolFlags.Class && isOurs(type.symbol) && !(member.flags & ts.SymbolFlags.Method)) parts.push([type.symbol, `${title.split('.')[0] === 'Room' ? 'room' : title}.${name}`])
    return `| \`${cell(signature(name, member))}\` | ${cell(description)} |\n`
  })
  if (rows.length) out += `\n| member | |\n|---|---|\n${rows.join('')}`
  return out + parts.map(([each, name]) => section(each, name, level + 1)).join('')
}

// The types that callers pass and get, most of all those of the server's messages.
const TYPES = ['RoomOptions', 'Captured', 'Sending', 'Source', 'Remote', 'Reception', 'Measured', 'Ending', 'CheckResult', 'DataMessage', 'RoomEvents']
const WIRE = ['Participant', 'Track', 'Profile', 'Seat', 'SeatRequest', 'SeatInvitation', 'RoomMessage', 'PKInfo', 'PKSide', 'PKInvitation', 'Job']
/** The declarations of some names in types.d.ts, as they are written. */
function declarations(names) {
  const found = new Map()
  const visit = node => {
    if ((ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) && names.includes(node.name.text)) found.set(node.name.text, node.getText())
    ts.forEachChild(node, visit)
  }
  visit(program.getSourceFile(join(folder, 'types.d.ts')))
  return names.map(name => {
    if (!found.has(name)) throw new Error(`types.d.ts has no ${name}`)
    return found.get(name)
  }).join('\n')
}

let page = `# API of the web client

<!-- Made of the JSDoc in Sources/WebClient by \`deploy/build-web.sh --update\`. -->

[client-web.md](client-web.md) explains the library by tasks. The types of what is passed and returned are [below](#types);
those of the server's messages are schemas of [openapi.yaml](../api/openapi.yaml). The npm package has them all.
`
for (const [file, name] of Object.entries(ENTRIES)) {
  page += `\n## ${name}\n`
  const module = checker.getSymbolAtLocation(program.getSourceFile(join(folder, `${file}.d.ts`)))
  const symbols = checker.getExportsOfModule(module)
    .map(each => each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each).filter(each => each.flags & (ts.SymbolFlags.Value))
  const functions = symbols.filter(each => !(each.flags & ts.SymbolFlags.Class))
  if (functions.length) {
    page += `\n| function | |\n|---|---|\n${functions.map(each => `| \`${cell(signature(each.name, each))}\` | ${cell(described(each.name, each))} |\n`).join('')}`
  }
  for (const each of symbols) if (each.flags & ts.SymbolFlags.Class) page += section(each, each.name, 3)
}

page += `\n## Types\n\n\`\`\`ts\n${declarations(TYPES)}\n\n// In the namespace Wire.\n${declarations(WIRE)}\n\`\`\`\n`

const share = 1 - missing.length / count
if (checks) {
  if (share < BAR) console.error(`${missing.length} of ${count} names have no description, more than ${((1 - BAR) * 100).toFixed(0)} %:\n${missing.join('\n')}`)
  process.exit(share < BAR ? 1 : 0)
}
process.stdout.write(page)
process.stderr.write(`${count - missing.length} of ${count} names have a description (${(share * 100).toFixed(1)} %).\n`)
