// Types that the modules of the console share. Not served: only deploy/check-console.sh reads this file.

type App = import('../../Sources/WebPages/Console/Page/main.js').App
type Api = import('../../Sources/WebPages/Console/Page/api.js').Api
type RoomError = import('../../Sources/WebClient/core/errors.js').RoomError
type Acts = import('../../Sources/WebPages/Console/Page/acts.js').Acts
type Call = import('../../Sources/WebPages/Console/Page/call.js').Call
type Room = import('../../Sources/WebClient/core/room.js').Room
type Server = import('../../Sources/WebClient/core/server.js').Server
type Samples = import('../../Sources/WebPages/Console/Page/samples.js').Samples
type JoinedCall = Call & { me: Wire.Participant }
type Icon = import('../../Sources/WebPages/Console/Page/dom.js').Icon

// A result or the data of an event, as JSON: its type depends on a name that is known only at run time. The documents are
// api/signalling.md, api/signalling-rooms.md and docs/webhooks.md.
type Data = any

// A thrown value: Error, DOMException or RoomError.
type Failure = Error & Partial<Pick<RoomError, 'code' | 'redirect' | 'status'>>

// MARK: Session

interface ApiSession { kind: 'api'; token: string; key: string; expires: number; room?: undefined; user?: undefined; grants?: undefined }
interface RoomSession { kind: 'room'; token: string; key: string; expires: number; room: string; user: string; grants: Wire.Grant[] }
type Session = ApiSession | RoomSession

// The app while somebody is signed in, and while that is with an API token.
type SignedIn = App & { session: Session }
type Operator = SignedIn & { api: Api }

interface View {
  node: HTMLElement
  title: string
  room?: string
  stop?(): void
  changed?(): void
  levels?(): void
  statistics?(): void
  happened?(change: RoomEvent): void
}
interface Section { label: string; icon: Icon; path?: string }

// MARK: Elements

type Children = import('../../Sources/WebClient/elements/markup.js').Children
type Attributes<T> = import('../../Sources/WebClient/elements/markup.js').Attributes<T>

// A child that `keyed` keeps.
interface Part<T> { node: ChildNode; update(item: T): void; remove?(): void }

type IconButton = HTMLButtonElement & { show(icon: Icon, name: string, title?: string): void }

interface WaitingButton { action: string; label: string; style?: string; run(): unknown }
interface WaitingItem { key: string; kind: string; user: string; text: string; at: number; expiresAt: number; isForUs: boolean; buttons: Array<WaitingButton | false> }

// Notes that the console keeps on objects of the browser.
interface Element { inSight?: boolean }
interface HTMLElement { expiresAt?: number; lasts?: number }
interface MediaStreamTrack { testDevice?: string; origin?: MediaStreamTrack }

// MARK: Media

type Tag = 'camera' | 'microphone' | 'screen'
// The role of a participant: the grants that it asks for.
interface Role { hint: string; grants: Wire.Grant[]; publishes: boolean }
interface Captured { tag: string; track: MediaStreamTrack; maxBitrate?: number }
interface Source {
  tag: string
  kind: string
  track: MediaStreamTrack | null
  muted: boolean
  trackId?: string
  transceiver?: RTCRtpTransceiver
  deviceId?: string
  maxBitrate?: number
}
interface Remote { userId: string; trackId: string; mid: string; kind: string; receiver: RTCRtpReceiver; stream: MediaStream }
// The result of `join` (api/signalling.md §3).
interface Joined {
  sessionId: string
  resumed: boolean
  moved?: boolean
  me: Wire.Participant
  participants: Wire.Participant[]
  room: Wire.RoomState & { stage?: Wire.StagePicture }
  pingInterval: number
  iceServers?: RTCIceServer[]
}
interface Offer { offer: number; sdp: string; tracks: Array<{ mid: string; userId: string; trackId: string }>; restart: boolean }
// How a track is received, and which layers of an own track are in use (api/signalling.md §2, §4).
interface Reception { trackId: string; maxWidth?: number; maxHeight?: number; maxFps?: number; priority?: number; paused?: boolean }
type PauseReason = 'bandwidth' | 'choice'
// What is sent of a received track, and how well a participant's connection works (api/signalling.md §4).
interface StreamState { trackId: string; state: 'active' | 'paused'; reason?: 'bandwidth'; width?: number; height?: number }
interface UserQuality { userId: string; uplink: 'good' | 'weak' | 'bad'; downlink: 'good' | 'weak' | 'bad' }
interface WantedLayers { trackId: string; wanted: string[] }
interface Connection {
  request(method: string, params?: object): Promise<Data>
  changed(): void
  refused(error: Failure): void
  configuration(): RTCConfiguration
}
// A room token, or what returns one for a server.
type Token = string | ((server: Server) => Promise<string>)
interface RoomOptions {
  points?: (gift: { type?: string, count?: number }) => number // of a gift in a PK
  playsAudio?: boolean // true: what is received is heard, without elements
  audioLevels?: boolean // true
  autoSubscribe?: boolean // true
  preferSmall?: boolean // false
}
type Way = 'udp' | 'tcp' | 'relay'
interface CheckResult {
  name: string
  state: 'passed' | 'failed' | 'skipped'
  reason?: string
  error?: Failure
  roundTrip?: number // milliseconds
  bitrate?: number // bits per second that were sent
  available?: number // bits per second that the browser estimates
  loss?: number // 0 to 1
}
// Why a room ended: a reason of the server's event `ended`, 'left', 'refused' or 'connectionLost'.
interface Ending { reason: string; by?: string; error?: Failure }
interface RoomEvent { event: string; data: Data; seq?: number; isNew: boolean }
interface LinkGiven {
  server: Server
  params(server: Server): Promise<{ since?: number, [name: string]: unknown }>
  joined(joined: Joined, again: boolean): void
  heard(event: string, data: Data, seq?: number): void
  lost(): void
  failed(reason: string, error: Failure): void
  broken(error: Error): void
}
type DeviceCause = 'denied' | 'missing' | 'busy' | 'unusable' | 'insecure' | 'unsupported'
interface Measured {
  kbps: number
  fps: number
  loss: number
  jitter: number
  rtt?: number
  width?: number
  height?: number
  frames: number
  codec?: string
}
// A PK after its end.
interface LastPK extends Wire.PKInfo { endedAt: number }
interface Joining { room: string; user: string; grants: Wire.Grant[]; media: Captured[] }

// MARK: Models

interface PersonTrack { trackId: string; kind: string; tag: string; muted: boolean; codec?: string; width?: number; height?: number }
interface Person {
  userId: string
  grants: Wire.Grant[]
  joinedAt: number
  connected: boolean
  isMe: boolean
  tracks: PersonTrack[]
  speaking: boolean
  rtt?: number
  up?: number
  down?: number
  loss?: number
  target?: number
  queue?: number
  paced?: boolean
}
interface TrackRow extends PersonTrack {
  userId: string
  isMe: boolean
  kbps: number
  fps: number
  loss: number
  jitter: number
  rtt?: number
  level: number
  receivers?: number
  history: number[]
}
interface Actions { kick: ((person: { userId: string }) => void) | null; mute(track: TrackRow): void; mayMute(track: TrackRow): boolean }
interface Tile {
  key: string
  userId: string
  isMe: boolean
  isSilent: boolean
  trackId?: string
  isFilmed: boolean
  tag: string
  quality: UserQuality
  paused?: PauseReason | null
  stream?: MediaStream | MediaStreamTrack | null
}
interface Sample {
  at: number
  cpu: number
  megabytes: number
  participants: number
  packetsReceived: number
  packetsSent: number
  kbpsReceived: number
  kbpsSent: number
  droppedPerSecond: number
}
interface Point { at: number; values: number[] }

// TypeScript 4.8 does not have this part of ECMAScript 2023.
interface Array<T> { findLastIndex(predicate: (value: T) => boolean): number }
