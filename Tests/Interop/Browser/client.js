// A page of the tests: a participant by the web client of the server under test. The tests call the methods of `client`.
'use strict'

// What the web client does not offer, done to the browser beneath it: `way`: 'any', 'tcp' (as if UDP were blocked) or 'relay';
// `detours`: UDP ports to use in place of the server's; `wrongFingerprint`: offers do not match the browser's certificate;
// `tracks`: the codec and the scalability mode of published tracks.
const beneath = { way: 'any', detours: {}, wrongFingerprint: false, tracks: new Map(), failures: 0 }

// Returns the server's description with only the candidates that may be used.
function reachable(sdp) {
  const detoured = sdp.replace(/^(a=candidate:\S+ \d+ udp \d+ \S+ )(\d+)/gim, (_, start, port) => start + (beneath.detours[port] ?? port))
  return beneath.way === 'tcp' ? sdp.replace(/^a=candidate:\S+ \d+ udp .*\r\n/gim, '') : detoured
}

window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(configuration) {
    super({ ...configuration, ...(beneath.way === 'relay' && { iceTransportPolicy: 'relay' }) })
    this.addEventListener('connectionstatechange', () => { if (this.connectionState === 'failed') beneath.failures += 1 })
  }

  setRemoteDescription({ type, sdp }) { return super.setRemoteDescription({ type, sdp: reachable(sdp) }) }

  addTransceiver(track, init) {
    const { codec, layers } = beneath.tracks.get(track) ?? {}
    if (layers) init.sendEncodings[0].scalabilityMode = layers
    const transceiver = super.addTransceiver(track, init)
    if (codec) {
      const { codecs } = RTCRtpSender.getCapabilities('video')
      transceiver.setCodecPreferences([`video/${codec}`, 'video/rtx'].flatMap(
        type => codecs.filter(({ mimeType }) => mimeType.toLowerCase() === type.toLowerCase())))
    }
    return transceiver
  }
}

window.WebSocket = class extends WebSocket {
  send(text) {
    const { id, method, params } = JSON.parse(text)
    if (method === 'publish' && beneath.wrongFingerprint) {
      params.sdp = params.sdp.replace(/(a=fingerprint:\S+ )(..)/g, (_, name, byte) => name + (byte === '00' ? '01' : '00'))
    }
    super.send(JSON.stringify({ id, method, params }))
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
  audio = new AudioContext({ sampleRate: 48000 })
  shown = new Map() // the element or the ear of each received track
  told = {} // the latest data of each
  failure = null // the first error without a request

  async join({ url, token, autoSubscribe = true, way = 'any', detours = {} }) {
    Object.assign(beneath, { way, detours })
    const { Room } = await import(`${url.replace(/^ws/, 'http').replace(/\/v1\/signal$/, '')}/sdk/roomclient.js`)
    this.room = await Room.connect(url, token, { autoSubscribe })
    this.room.addEventListener('event', ({ detail: { event, data } }) => { this.told[event] = data })
    this.room.addEventListener('error', ({ detail }) => { this.failure ??= String(detail) })
    this.room.addEventListener('trackSubscribed', ({ detail }) => this.show(detail))
    this.room.addEventListener('trackUnsubscribed', ({ detail }) => {
      const shown = this.shown.get(detail)
      if (shown instanceof Element) shown.remove()
      this.shown.delete(detail)
    })
    return {}
  }

  leave() { return this.room.leave() }

  // Any call of the protocol.
  request({ method, params }) { return this.room.request(method, params) }

  // Publishes { video: { codec, layers, simulcast, width, height, fps, color }, audio: { frequency } }. Returns the track ids. With
  // `simulcast` the picture is a camera's, of which the web client sends a simulcast.
  async publish({ video, audio, wrongFingerprint = false }) {
    beneath.wrongFingerprint = wrongFingerprint
    const tracks = []
    if (audio) tracks.push({ tag: 'microphone', track: toneTrack(this.audio, audio) })
    if (video) {
      const track = paintedTrack(video)
      beneath.tracks.set(track, video)
      tracks.push({ tag: video.simulcast ? 'camera' : 'picture', track, ...(!video.simulcast && { maxBitrate: 2_500_000 }) })
    }
    await this.room.publish(tracks)
    return tracks.map(({ tag }) => this.room.localTracks.get(tag).trackId)
  }

  // The stream itself and not `attach`: what is received shall not depend on the size of the element.
  show(track) {
    if (track.kind === 'audio') return this.shown.set(track, new Ear(this.audio, track.stream))
    const element = Object.assign(document.createElement('video'), { srcObject: track.stream, muted: true, autoplay: true, playsInline: true })
    document.getElementById('media').append(element)
    element.play().catch(() => {})
    this.shown.set(track, element)
  }

  senders(kind) { return [...this.room.localTracks.values()].filter(each => each.kind === kind && each.transceiver).map(({ transceiver }) => transceiver.sender) }

  // The codecs of the sound that the browser sends, by preference, and how its receivers hide losses: samples in total and made up, and the
  // seconds that they waited in the jitter buffer.
  async sound() {
    const { remoteTracks, subscriber } = this.room
    const received = await Promise.all([...remoteTracks.values()].filter(({ kind }) => kind === 'audio').map(({ receiver }) => receiver.getStats()))
    const inbound = received.flatMap(report => [...report.values()]).find(({ type }) => type === 'inbound-rtp') ?? {}
    return {
      codecs: this.senders('audio')[0]?.getParameters().codecs.map(({ mimeType }) => mimeType) ?? [],
      answered: subscriber.pc?.localDescription?.sdp.includes(' red/48000') ?? false,
      samples: inbound.totalSamplesReceived ?? 0, concealed: inbound.concealedSamples ?? 0, lost: inbound.packetsLost ?? 0,
      delay: inbound.jitterBufferDelay ?? 0, emitted: inbound.jitterBufferEmittedCount ?? 0 }
  }

  // The rids that the browser has sent in the last second, with the heights of their pictures.
  async sending() {
    const read = async () => {
      const stats = await Promise.all(this.senders('video').map(sender => sender.getStats()))
      return stats.flatMap(report => [...report.values()]).filter(({ type }) => type === 'outbound-rtp')
    }
    const before = new Map((await read()).map(({ rid, packetsSent }) => [rid, packetsSent]))
    await new Promise(resolve => setTimeout(resolve, 1000))
    return (await read()).filter(({ rid, packetsSent }) => packetsSent > (before.get(rid) ?? 0))
      .map(({ rid, frameHeight, scalabilityMode }) => ({ rid: rid ?? '', height: frameHeight ?? 0, mode: scalabilityMode ?? '' }))
  }

  // One entry per remote track: what was decoded so far, and the tone being played.
  async received() {
    const tracks = []
    for (const track of this.room.remoteTracks.values()) {
      const { userId, trackId, kind, receiver } = track
      const stats = [...(await receiver.getStats()).values()]
      const inbound = stats.find(entry => entry.type === 'inbound-rtp') ?? {}
      const codec = stats.find(entry => entry.id === inbound.codecId)?.mimeType ?? ''
      tracks.push({
        userId, trackId, kind, codec,
        frozen: inbound.totalFreezesDuration ?? 0, packets: inbound.packetsReceived ?? 0, keyFrames: inbound.keyFramesDecoded ?? 0,
        keyFrameRequests: (inbound.pliCount ?? 0) + (inbound.firCount ?? 0), dropped: inbound.framesDropped ?? 0, playing: inbound.estimatedPlayoutTimestamp ?? null, framesDecoded: inbound.framesDecoded ?? 0,
        width: inbound.frameWidth ?? 0, height: inbound.frameHeight ?? 0,
        ...(kind === 'audio' ? this.shown.get(track)?.hear() : null) ?? { frequency: 0, level: -200 } })
    }
    return tracks
  }

  // The ages of a user's pictures when they appear on the screen, by the clock in them, in milliseconds.
  async ages({ userId, milliseconds }) {
    const element = this.shown.get([...this.room.remoteTracks.values()].find(track => track.userId === userId && track.kind === 'video'))
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
    for (const { pc: connection } of [this.room.publisher, this.room.subscriber]) {
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

  // The state of the page's session; `failed` counts its connections that have failed.
  state() {
    const { room, failure } = this
    return {
      ended: room.ending?.reason === 'left' ? null : room.ending, failure, users: [...room.participants.keys()],
      publishing: room.publisher.pc?.connectionState ?? 'none', failed: beneath.failures }
  }
}

const client = window.client = new Client()
