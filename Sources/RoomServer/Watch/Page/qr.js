// Encodes a text as a QR code (ISO/IEC 18004): bytes, error correction of level M, up to version 20. Needs no page.

// Of each version from 1: codewords for correction in a block, and blocks.
const CORRECTION = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26]
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

// All codewords of a version.
/** @param {number} version */
function codewords(version) {
  let modules = (16 * version + 128) * version + 64
  if (version > 1) {
    const marks = Math.floor(version / 7) + 2
    modules -= (25 * marks - 10) * marks - 55
    if (version > 6) modules -= 36
  }
  return modules >>> 3
}

/** @param {number} one @param {number} other */
function multiply(one, other) {
  let product = 0
  for (let bit = 7; bit >= 0; bit -= 1) {
    product = product << 1 ^ (product >>> 7) * 0x11d
    if (other >>> bit & 1) product ^= one
  }
  return product
}

// The remainder of the data divided by the generator of Reed and Solomon.
/** @param {number[]} data @param {number} degree */
function correction(data, degree) {
  const divisor = new Array(degree).fill(0)
  divisor[degree - 1] = 1
  for (let index = 0, root = 1; index < degree; index += 1, root = multiply(root, 2)) {
    for (let at = 0; at < degree; at += 1) divisor[at] = multiply(divisor[at], root) ^ (at + 1 < degree ? divisor[at + 1] : 0)
  }
  const rest = new Array(degree).fill(0)
  for (const byte of data) {
    const factor = byte ^ rest.shift()
    rest.push(0)
    for (let at = 0; at < degree; at += 1) rest[at] ^= multiply(divisor[at], factor)
  }
  return rest
}

// The codewords of a text, with the smallest version that has space for it.
/** @param {string} text */
function encoded(text) {
  const bytes = [...new TextEncoder().encode(text)]
  const space = (/** @type {number} */ version) => codewords(version) - CORRECTION[version - 1] * BLOCKS[version - 1]
  const version = BLOCKS.findIndex((_, index) => bytes.length + (index < 9 ? 2 : 3) <= space(index + 1)) + 1
  if (!version) throw new Error('The text is too long for a QR code.')
  /** @type {number[]} */
  const bits = []
  const add = (/** @type {number} */ value, /** @type {number} */ count) => { for (let bit = count - 1; bit >= 0; bit -= 1) bits.push(value >>> bit & 1) }
  add(4, 4)
  add(bytes.length, version < 10 ? 8 : 16)
  for (const byte of bytes) add(byte, 8)
  add(0, Math.min(4, space(version) * 8 - bits.length))
  add(0, (8 - bits.length % 8) % 8)
  const data = Array.from({ length: bits.length / 8 }, (_, at) => bits.slice(at * 8, at * 8 + 8).reduce((sum, bit) => sum << 1 | bit, 0))
  for (let pad = 0xec; data.length < space(version); pad ^= 0xec ^ 0x11) data.push(pad)
  // The last blocks are one longer.
  const [count, extra] = [BLOCKS[version - 1], CORRECTION[version - 1]]
  const short = Math.floor(data.length / count)
  const blocks = Array.from({ length: count }, (_, index) => data.splice(0, short + (index >= count - (space(version) % count) ? 1 : 0)))
  const repairs = blocks.map(block => correction(block, extra))
  const mixed = []
  for (let at = 0; at <= short; at += 1) for (const block of blocks) if (at < block.length) mixed.push(block[at])
  for (let at = 0; at < extra; at += 1) for (const repair of repairs) mixed.push(repair[at])
  return { version, words: mixed }
}

/** @type {Array<(x: number, y: number) => boolean>} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0, (_, y) => y % 2 === 0, x => x % 3 === 0, (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0, (x, y) => x * y % 2 + x * y % 3 === 0,
  (x, y) => (x * y % 2 + x * y % 3) % 2 === 0, (x, y) => ((x + y) % 2 + x * y % 3) % 2 === 0,
]

// The rows of the code, with true for dark; without the light margin of four modules that a reader needs.
/** @param {string} text @returns {boolean[][]} */
export function qrCode(text) {
  const { version, words } = encoded(text)
  const size = version * 4 + 17
  const grid = Array.from({ length: size }, () => new Array(size).fill(false))
  const isFixed = Array.from({ length: size }, () => new Array(size).fill(false))
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {unknown} */ isDark) => {
    if (x < 0 || y < 0 || x >= size || y >= size) return
    grid[y][x] = Boolean(isDark)
    isFixed[y][x] = true
  }
  // Timing, corners and alignment.
  for (let at = 0; at < size; at += 1) {
    set(6, at, at % 2 === 0)
    set(at, 6, at % 2 === 0)
  }
  for (const [x, y] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy += 1) for (let dx = -4; dx <= 4; dx += 1) {
      const ring = Math.max(Math.abs(dx), Math.abs(dy))
      set(x + dx, y + dy, ring !== 2 && ring !== 4)
    }
  }
  const marks = version === 1 ? 0 : Math.floor(version / 7) + 2
  const step = marks && Math.ceil((version * 4 + 4) / (marks * 2 - 2)) * 2
  const places = Array.from({ length: marks }, (_, index) => index === 0 ? 6 : size - 7 - (marks - 1 - index) * step)
  for (const x of places) for (const y of places) {
    if ((x === 6 && (y === 6 || y === size - 7)) || (x === size - 7 && y === 6)) continue
    for (let dy = -2; dy <= 2; dy += 1) for (let dx = -2; dx <= 2; dx += 1) set(x + dx, y + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1)
  }
  if (version > 6) {
    let rest = version
    for (let index = 0; index < 12; index += 1) rest = rest << 1 ^ (rest >>> 11) * 0x1f25
    const bits = version << 12 | rest
    for (let index = 0; index < 18; index += 1) {
      const [a, b] = [size - 11 + index % 3, Math.floor(index / 3)]
      set(a, b, bits >>> index & 1)
      set(b, a, bits >>> index & 1)
    }
  }
  const format = (/** @type {number} */ mask) => {
    let rest = mask // level M is 0
    for (let index = 0; index < 10; index += 1) rest = rest << 1 ^ (rest >>> 9) * 0x537
    const bits = (mask << 10 | rest) ^ 0x5412
    const bit = (/** @type {number} */ index) => bits >>> index & 1
    for (let index = 0; index < 6; index += 1) set(8, index, bit(index))
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for (let index = 9; index < 15; index += 1) set(14 - index, 8, bit(index))
    for (let index = 0; index < 8; index += 1) set(size - 1 - index, 8, bit(index))
    for (let index = 8; index < 15; index += 1) set(8, size - 15 + index, bit(index))
    set(8, size - 8, true)
  }
  format(0)
  // The codewords go up and down in columns of two.
  let at = 0
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5
    for (let row = 0; row < size; row += 1) for (const x of [right, right - 1]) {
      const y = (right + 1 & 2) === 0 ? size - 1 - row : row
      if (isFixed[y][x]) continue
      if (at < words.length * 8) grid[y][x] = (words[at >>> 3] >>> 7 - (at & 7) & 1) === 1
      at += 1
    }
  }
  const flip = (/** @type {number} */ mask) => {
    for (let y = 0; y < size; y += 1) for (let x = 0; x < size; x += 1) if (!isFixed[y][x] && MASKS[mask](x, y)) grid[y][x] = !grid[y][x]
  }
  let best = 0
  let least = Infinity
  for (let mask = 0; mask < MASKS.length; mask += 1) {
    format(mask)
    flip(mask)
    const cost = unevenness(grid)
    if (cost < least) [best, least] = [mask, cost]
    flip(mask)
  }
  format(best)
  flip(best)
  return grid
}

// How hard the code is to read: long runs of one colour, and blocks of four.
/** @param {boolean[][]} grid */
function unevenness(grid) {
  let cost = 0
  const size = grid.length
  for (let y = 0; y < size; y += 1) {
    for (const get of [(/** @type {number} */ x) => grid[y][x], (/** @type {number} */ x) => grid[x][y]]) {
      for (let x = 1, run = 1; x < size; x += 1) {
        run = get(x) === get(x - 1) ? run + 1 : 1
        if (run >= 5) cost += run === 5 ? 3 : 1
      }
    }
    for (let x = 1; x < size && y > 0; x += 1) if (grid[y][x] === grid[y - 1][x] && grid[y][x] === grid[y][x - 1] && grid[y][x] === grid[y - 1][x - 1]) cost += 3
  }
  return cost
}
