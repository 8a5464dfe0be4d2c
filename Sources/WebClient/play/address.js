// What the URL that a player is given names: a watch page, whose server says what is live, or one stream.
import { Server } from './server.js'

/** @typedef {{ server: Server, path: string, token: string | null }} WatchAddress */
/** @typedef {{ server: Server, stream: { whep?: string, hls?: string, flv?: string } }} StreamAddress */

const SIGNATURE = ['wsSecret', 'wsTime'] // of a page, in its query

// Throws a TypeError if it is neither.
/** @param {string} src Absolute, or relative to the document. @returns {WatchAddress | StreamAddress} */
export function address(src) {
  const { protocol, origin, pathname, search, searchParams } = new URL(src, document.baseURI)
  const [, prefix = '', kind = '', name = ''] = /^(.*?)\/(watch|whep)\/(.+)$/.exec(pathname) ?? []
  const server = Server.at(origin + prefix)
  const [extension] = /\.(m3u8|flv)$/.exec(pathname) ?? []
  if (!/^https?:$/.test(protocol)) throw new TypeError(`A player plays no URL of ${protocol}`)
  if (extension) return { server: Server.at(origin), stream: { [extension === '.flv' ? 'flv' : 'hls']: pathname + search } }
  if (kind === 'whep') return { server, stream: { whep: `/whep/${name}` } }
  if (!kind) throw new TypeError(`${src} is the URL of neither a watch page nor a stream.`)
  const signature = String(new URLSearchParams([...searchParams].filter(([key]) => SIGNATURE.includes(key))))
  return { server, path: name + (signature && `?${signature}`), token: searchParams.get('token') }
}
