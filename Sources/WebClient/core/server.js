// A server by the URL of its signalling, and the one to which a drained server redirects its clients (api/signalling.md §3).

// TypeScript 4.8 does not know this method.
/** @type {(url: string) => boolean} */
const canParse = url => /** @type {any} */ (URL).canParse(url)

const HOPS = 3 // the maximum number of redirects

/** A server by the URL of its signalling. */
export class Server {
  // `signal` is the URL of its signalling.
  /** @param {string} signal */
  constructor(signal) {
    /** The URL of its signalling. */
    this.signal = signal
    const { protocol, host, pathname } = new URL(signal)
    /** Whether its URL is `wss:`. */
    this.isSecure = protocol === 'wss:'
    /** Its host, with the port. */
    this.host = host
    /** The base URL of its REST API. */
    this.base = `${this.isSecure ? 'https' : 'http'}://${host}${pathname.replace(/\/v1\/signal\/?$/, '')}` // the base URL of its REST API
  }

  /** The server of an address: `https://live.example.org`, `wss://live.example.org` or the whole URL of its signalling.
   * @param {string} address */
  static at(address) {
    const url = address.trim().replace(/^http/, 'ws').replace(/\/+$/, '')
    return new Server(url.endsWith('/v1/signal') ? url : `${url}/v1/signal`)
  }

  /** The server of this page. */
  static own() { return new Server(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/signal`) }

  /** The server to which this one redirects; null if there is none, or it is less secure.
   * @param {string} [redirect]
   * @internal */
  next(redirect) {
    const named = redirect && /^wss?:\/\/[^/?#]+$/.test(redirect) ? `${redirect}/v1/signal` : redirect
    const isFit = named && canParse(named) && (named.startsWith('wss://') || (named.startsWith('ws://') && !this.isSecure))
    return isFit ? new Server(named) : null
  }
}

/** @type {Server | null} */
let now = null

/** The server that the page uses: its own until `settle` is called. */
export const here = () => now ??= Server.own()

/** Sets the server that the page uses from now on.
 * @param {Server} server */
export function settle(server) { now = server }

/** Calls `ask(server)`, and again at another server if the error names one. Returns the server that accepted.
 * @param {Server} server @param {(server: Server) => Promise<unknown>} ask */
export async function followed(server, ask) {
  for (let hops = 0; ; hops += 1) {
    try {
      await ask(server)
      return server
    } catch (error) {
      const next = hops < HOPS ? server.next(error.redirect) : null
      if (!next) throw error
      server = next
    }
  }
}
