// The end of a connection.

const GATHERING = 5000 // milliseconds

// Closes a connection. Chromium never frees one that is closed while it gathers candidates, as when somebody leaves at once.
/** @param {RTCPeerConnection | null} [pc] */
export function close(pc) {
  if (!pc) return
  const end = () => {
    clearTimeout(timer)
    pc.onicegatheringstatechange = pc.onconnectionstatechange = null
    pc.close()
  }
  const timer = setTimeout(end, GATHERING)
  if (pc.iceGatheringState === 'complete') end()
  else pc.onicegatheringstatechange = () => { if (pc.iceGatheringState === 'complete') end() }
}
