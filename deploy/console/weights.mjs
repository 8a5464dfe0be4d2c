// Prints what a browser loads at first for each page and entry of the web client, compressed, and fails if one is above its bar. Like the build,
// it leaves out the lines that are only a comment (Sources/EmbedPage), and compresses each file by itself.
//
//   node weights.mjs FILE…
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'

const BARS = { 'roomplayer.js': 15, 'roomclient.js': 30, 'watch.html': 35, 'index.html': 110 } // kB

// The modules of the web client name their source maps.
const named = path => path.includes('/WebClient/') && path.endsWith('.js') ? `//# sourceMappingURL=${basename(path)}.map\n` : ''
const maps = new Map(process.argv.slice(2).map(path => [basename(path), named(path)]))
const texts = new Map(process.argv.slice(2).map(path => [basename(path), readFileSync(path, 'utf8')]))

/** @param {string} text */
function withoutComments(text) {
  let isInside = false
  return text.split('\n').filter(line => {
    const rest = line.trimStart()
    const begins = rest.startsWith('/**') && (rest.endsWith('*/') || !rest.includes('*/'))
    const isComment = isInside || begins || rest.startsWith('//')
    if (isInside || begins) isInside = !rest.endsWith('*/')
    return !isComment
  }).join('\n')
}

/** @param {string} name */
const weigh = name => gzipSync(name.endsWith('.js') ? withoutComments(texts.get(name)) + maps.get(name) : texts.get(name), { level: 9 }).length

// What a document or module loads, without what it loads on demand.
/** @param {string} name */
const loads = name => name.endsWith('.html')
  ? [...texts.get(name).matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, file]) => file)
  : [...texts.get(name).matchAll(/^(?:import|export) [^'\n]*'\.\/([^']+)'/gm)].map(([, file]) => file)

/** @param {string[]} waiting */
function loaded(waiting) {
  const found = new Set()
  for (let name; (name = waiting.pop());) {
    if (found.has(name) || !texts.has(name)) continue
    found.add(name)
    waiting.push(...loads(name))
  }
  return found
}

// The console loads one of its views on demand.
const views = [...texts.keys()].filter(name => /^view-.*\.js$/.test(name))
let isAbove = false
for (const [entry, bar] of Object.entries(BARS)) {
  if (!texts.has(entry)) continue
  const files = loaded(entry === 'index.html' ? [entry, ...views] : [entry])
  const alone = entry === 'index.html' ? loaded([entry]) : files
  const heaviest = Math.max(...(entry === 'index.html' ? views : [entry]).map(view => [...new Set([...alone, ...loaded([view])])].reduce((sum, name) => sum + weigh(name), 0)))
  console.log(`${entry}: ${(heaviest / 1000).toFixed(1)} kB of ${bar} kB, ${alone.size} files`)
  isAbove ||= heaviest > bar * 1000
}
process.exit(isAbove ? 1 : 0)
