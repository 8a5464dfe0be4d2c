// A minimal browser client of api/signalling.md. The tests call the methods of `client`.
'use strict'

// Sends requests over the WebSocket and matches responses; events are passed to `onEvent`.
class Signalling {
  constructor(url, onEvent) {
    this.asked = new Map()
    this.lastId = 0
    this.socket = new WebSocket(url)
    this.opened = new Promise((resolve, reject) => {
      this.socket.onopen = resolve
      this.socket.onerror = () => reject(new Error(`no WebSocket at ${url}`))
    })
    this.closed = new Promise(resolve => {
      this.socket.onclose = event => {
        for (const { reject } of this.asked.values()) reject(new Error(`socket closed: ${event.code}`))
        this.asked.clear()
        resolve()
      }
    })
    this.socket.onmessage = message => {
      const said = JSON.parse(message.data)
      if (said.event) return onEvent(said.event, said.data)
      const waiting = this.asked.get(said.id)
      this.asked.delete(said.id)
      if (!waiting) return
      if (said.error) waiting.reject(new Error(`${said.error.code} ${said.error.name}: ${said.error.message}`))
      else waiting.resolve(said.result)
    }
  }

  request(method, params) {
    const id = ++this.lastId
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject })
      this.socket.send(JSON.stringify(params === undefined ? { id, method } : { id, method, params }))
    })
  }
}

// A moving picture of one colour with a counter.
function paintedTrack({ width = 320, height = 180, fps = 15, color = '#2060c0' }) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const pen = canvas.getContext('2d')
  let frame = 0
  setInterval(() => {
    pen.fillStyle = color
    pen.fillRect(0, 0, width, height)
    pen.fillStyle = 'white'
    pen.fillRect(frame * 4 % width, height - 12, 24, 8)
    pen.fillText(String(frame++), 8, 14)
  }, 1000 / fps)
  return canvas.captureStream(fps).getVideoTracks()[0]
}

// A microphone that captures a sine wave.
function toneTrack(audio, { frequency = 440, gain = 0.3 }) {
  const tone = new OscillatorNode(audio, { frequency })
  const sink = new MediaStreamAudioDestinationNode(audio)
  tone.connect(new GainNode(audio, { gain })).connect(sink)
  tone.start()
  return sink.stream.getAudioTracks()[0]
}

// The loudest frequency of a track in Hz, and its level, −∞…0 dB.
class Ear {
  constructor(audio, stream) {
    this.rate = audio.sampleRate
    this.analyser = new AnalyserNode(audio, { fftSize: 8192, smoothingTimeConstant: 0 })
    new MediaStreamAudioSourceNode(audio, { mediaStream: stream }).connect(this.analyser)
  }

  hear() {
    const bins = new Float32Array(this.analyser.frequencyBinCount)
    this.analyser.getFloatFrequencyData(bins)
    const loudest = bins.reduce((best, level, bin) => level > bins[best] ? bin : best, 0)
    return { frequency: loudest * this.rate / this.analyser.fftSize, level: Math.max(bins[loudest], -200) }
  }
}

// Reads the clock in the top eighth of the test pattern: two rows of 32 cells, 40 bits of milliseconds, 16 of frame number, 8 of
// CRC (polynomial 0x07). Null if the picture has none.
function readClock(pixels, width, height) {
  const bits = []
  for (let index = 0; index < 64; index++) {
    const x = Math.floor((index % 32 + 0.5) * width / 32)
    const y = Math.floor((Math.floor(index / 32) + 0.5) * height / 16)
    const brightness = pixels[(y * width + x) * 4 + 1]
    if (brightness > 95 && brightness < 160) return null
    bits.push(brightness >= 160 ? 1 : 0)
  }
  let crc = 0xff
  for (let byte = 0; byte < 7; byte++) {
    crc ^= bits.slice(byte * 8, byte * 8 + 8).reduce((value, bit) => value * 2 + bit, 0)
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? crc << 1 & 0xff ^ 0x07 : crc << 1
  }
  const number = (from, to) => bits.slice(from, to).reduce((value, bit) => value * 2 + bit, 0)
  if (crc !== number(56, 64)) return null
  return { milliseconds: number(0, 40), frame: number(40, 56) }
}

class Client {
  constructor() {
    this.audio = new AudioContext({ sampleRate: 48000 })
    this.remote = new Map() // by mid of the subscribe connection
    this.events = [] // names, in order
    this.told = {} // the latest data of each
    this.participants = new Map()
    this.ended = null // the data of the `ended` event
    this.channels = {} // open data channels by label
    this.messages = [] // received over them
    this.offers = Promise.resolve() // offers are answered one after the other
  }

  // `way`: 'any', 'tcp' (as if UDP were blocked) or 'relay'. `detours`: UDP ports to use in place of the server's.
  async join({ url, token, autoSubscribe = true, way = 'any', detours = {}, data = false }) {
    this.way = way
    this.detours = detours
    this.signalling = new Signalling(url, (event, data) => this.heard(event, data))
    await this.signalling.opened
    const answer = await this.signalling.request('join', { version: 1, token, autoSubscribe, data })
    this.connection = { bundlePolicy: 'max-bundle', iceServers: answer.iceServers ?? [] }
    if (way === 'relay') this.connection.iceTransportPolicy = 'relay'
    for (const participant of answer.participants) this.participants.set(participant.userId, participant)
    this.pings = setInterval(() => this.signalling.request('ping').catch(() => {}), answer.pingInterval)
    return answer
  }

  async leave() {
    await this.signalling.request('leave').catch(() => {}) // the server may close the socket first
    this.close()
  }

  close() {
    clearInterval(this.pings)
    this.publishing?.close()
    this.subscribing?.close()
    this.signalling.socket.close()
  }

  // Any other call of the protocol.
  request({ method, params }) { return this.signalling.request(method, params) }

  // Publishes { video: { codec, layers, rids, width, height, fps, color }, audio: { frequency } }. Returns the track ids. `rids`
  // are the layers of a simulcast, the smallest first: each has half the size of the next.
  // With `wrongFingerprint` the description does not match the browser's certificate.
  async publish({ video, audio, wrongFingerprint }) {
    this.publishing ??= new RTCPeerConnection(this.connection)
    const added = []
    if (audio) added.push(this.publishing.addTransceiver(toneTrack(this.audio, audio), { direction: 'sendonly' }))
    if (video) {
      const sendEncodings = video.rids
        ? video.rids.map((rid, index) => ({ rid, scaleResolutionDownBy: 2 ** (video.rids.length - 1 - index), maxBitrate: 150_000 * 4 ** index }))
        : video.layers ? [{ scalabilityMode: video.layers }] : [{}]
      const transceiver = this.publishing.addTransceiver(paintedTrack(video), { direction: 'sendonly', sendEncodings })
      const wanted = `video/${video.codec ?? 'VP8'}`.toLowerCase()
      const codecs = RTCRtpSender.getCapabilities('video').codecs
      transceiver.setCodecPreferences([
        ...codecs.filter(codec => codec.mimeType.toLowerCase() === wanted),
        ...codecs.filter(codec => codec.mimeType === 'video/rtx')])
      added.push(transceiver)
    }
    await this.publishing.setLocalDescription()
    const tracks = added.map(({ mid, sender }) => ({ mid, kind: sender.track.kind, tag: 'browser' }))
    let { sdp } = this.publishing.localDescription
    if (wrongFingerprint) sdp = sdp.replace(/(a=fingerprint:\S+ )(..)/g, (_, name, byte) => name + (byte === '00' ? '01' : '00'))
    const answer = await this.signalling.request('publish', { sdp, tracks })
    await this.publishing.setRemoteDescription({ type: 'answer', sdp: this.reachable(answer.sdp) })
    return answer.tracks.map(({ track }) => track.trackId)
  }

  // Returns the server's description with only the candidates that may be used.
  reachable(sdp) {
    const detoured = sdp.replace(/^(a=candidate:\S+ \d+ udp \d+ \S+ )(\d+)/gim, (_, start, port) => start + (this.detours[port] ?? port))
    return this.way === 'tcp' ? sdp.replace(/^a=candidate:\S+ \d+ udp .*\r\n/gim, '') : detoured
  }

  heard(event, data) {
    this.events.push(event)
    this.told[event] = data
    switch (event) {
      case 'joined': this.participants.set(data.userId, data); break
      case 'left': this.participants.delete(data.userId); break
      case 'layers': this.activate(data.layers).catch(error => this.failed(error)); break
      case 'offer': this.offers = this.offers.then(() => this.answer(data)).catch(error => this.failed(error)); break
      case 'ended': this.ended = data; this.close(); break
    }
  }

  // Sends only the layers that are in use. The tests publish one simulcast at most.
  async activate(layers) {
    for (const { sender } of this.publishing?.getTransceivers() ?? []) {
      const parameters = sender.getParameters()
      if (parameters.encodings.length < 2) continue
      for (const encoding of parameters.encodings) encoding.active = layers[0].wanted.includes(encoding.rid)
      await sender.setParameters(parameters)
    }
  }

  // The codecs of the sound that the browser sends, by preference, and how its receivers hide losses: samples in total and made up, and the
  // seconds that they waited in the jitter buffer.
  async sound() {
    const sender = this.publishing?.getSenders().find(({ track }) => track?.kind === 'audio')
    const received = await Promise.all((this.subscribing?.getReceivers() ?? []).map(receiver => receiver.getStats()))
    const inbound = received.flatMap(report => [...report.values()]).find(entry => entry.type === 'inbound-rtp' && entry.kind === 'audio') ?? {}
    return {
      codecs: sender?.getParameters().codecs.map(({ mimeType }) => mimeType) ?? [],
      answered: this.subscribing?.localDescription?.sdp.includes(' red/48000') ?? false,
      samples: inbound.totalSamplesReceived ?? 0, concealed: inbound.concealedSamples ?? 0, lost: inbound.packetsLost ?? 0,
      delay: inbound.jitterBufferDelay ?? 0, emitted: inbound.jitterBufferEmittedCount ?? 0 }
  }

  // The rids that the browser has sent in the last second, with the heights of their pictures.
  async sending() {
    const read = async () => {
      const stats = await Promise.all(this.publishing.getSenders().map(sender => sender.getStats()))
      return stats.flatMap(report => [...report.values()]).filter(entry => entry.type === 'outbound-rtp' && entry.kind === 'video')
    }
    const before = new Map((await read()).map(({ rid, packetsSent }) => [rid, packetsSent]))
    await new Promise(resolve => setTimeout(resolve, 1000))
    return (await read()).filter(({ rid, packetsSent }) => packetsSent > (before.get(rid) ?? 0))
      .map(({ rid, frameHeight, scalabilityMode }) => ({ rid: rid ?? '', height: frameHeight ?? 0, mode: scalabilityMode ?? '' }))
  }

  failed(error) { this.failure ??= String(error) }

  async answer({ offer, sdp, tracks, restart }) {
    if (restart || !this.subscribing) {
      this.subscribing?.close()
      this.remote.clear()
      this.subscribing = new RTCPeerConnection(this.connection)
      this.subscribing.ontrack = event => this.attach(event)
      this.subscribing.ondatachannel = ({ channel }) => this.use(channel)
    }
    const live = new Map(tracks.map(track => [track.mid, track]))
    for (const mid of this.remote.keys()) if (!live.has(mid)) this.remote.delete(mid)
    this.offered = live
    await this.subscribing.setRemoteDescription({ type: 'offer', sdp: this.reachable(sdp) })
    await this.subscribing.setLocalDescription()
    await this.signalling.request('answer', { offer, sdp: this.subscribing.localDescription.sdp })
  }

  // Data channels: see api/signalling-data.md.
  use(channel) {
    this.channels[channel.label] = channel
    channel.binaryType = 'arraybuffer'
    channel.onmessage = ({ data }) => {
      const length = new DataView(data).getUint16(0)
      const text = (start, end) => new TextDecoder().decode(data.slice(start, end))
      this.messages.push({ ...JSON.parse(text(2, 2 + length)), text: text(2 + length), reliable: channel.label === 'reliable' })
    }
  }

  // Returns false while the channel is not open.
  sendData({ topic, text, to, reliable = true }) {
    const channel = this.channels[reliable ? 'reliable' : 'lossy']
    if (channel?.readyState !== 'open') return false
    const [header, payload] = [JSON.stringify({ topic, to }), text].map(part => new TextEncoder().encode(part))
    const message = new Uint8Array(2 + header.length + payload.length)
    new DataView(message.buffer).setUint16(0, header.length)
    message.set(header, 2)
    message.set(payload, 2 + header.length)
    channel.send(message)
    return true
  }

  attach({ track, transceiver, receiver }) {
    const named = this.offered.get(transceiver.mid)
    if (!named) return
    const stream = new MediaStream([track])
    // Without an element that plays it, Chromium passes no remote audio to Web Audio.
    const element = document.createElement(track.kind)
    Object.assign(element, { srcObject: stream, muted: true, autoplay: true, playsInline: true })
    document.getElementById('media').append(element)
    element.play().catch(() => {})
    this.remote.set(transceiver.mid, {
      ...named, kind: track.kind, receiver, element, ear: track.kind === 'audio' ? new Ear(this.audio, stream) : null })
  }

  // One entry per remote track: what was decoded so far, and the tone being played.
  async received() {
    const tracks = []
    for (const { userId, trackId, kind, receiver, ear } of this.remote.values()) {
      const stats = [...(await receiver.getStats()).values()]
      const inbound = stats.find(entry => entry.type === 'inbound-rtp') ?? {}
      const codec = stats.find(entry => entry.id === inbound.codecId)?.mimeType ?? ''
      tracks.push({
        userId, trackId, kind, codec,
        frozen: inbound.totalFreezesDuration ?? 0, packets: inbound.packetsReceived ?? 0, keyFrames: inbound.keyFramesDecoded ?? 0,
        keyFrameRequests: (inbound.pliCount ?? 0) + (inbound.firCount ?? 0), dropped: inbound.framesDropped ?? 0, playing: inbound.estimatedPlayoutTimestamp ?? null, framesDecoded: inbound.framesDecoded ?? 0,
        width: inbound.frameWidth ?? 0, height: inbound.frameHeight ?? 0, ...(ear?.hear() ?? { frequency: 0, level: -200 }) })
    }
    return tracks
  }

  // The ages of a user's pictures when they appear on the screen, by the clock in them, in milliseconds.
  async ages({ userId, milliseconds }) {
    const { element } = [...this.remote.values()].find(track => track.userId === userId && track.kind === 'video')
    const [width, height] = [element.videoWidth, element.videoHeight]
    const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true })
    const ages = []
    let last = null
    for (const end = performance.now() + milliseconds; performance.now() < end;) {
      pen.drawImage(element, 0, 0)
      const now = Date.now() % 2 ** 40
      const clock = readClock(pen.getImageData(0, 0, width, Math.ceil(height / 8)).data, width, height)
      if (clock && clock.frame !== last) ages.push(now - clock.milliseconds)
      last = clock?.frame ?? last
      await new Promise(resolve => setTimeout(resolve, 10))
    }
    return ages
  }

  // The candidate pairs selected for media.
  async paths() {
    const paths = []
    for (const connection of [this.publishing, this.subscribing]) {
      if (!connection) continue
      const stats = new Map([...await connection.getStats()])
      const transport = [...stats.values()].find(entry => entry.type === 'transport')
      const pair = stats.get(transport?.selectedCandidatePairId)
      if (!pair) continue
      const [local, remote] = [stats.get(pair.localCandidateId), stats.get(pair.remoteCandidateId)]
      paths.push({
        localType: local.candidateType, localProtocol: local.protocol, relayProtocol: local.relayProtocol,
        remoteProtocol: remote.protocol, remoteAddress: `${remote.address}:${remote.port}` })
    }
    return paths
  }

  // The state of the page's session.
  state() {
    return {
      ended: this.ended, failure: this.failure ?? null, events: this.events, users: [...this.participants.keys()],
      publishing: this.publishing?.connectionState ?? 'none', subscribing: this.subscribing?.connectionState ?? 'none' }
  }
}

const client = window.client = new Client()
