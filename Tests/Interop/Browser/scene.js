// Replaces camera and microphone for screenshots of the console: a drawn person who sways a little and talks at times.
// The page's name selects the person.
'use strict'

const people = {
  maya: { wall: ['#e8d9c8', '#c9a98b'], skin: '#c98f66', hair: '#2b1b16', shirt: '#2f5d62', long: true },
  jonas: { wall: ['#cfd8e3', '#8fa3ba'], skin: '#f0c6a4', hair: '#a8743d', shirt: '#33415c', long: false },
  amira: { wall: ['#dfe6da', '#9db39a'], skin: '#e0ab82', hair: '#1f1a24', shirt: '#b5483f', long: true },
  leo: { wall: ['#e5dcea', '#a795b8'], skin: '#8d5a3b', hair: '#17120f', shirt: '#d9a441', long: false },
}

function draw(pen, { wall, skin, hair, shirt, long }, width, height, time) {
  const blob = (x, y, w, h, color) => {
    pen.fillStyle = color
    pen.beginPath()
    pen.ellipse(x, y, w, h, 0, 0, 2 * Math.PI)
    pen.fill()
  }
  const light = pen.createLinearGradient(0, 0, width, height)
  light.addColorStop(0, wall[0])
  light.addColorStop(1, wall[1])
  pen.fillStyle = light
  pen.fillRect(0, 0, width, height)
  pen.globalAlpha = 0.35
  pen.fillStyle = '#fff'
  pen.fillRect(width * 0.06, height * 0.08, width * 0.2, height * 0.46)
  pen.globalAlpha = 0.18
  pen.fillStyle = '#000'
  pen.fillRect(width * 0.76, height * 0.3, width * 0.2, height * 0.03)
  for (const [index, tall] of [0.13, 0.17, 0.11, 0.15].entries()) {
    pen.fillRect(width * (0.775 + index * 0.04), height * (0.3 - tall), width * 0.028, height * tall)
  }
  pen.globalAlpha = 1

  const x = width / 2 + Math.sin(time * 0.7) * width * 0.012
  const y = height * 0.47 + Math.sin(time * 1.3) * height * 0.008
  const size = height * 0.2
  if (long) blob(x, y + size * 0.55, size * 1.12, size * 1.55, hair)
  blob(x, height * 1.12, size * 2.05, height * 0.4, shirt)
  pen.fillStyle = skin
  pen.fillRect(x - size * 0.32, y + size * 0.6, size * 0.64, size * 0.75)
  blob(x, y + size * 1.3, size * 0.34, size * 0.22, skin)
  blob(x, y - size * 0.22, size * 0.98, size * 1.06, hair)
  blob(x, y + size * 0.1, size * 0.84, size * 1.06, skin)
  pen.fillStyle = hair
  pen.beginPath()
  pen.ellipse(x, y - size * 0.5, size * 0.92, size * 0.55, 0, Math.PI, 2 * Math.PI)
  pen.fill()
  const blink = time % 4 < 0.15 ? 0.1 : 1
  for (const side of [-1, 1]) blob(x + side * size * 0.32, y + size * 0.02, size * 0.075, size * 0.09 * blink, '#241a16')
  blob(x, y + size * 0.58, size * 0.2, size * (0.05 + 0.05 * Math.abs(Math.sin(time * 5))), '#8c4a40')
}

navigator.mediaDevices.enumerateDevices = async () => [
  { kind: 'videoinput', deviceId: 'a', label: 'Built-in camera' }, { kind: 'audioinput', deviceId: 'b', label: 'Built-in microphone' }]

navigator.mediaDevices.getUserMedia = async ({ video }) => {
  const names = Object.keys(people)
  if (video) {
    const [width, height, fps] = [640, 360, 12]
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    const pen = canvas.getContext('2d')
    const paint = () => draw(pen, people[window.name] ?? people.maya, width, height, performance.now() / 1000 + names.indexOf(window.name))
    paint()
    setInterval(paint, 1000 / fps)
    return canvas.captureStream(fps)
  }
  const audio = new AudioContext()
  const sink = new MediaStreamAudioDestinationNode(audio)
  const gain = new GainNode(audio, { gain: 0 })
  new OscillatorNode(audio, { frequency: 180, type: 'sawtooth' }).connect(gain).connect(sink)
  const tone = new OscillatorNode(audio, { frequency: 140 + 40 * names.indexOf(window.name), type: 'triangle' })
  tone.connect(gain)
  tone.start()
  setInterval(() => {
    const now = Date.now() / 1000
    const talks = Math.floor(now / 8) % names.length === names.indexOf(window.name)
    gain.gain.value = talks ? 0.25 + 0.2 * Math.sin(now * 11) * Math.sin(now * 3.1) : 0.0004
  }, 60)
  return sink.stream
}
