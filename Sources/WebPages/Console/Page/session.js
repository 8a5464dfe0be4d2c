// The token of this tab. It is stored only in this tab's sessionStorage.

import { text } from './text.js'

const KEY = 'roomserver.token'

// A token's claims: `{ token, kind: 'api'|'room', key, room, user, grants, expires }`. Nothing is verified here; the server
// does that. Throws if it is not a token of this server.
/** @param {string} given @returns {Session} */
export function read(given) {
  const token = given.trim()
  const parts = token.split('.')
  if (parts.length !== 3) throw new Error(text.shell.noToken)
  let head, claims
  try {
    [head, claims] = parts.slice(0, 2).map(part => JSON.parse(atob(part.replaceAll('-', '+').replaceAll('_', '/'))))
  } catch {
    throw new Error(text.shell.brokenToken)
  }
  const expires = (claims.exp ?? 0) * 1000
  if (expires < Date.now()) throw new Error(text.shell.expiredToken)
  if (claims.api === true) return { token, kind: 'api', key: claims.iss ?? head.kid, expires }
  if (claims.room && claims.sub) {
    return { token, kind: 'room', key: head.kid, room: claims.room, user: claims.sub, grants: claims.grants ?? [], expires }
  }
  throw new Error(text.shell.otherToken)
}

// A link may carry a token after its `#`, which browsers never send to a server. It is removed from the address at once.
export function fromAddress() {
  const match = /^#token=([^&]+)/.exec(location.hash)
  if (!match) return null
  history.replaceState(null, '', location.pathname)
  return match[1]
}

/** @param {Session} session */
export function remember(session) { sessionStorage.setItem(KEY, session.token) }
export function forget() { sessionStorage.removeItem(KEY) }

export function remembered() {
  try { return read(sessionStorage.getItem(KEY) ?? '') } catch { return null }
}
