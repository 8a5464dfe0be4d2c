// Types that the modules of the console share, besides those of the web client (Sources/WebClient/types.d.ts). Not served: only deploy/check-console.sh reads this file.

type App = import('../../Sources/WebPages/Console/Page/main.js').App
type Api = import('../../Sources/WebPages/Console/Page/api.js').Api
type Acts = import('../../Sources/WebPages/Console/Page/acts.js').Acts
type Call = import('../../Sources/WebPages/Console/Page/call.js').Call
type Samples = import('../../Sources/WebPages/Console/Page/samples.js').Samples
type JoinedCall = Call & { me: Wire.Participant }
type Icon = import('../../Sources/WebPages/Console/Page/dom.js').Icon

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
type Part<T> = import('../../Sources/WebClient/elements/keyed.js').Part<T>

type IconButton = HTMLButtonElement & { show(icon: Icon, name: string, title?: string): void }

type WaitingItem = import('../../Sources/WebClient/elements/requests.js').Waiting

// Notes that the console keeps on objects of the browser.
interface Element { inSight?: boolean }

type Tag = 'camera' | 'microphone' | 'screen'
// The role of a participant: the grants that it asks for.
interface Role { hint: string; grants: Wire.Grant[]; publishes: boolean }
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
  side?: PKSide // in a PK of several rooms
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

// TypeScript 4.8 does not have these parts of browsers.
interface RTCRtpEncodingParameters { scalabilityMode?: string; networkPriority?: RTCPriorityType }
interface RTCRtpSendParameters { degradationPreference?: RTCDegradationPreference }
interface VideoFrame { readonly timestamp: number; readonly displayWidth: number; readonly displayHeight: number }
declare const VideoFrame: { new (source: unknown, init?: { timestamp: number }): VideoFrame }
interface OffscreenCanvas { width: number; height: number; getContext(kind: string, options?: object): unknown }
declare const OffscreenCanvas: { new (width: number, height: number): OffscreenCanvas }

// TypeScript 4.8 does not have this part of ECMAScript 2023.
interface Array<T> { findLastIndex(predicate: (value: T) => boolean): number }
