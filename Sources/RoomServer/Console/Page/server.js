// The server that is spoken to: the page's own, or the one that a drained server sends its clients to (api/signalling.md §3).

const HOPS = 3 // servers that may name one another

export class Server {
  // `signal` is the URL of its signalling.
  constructor(signal) {
    this.signal = signal
    const { protocol, host, pathname } = new URL(signal)
    this.isSecure = protocol === 'wss:'
    this.host = host
    this.base = `${this.isSecure ? 'https' : 'http'}://${host}${pathname.replace(/\/v1\/signal\/?$/, '')}` // of its REST
  }

  static own() { return new Server(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/v1/signal`) }

  // The server that this one names; null where it names none, or one that is not as safe.
  next(redirect) {
    const named = /^wss?:\/\/[^/?#]+$/.test(redirect ?? '') ? `${redirect}/v1/signal` : redirect
    const isFit = URL.canParse(named ?? '') && (named.startsWith('wss://') || (named.startsWith('ws://') && !this.isSecure))
    return isFit ? new Server(named) : null
  }
}

let now = Server.own()

export const here = () => now

// From now on the console speaks to this one.
export function settle(server) { now = server }

// Does `ask(server)`, and where that is refused with the name of another server, there. Gives the server that did not refuse.
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
