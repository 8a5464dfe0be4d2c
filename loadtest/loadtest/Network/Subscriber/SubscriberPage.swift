/// The page that receives: it joins a room of either server, plays what it gets, and samples `getStats`.
enum SubscriberPage {
  /// Interval of the samples in milliseconds.
  static let interval = 200

  /// Defines `subscriber`; its methods are called from outside.
  static let script = #"""
    'use strict'
    globalThis.subscriber = {
      samples: [], failure: null, isPaused: null, changes: [], pictures: [], hasChanged: false,

      // A connection that plays what arrives and is sampled.
      connect() {
        this.peer = new RTCPeerConnection({ bundlePolicy: 'max-bundle' })
        this.stream = new MediaStream()
        this.player = Object.assign(document.createElement('video'), { autoplay: true, playsInline: true, srcObject: this.stream })
        document.body.append(this.player)
        this.peer.ontrack = ({ track, transceiver }) => {
          this.stream.addTrack(track)
          if (track.kind === 'video') this.videoMid = transceiver.mid
          this.player.play().catch(() => {})
        }
        this.timer ??= setInterval(() => this.sample().catch(error => this.failure ??= String(error)), INTERVAL)
      },

      async sample() {
        const stats = [...(await this.peer.getStats()).values()]
        const inbound = kind => stats.find(entry => entry.type === 'inbound-rtp' && entry.kind === kind)
        const pick = (entry, names) => Object.fromEntries(names.map(name => [name, entry?.[name] ?? null]))
        const shared = ['packetsReceived', 'packetsLost', 'bytesReceived', 'retransmittedPacketsReceived', 'nackCount',
          'jitterBufferDelay', 'jitterBufferEmittedCount', 'estimatedPlayoutTimestamp']
        this.samples.push({
          at: Date.now(), isPaused: this.isPaused,
          video: pick(inbound('video'), [...shared, 'framesDecoded', 'framesDropped', 'freezeCount', 'totalFreezesDuration',
            'frameHeight', 'pliCount', 'firCount', 'keyFramesDecoded', 'decoderImplementation']),
          audio: pick(inbound('audio'), [...shared, 'concealedSamples', 'silentConcealedSamples', 'totalSamplesReceived']) })
      },

      open(url, protocol) {
        return new Promise((resolve, reject) => {
          const socket = protocol ? new WebSocket(url, protocol) : new WebSocket(url)
          socket.onopen = () => resolve(socket)
          socket.onerror = () => reject(new Error(`no WebSocket at ${url}`))
        })
      },

      // This server's signalling, version 1.
      async roomserver({ url, token }) {
        const socket = await this.open(url)
        let last = 0
        let offers = Promise.resolve()
        const send = (method, params) => socket.send(JSON.stringify({ id: ++last, method, params }))
        this.request = send
        this.isPaused = false
        const answer = async ({ offer, sdp, restart, tracks }) => {
          this.tracks = tracks
          if (restart) this.peer?.close()
          if (restart || !this.peer) this.connect()
          await this.peer.setRemoteDescription({ type: 'offer', sdp })
          await this.peer.setLocalDescription()
          send('answer', { offer, sdp: this.peer.localDescription.sdp })
        }
        socket.onmessage = ({ data }) => {
          const said = JSON.parse(data)
          if (said.error) this.failure ??= said.error.message
          if (said.result?.pingInterval) setInterval(() => send('ping'), said.result.pingInterval)
          if (said.event === 'streams') this.isPaused = said.data.streams.some(({ state, reason }) => state === 'paused' && reason === 'bandwidth')
          if (said.event === 'ended') this.failure ??= `ended: ${data}`
          if (said.event === 'offer') offers = offers.then(() => answer(said.data)).catch(error => this.failure ??= String(error))
        }
        send('join', { version: 1, token })
        return true
      },

      // Asks for pictures of each of these heights: the next as soon as the last one is shown and `pace` ms have passed, or after
      // `patience` ms. Only with this server.
      async changeLayers({ heights, pace, patience }) {
        const { trackId } = this.tracks.find(({ mid }) => mid === this.videoMid)
        const rest = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))
        this.watch()
        await rest(2000)
        for (const height of heights) {
          const asked = performance.now()
          this.request('setReception', { tracks: [{ trackId, maxHeight: height }] })
          this.changes.push({ height, asked, shown: await this.shows(height, patience) })
          await rest(Math.max(0, asked + pace - performance.now()))
        }
        this.hasChanged = true
      },

      // Notes the pictures that are shown.
      watch() {
        const note = (_, { presentationTime, height, presentedFrames }) => {
          const picture = { at: presentationTime, height, number: presentedFrames }
          this.pictures.push(picture)
          this.onPicture?.(picture)
          this.player.requestVideoFrameCallback(note)
        }
        this.player.requestVideoFrameCallback(note)
      },

      // Returns when a picture of this height is shown; null after `patience` ms.
      shows(height, patience) {
        return new Promise(resolve => {
          const timer = setTimeout(() => resolve(null), patience)
          this.onPicture = picture => {
            if (picture.height !== height) return
            clearTimeout(timer)
            resolve(picture.at)
          }
        })
      },

      // Janus' videoroom. With `adapts`, the page selects the layer as its documentation leaves to the app.
      async janus({ url, room, feeds, adapts }) {
        const socket = await this.open(url, 'janus-protocol')
        let session, handle
        let last = 0
        let replied = () => {}
        const send = message => socket.send(JSON.stringify({ ...message, transaction: String(++last), session_id: session, handle_id: handle }))
        const ask = message => new Promise(resolve => { replied = resolve; send(message) })
        const configure = body => send({ janus: 'message', body: { request: 'configure', ...body } })
        socket.onmessage = async ({ data }) => {
          const said = JSON.parse(data)
          if (said.error) this.failure ??= said.error.reason
          if (said.janus === 'slowlink') this.slow?.()
          if (said.janus === 'success') replied(said)
          if (said.jsep) {
            this.connect()
            await this.peer.setRemoteDescription(said.jsep)
            await this.peer.setLocalDescription()
            const { type, sdp } = this.peer.localDescription
            send({ janus: 'message', body: { request: 'start', room }, jsep: { type, sdp } })
            this.peer.onicecandidate = ({ candidate }) => send({ janus: 'trickle', candidate: candidate ?? { completed: true } })
          }
        }
        session = (await ask({ janus: 'create' })).data.id
        handle = (await ask({ janus: 'attach', plugin: 'janus.plugin.videoroom' })).data.id
        setInterval(() => socket.send(JSON.stringify({ janus: 'keepalive', transaction: 'alive', session_id: session })), 20000)
        if (adapts) this.adapt(configure)
        send({ janus: 'message', body: { request: 'join', ptype: 'subscriber', room, streams: feeds.map(feed => ({ feed })) } })
        return true
      },

      // Down a layer on the server's slow_link and on a loss above 10 % in a second, at most every 2 s; up after 10 s without.
      adapt(configure) {
        let layer = 2
        let changed = performance.now()
        let before
        const select = next => {
          layer = next
          changed = performance.now()
          // Streams are numbered by m-line; the video is the second.
          configure({ streams: [{ mid: '1', substream: layer }] })
        }
        this.slow = () => { if (layer > 0 && performance.now() - changed > 2000) select(layer - 1) }
        setInterval(() => {
          const now = this.samples.at(-1)?.video
          if (now && before) {
            const [lost, received] = ['packetsLost', 'packetsReceived'].map(name => (now[name] ?? 0) - (before[name] ?? 0))
            if (lost > 0.1 * (lost + received)) this.slow()
          }
          before = now
          if (layer < 2 && performance.now() - changed > 10000) select(layer + 1)
        }, 1000)
      },

      // An SFU that answers an offer with POST, as WHEP does.
      async whep({ url }) {
        this.connect()
        this.peer.addTransceiver('audio', { direction: 'recvonly' })
        this.peer.addTransceiver('video', { direction: 'recvonly' })
        await this.peer.setLocalDescription()
        const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/sdp' }, body: this.peer.localDescription.sdp })
        if (!response.ok) throw new Error(`${url}: ${response.status}`)
        await this.peer.setRemoteDescription({ type: 'answer', sdp: await response.text() })
        return true
      } }
    """#.replacing("INTERVAL", with: "\(interval)")
}
