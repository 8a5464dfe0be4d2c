// Parts of deploy/build-web.sh.
//
//   package.mjs FOLDER FILE…            puts the modules that the entries load into a folder, with package.json
//   package.mjs --types FOLDER          removes the types that no entry's types refer to
//   package.mjs --exports FOLDER APP    fails if an app does not use an export of an entry
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const ENTRIES = { '.': 'roomclient', './player': 'roomplayer', './elements': 'room-elements', './process': 'process', './background': 'background',
  './record': 'record', './own-media': 'own-media', './broadcast': 'broadcast' }
const HEADER = 'Sources/ClientLibrary/C/include/roomclient/library.h' // has the version of the clients

// The files that some files refer to, and themselves.
/** @param {string[]} waiting @param {(name: string) => string | undefined} read @param {RegExp} pattern */
function closure(waiting, read, pattern) {
  const found = new Set()
  for (let name; (name = waiting.pop());) {
    const text = found.has(name) ? undefined : read(name)
    if (text === undefined) continue
    found.add(name)
    for (const [, one, two] of text.matchAll(pattern)) waiting.push(one ?? two)
  }
  return found
}

const [first, second, third] = process.argv.slice(2)
if (first === '--types') {
  const read = name => existsSync(join(second, name)) ? readFileSync(join(second, name), 'utf8') : undefined
  const kept = closure(Object.values(ENTRIES).map(name => `${name}.d.ts`), name => read(name.replace(/\.js$/, '.d.ts')), /'\.\/([^']+)'|"\.\/([^"]+)"/g)
  const names = new Set(['types.d.ts', ...kept].map(name => name.replace(/\.js$/, '.d.ts')))
  for (const name of readdirSync(second)) if (name.endsWith('.d.ts') && !names.has(name)) rmSync(join(second, name))
} else if (first === '--exports') {
  const app = readFileSync(third, 'utf8')
  const missing = Object.values(ENTRIES).filter(name => existsSync(join(second, `${name}.js`))).flatMap(name =>
    [...readFileSync(join(second, `${name}.js`), 'utf8').matchAll(/^export (?:(?:async )?(?:class|function|const) (\w+)|\{ ([^}]+) \})/gm)]
      .flatMap(([, one, list]) => one ?? list.split(', ').map(each => each.split(' as ').pop())))
    .filter(name => !new RegExp(`\\b${name}\\b`).test(app))
  if (missing.length) console.error(`deploy/web/app.ts does not use ${missing.join(', ')}.`)
  process.exit(missing.length ? 1 : 0)
} else {
  const texts = new Map(process.argv.slice(3).map(path => [basename(path), readFileSync(path, 'utf8')]))
  const entries = Object.entries(ENTRIES).filter(([, name]) => texts.has(`${name}.js`))
  for (const name of closure(entries.map(([, name]) => `${name}.js`), name => texts.get(name), /'\.\/([^']+\.js)'/g)) writeFileSync(join(first, name), texts.get(name))
  const header = readFileSync(HEADER, 'utf8')
  const version = ['MAJOR', 'MINOR', 'PATCH'].map(part => new RegExp(`RC_VERSION_${part} (\\d+)`).exec(header)[1]).join('.')
  writeFileSync(join(first, 'package.json'), `${JSON.stringify({
    name: 'roomclient', version, description: 'The web client of roomserver', license: 'Apache-2.0', type: 'module',
    exports: Object.fromEntries(entries.map(([path, name]) => [path, { types: `./${name}.d.ts`, default: `./${name}.js` }])),
    sideEffects: ['./room-*.js'], files: ['*.js', '*.d.ts'],
  }, null, 2)}\n`)
}
