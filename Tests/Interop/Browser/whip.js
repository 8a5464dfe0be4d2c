// A minimal WHIP publisher and WHEP player: uses trickle ICE, and can restart ICE.
const http = window.http = (() => {
  let peer, session, token, tag, answer
  const statuses = {}

  async function request(method, url, body, headers = {}) {
    const response = await fetch(url, { method, body, headers: { Authorization: `Bearer ${token}`, ...headers } })
    statuses[method] = response.status
    return response
  }

  const line = (sdp, name) => sdp.match(new RegExp(`^a=${name}:(.*)$`, 'm'))[1].trim()

  function fragment(sdp, candidates) {
    return (
      [
        `a=ice-ufrag:${line(sdp, 'ice-ufrag')}`,
        `a=ice-pwd:${line(sdp, 'ice-pwd')}`,
        'm=audio 9 UDP/TLS/RTP/SAVPF 0',
        `a=mid:${line(sdp, 'mid')}`,
        ...candidates.map((candidate) => 'a=' + candidate),
        'a=end-of-candidates',
      ].join('\r\n') + '\r\n'
    )
  }

  const patch = (body, match) =>
    request('PATCH', session, body, { 'Content-Type': 'application/trickle-ice-sdpfrag', 'If-Match': match })

  async function begin(url) {
    const candidates = []
    const gathered = new Promise((done) => {
      peer.onicecandidate = ({ candidate }) => (candidate ? candidate.candidate && candidates.push(candidate.candidate) : done())
    })
    // Sent unchanged, before any candidate is known.
    await peer.setLocalDescription()
    const response = await request('POST', url, peer.localDescription.sdp, { 'Content-Type': 'application/sdp' })
    if (response.status !== 201) throw new Error(`${response.status}: ${await response.text()}`)
    session = new URL(response.headers.get('Location'), url).href
    tag = response.headers.get('ETag')
    answer = await response.text()
    await peer.setRemoteDescription({ type: 'answer', sdp: answer })
    await gathered
    await patch(fragment(peer.localDescription.sdp, candidates), tag)
    return true
  }

  return {
    // `rids` are the layers of a simulcast, the smallest first: each has half the size of the next.
    async publish(options) {
      token = options.token
      peer = new RTCPeerConnection()
      const rids = options.rids ?? []
      // Chromium sends no three layers of a smaller picture.
      const size = rids.length ? { width: 960, height: 540 } : { width: 320, height: 180 }
      const media = await navigator.mediaDevices.getUserMedia({ video: { ...size, frameRate: 15 }, audio: true })
      const layers = rids.map((rid, index) => ({
        rid, scaleResolutionDownBy: 2 ** (rids.length - 1 - index), maxBitrate: 100_000 * 3 ** index }))
      for (const track of media.getTracks()) {
        const sendEncodings = track.kind === 'video' && layers.length ? layers : [{}]
        peer.addTransceiver(track, { direction: 'sendonly', streams: [media], sendEncodings })
      }
      return begin(options.url)
    },

    async play(options) {
      token = options.token
      peer = new RTCPeerConnection()
      for (const kind of ['video', 'audio']) peer.addTransceiver(kind, { direction: 'recvonly' })
      peer.ontrack = ({ track }) => {
        const element = document.createElement(track.kind)
        element.autoplay = element.muted = true
        element.srcObject = new MediaStream([track])
        document.getElementById('media').append(element)
      }
      return begin(options.url)
    },

    // Returns the ICE username fragments in use afterwards.
    async restart() {
      await peer.setLocalDescription(await peer.createOffer({ iceRestart: true }))
      const response = await patch(fragment(peer.localDescription.sdp, []), '*')
      if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
      tag = response.headers.get('ETag')
      const theirs = await response.text()
      for (const name of ['ice-ufrag', 'ice-pwd']) {
        answer = answer.replace(new RegExp(`^a=${name}:.*$`, 'gm'), `a=${name}:${line(theirs, name)}`)
      }
      await peer.setRemoteDescription({ type: 'answer', sdp: answer })
      return true
    },

    // Selects a layer of the picture, or the best one with null. Returns the status.
    async select(encodingId) {
      const response = await fetch(session + '/layer', {
        method: 'POST', body: JSON.stringify({ encodingId }),
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' } })
      return response.status
    },

    async state() {
      const stats = [...(await peer.getStats()).values()]
      const video = stats.find((entry) => entry.type === 'inbound-rtp' && entry.kind === 'video')
      const transport = stats.find((entry) => entry.type === 'transport')
      const pair = stats.find((entry) => entry.id === transport?.selectedCandidatePairId)
      return {
        connection: peer.connectionState,
        framesDecoded: video?.framesDecoded ?? 0,
        width: video?.frameWidth ?? 0,
        height: video?.frameHeight ?? 0,
        // The rids of a simulcast of which packets were sent.
        sent: stats.filter((entry) => entry.type === 'outbound-rtp' && entry.rid && entry.packetsSent > 0).map(({ rid }) => rid),
        // Responses to checks on the selected pair, which changes with a restart.
        answers: pair?.responsesReceived ?? 0,
        fragment: transport?.iceLocalUsernameFragment ?? '',
        offered: line(peer.localDescription.sdp, 'ice-ufrag'),
        statuses,
      }
    },

    async end() {
      await request('DELETE', session)
      peer.close()
      return statuses.DELETE
    },
  }
})()
