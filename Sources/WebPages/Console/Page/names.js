// The name that a form suggests: that of this tab, else the last one of this browser with three letters of its own, so that two
// tabs with suggested values do not take each other's place.

const NAME = 'roomserver.name'
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789'

const suffix = () => Array.from(crypto.getRandomValues(new Uint8Array(3)), byte => LETTERS[byte % LETTERS.length]).join('')

/** @type {string | undefined} */
let suggested

export function suggestedName() {
  if (!suggested) {
    const [own, last] = [read(sessionStorage), read(localStorage)]
    suggested = own ?? `${(last ?? 'host').slice(0, 58)}-${suffix()}`
  }
  return suggested
}

// Remembers a name that the user typed, or the base of a suggested one.
/** @param {string} name */
export function rememberName(name) {
  const base = name === suggested ? read(localStorage) ?? 'host' : name
  suggested = name
  write(sessionStorage, name)
  write(localStorage, base)
}

/** @param {Storage} storage */
function read(storage) { try { return storage.getItem(NAME) } catch { return null } }
/** @param {Storage} storage @param {string} name */
function write(storage, name) { try { storage.setItem(NAME, name) } catch { /* storage is off: the name is suggested anew */ } }
