// The tabs of this browser with the same console share their tokens while they are open; nothing is stored. A tab without a token,
// such as a link that was opened in a new tab, asks the others; a renewed token reaches all that used the old one.
import { read } from './session.js'

const WAIT = 200

/** @typedef {{ ask?: string, token?: string, renewed?: string }} Said */

// Only pages of the same origin are on a channel.
const channel = 'BroadcastChannel' in window ? new BroadcastChannel('roomserver.token') : null

// Answers the other tabs, and takes a newer token over. `session()` is what this tab is signed in with.
/** @param {{ session: () => Session | null, renewed: (session: Session) => void }} given */
export function shareToken({ session, renewed }) {
  channel?.addEventListener('message', ({ data }) => {
    const said = /** @type {Said} */ (data)
    const now = session()
    if (!now || now.expires < Date.now()) return
    if (said.ask !== undefined && opens(now, said.ask)) channel.postMessage({ token: now.token })
    if (said.renewed) take(said.renewed, now)
  })
  /** @param {string} token @param {Session} now */
  const take = (token, now) => {
    try {
      const newer = read(token)
      if (isSame(newer, now) && newer.expires > now.expires) renewed(newer)
    } catch { /* another version of the console said it */ }
  }
}

// The same token, only newer.
/** @param {Session} a @param {Session} b */
export const isSame = (a, b) => a.kind === b.kind && a.key === b.key && a.room === b.room && a.user === b.user

/** @param {Session} session */
export const tellRenewed = session => channel?.postMessage({ renewed: session.token })

// A room token opens only its room's address.
/** @param {Session} session @param {string} path */
const opens = (session, path) => session.kind === 'api' || !path.startsWith('rooms/') || decodeURIComponent(path.slice(6)) === session.room

// The token of another tab; null if none answers.
/** @param {string} path The route that is to be opened. @returns {Promise<Session | null>} */
export function tokenOfAnotherTab(path) {
  if (!channel) return Promise.resolve(null)
  return new Promise(resolve => {
    const timer = setTimeout(() => done(null), WAIT)
    /** @param {MessageEvent} event */
    const listen = ({ data }) => {
      if (!data.token) return
      try { done(read(data.token)) } catch { /* it has expired meanwhile */ }
    }
    /** @param {Session | null} found */
    const done = found => {
      clearTimeout(timer)
      channel.removeEventListener('message', listen)
      resolve(found)
    }
    channel.addEventListener('message', listen)
    channel.postMessage({ ask: path })
  })
}
