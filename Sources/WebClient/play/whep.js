// Watches a room over WHEP: one session, shown in a video element until it is closed.

export class Viewing {
  // `token()` returns a token that may subscribe, or null for a public room; `kinds` are the requested media kinds. Without a
  // user it shows the room's program.
  /** @param {{ room: string, user?: string, token: () => Promise<string | null>, video: HTMLVideoElement, kinds?: string[], server: import('./server.js').Server }} given */
  constructor({ room, user, token, video, kinds = ['audio', 'video'], server }) {
    this.server = server
    this.path = encodeURIComponent(room) + (user === undefined ? '' : `/${encodeURIComponent(user)}`)
    this.mint = token
    this.video = video
    this.kinds = kinds
    this.closed = false
    this.peer = new RTCPeerConnection()
    this.peer.addEventListener('track', ({ streams, track }) => { video.srcObject = streams[0] ?? new MediaStream([track]) })
  }

  // Throws if the server sends no media.
  async open() {
    this.token = await this.mint()
    for (const kind of this.kinds) this.peer.addTransceiver(kind, { direction: 'recvonly' })
    await this.peer.setLocalDescription()
    const { base } = this.server
    const answer = await fetch(`${base}/whep/${this.path}`, {
      method: 'POST', body: this.peer.localDescription?.sdp, headers: { ...this.#access(), 'Content-Type': 'application/sdp' },
    })
    if (!answer.ok) throw new Error((await answer.json().catch(() => null))?.message ?? `The server answered ${answer.status}.`)
    this.session = base + answer.headers.get('Location')
    if (this.closed) return this.#end()
    await this.peer.setRemoteDescription({ type: 'answer', sdp: await answer.text() })
  }

  // Selects a layer of the picture; null for the best that the network carries.
  /** @param {string | null} encodingId */
  async select(encodingId) {
    if (!this.session) return
    await fetch(`${this.session}/layer`, {
      method: 'POST', body: JSON.stringify({ encodingId }), headers: { ...this.#access(), 'Content-Type': 'application/json' },
    })
  }

  // Shows what plays in another video element from now on.
  /** @param {HTMLVideoElement} video */
  show(video) {
    video.srcObject = this.video.srcObject
    this.video.srcObject = null
    this.video = video
  }

  close() {
    if (this.closed) return
    this.video.srcObject = null
    this.leave()
  }

  // Ends the session. The video element shows another one.
  leave() {
    this.closed = true
    this.#end()
  }

  /** @returns {Record<string, string>} */
  #access() { return this.token ? { Authorization: `Bearer ${this.token}` } : {} }

  #end() {
    const { session } = this
    this.session = null
    if (!session) return this.peer.close()
    // Called first: closing the connection also ends the session, and there would be nothing left to end.
    fetch(session, { method: 'DELETE', headers: this.#access(), keepalive: true }).catch(() => {}).then(() => this.peer.close())
  }
}
