// Types that the modules of the web client share. The npm package contains this file.

type RoomError = import('./core/errors.js').RoomError
type Room = import('./core/room.js').Room
type Server = import('./core/server.js').Server
// A result or the data of an event, as JSON: its type depends on a name that is known only at run time. The documents are
// api/signalling.md, api/signalling-rooms.md and docs/webhooks.md.
type Data = any
// A thrown value: Error, DOMException or RoomError.
type Failure = Error & Partial<Pick<RoomError, 'code' | 'redirect' | 'status'>>

// How a track is sent: a preferred codec of a picture, a mode of https://w3c.github.io/webrtc-svc such as L3T3_KEY, what a picture loses
// first on a weak connection, the share of the sent bitrate, and at most that many bits per second.
interface Sending {
  codec?: 'VP8' | 'VP9' | 'H264' | 'AV1'
  scalability?: string
  degradation?: 'balanced' | 'maintain-framerate' | 'maintain-resolution'
  priority?: RTCPriorityType
  maxBitrate?: number
}
interface Captured extends Sending { tag: string; track: MediaStreamTrack }
// One sent track. `codec` and `scalability` are absent if the browser does not offer what was wanted.
interface Source extends Sending {
  tag: string
  kind: string
  track: MediaStreamTrack | null
  muted: boolean
  trackId?: string
  transceiver?: RTCRtpTransceiver
  deviceId?: string
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
  channel(channel: RTCDataChannel): void // that the server has opened
}
// A room token, or what returns one for a server.
type Token = string | ((server: Server) => Promise<string>)
interface RoomOptions {
  points?: (gift: Partial<Wire.RoomMessage>) => number // what a gift adds to the score of a PK; the page of the anchor sends the sum
  playsAudio?: boolean | HTMLElement // true: received sound is played; an element: the audio elements are added to this one
  audioLevels?: boolean // true
  autoSubscribe?: boolean // true
  preferSmall?: boolean // false
  data?: boolean // false: whether to open data channels, for `room.data`
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
// What arrives over a data channel; `from` is absent for the app's own server.
interface DataMessage { from?: string; topic: string; payload: Uint8Array; reliable: boolean }
// Why a room ended: a reason of the server's event `ended`, 'left', 'refused' or 'connectionLost'.
interface Ending { reason: string; by?: string; error?: Failure }
// The data of each event: those of the server (api/signalling.md §4, api/signalling-rooms.md), and those of `Room`.
interface RoomEvents {
  joined: Wire.Participant
  left: { userId: string; reason: string }
  connectionChanged: { userId: string; connected: boolean }
  profileChanged: { userId: string; profile: Wire.Profile }
  permissionsChanged: { userId: string; permissions: Wire.Permissions }
  published: { userId: string; tracks: Wire.Track[] }
  unpublished: { userId: string; trackIds: string[] }
  muteChanged: { userId: string; trackId: string; muted: boolean; by: string }
  kicked: { userId: string; by: string }
  subscribeFailed: { trackIds: string[]; error?: { code: number; name: string; message: string } }
  streams: { streams: StreamState[] }
  networkQuality: { users: UserQuality[] }
  audioLevels: { levels: Array<{ userId: string; trackId: string; level: number }> }
  activeSpeakers: { userIds: string[] }
  jobChanged: Wire.Job
  jobStatus: { jobId: string; state: string; fps: number; kbps: number; queue: number; dropped: number; connections: number; delay?: number }
  jobEnded: { jobId: string; reason: string; failure?: Wire.JobFailure }
  playerChanged: Wire.Player
  playerEnded: { userId: string; reason: 'finished' | 'stopped' | 'failed'; message?: string }
  stageChanged: Wire.StagePicture
  seatChanged: { seat: Wire.Seat; cause: string; userId?: string; by: string }
  layoutChanged: { layout: Wire.Layout; seats: Wire.Seat[]; off: string[]; by: string }
  seatRequested: Wire.SeatRequest
  seatRequestEnded: { userId: string; outcome: string; index?: number; by: string }
  seatInvited: Wire.SeatInvitation
  seatInvitationEnded: { userId: string; outcome: string; index?: number; by: string }
  message: Wire.RoomMessage
  attributesChanged: { set: Record<string, string>; removed: string[]; by: string }
  pkInvited: Wire.PKInvitation
  pkInvitationEnded: { pkId: string; outcome: string; reason?: string; error?: { code: number; name: string; message: string }; by: string }
  pkMatching: Wire.PKTicket
  pkMatchEnded: { ticket: string; outcome: 'matched' | 'cancelled' | 'timedOut'; room?: string; userId?: string; pkId?: string; by: string }
  pkToken: { pkId: string; room: string; token: string }
  pkBegan: Wire.PKInfo
  pkChanged: Wire.PKInfo
  pkOnAir: { pkId: string; jobId: string }
  pkEnded: { pkId: string; reason: string; room: string; by: string; score: number; peerScore: number; result?: Wire.PKResult }
  stateChanged: Room['state']
  trackSubscribed: Remote
  trackUnsubscribed: Remote
  seated: Wire.Seat
  unseated: { cause: string; by: string }
  mutedBy: { track: Source; muted: boolean; by: string }
  statistics: Map<string, Measured>
  data: DataMessage
  audioBlocked: null
  error: Failure
  ended: Ending
}
type RoomEventOf<K extends keyof RoomEvents> = K extends keyof RoomEvents ? { event: K; data: RoomEvents[K]; seq?: number; isNew: boolean } : never
// What `events()` yields. A newer server may send events of other names.
type RoomEvent = RoomEventOf<keyof RoomEvents> | { event: 'eventsLost'; data: { count: number }; seq?: undefined; isNew: true }
// An EventTarget whose listeners get the data of an event by its name, as `detail`.
declare class RoomEventTarget extends EventTarget {
  addEventListener<K extends keyof RoomEvents>(
    type: K, listener: ((event: CustomEvent<RoomEvents[K]>) => void) | null, options?: boolean | AddEventListenerOptions): void
  addEventListener(type: 'event', listener: ((event: CustomEvent<RoomEvent>) => void) | null, options?: boolean | AddEventListenerOptions): void
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | AddEventListenerOptions): void
  removeEventListener<K extends keyof RoomEvents>(
    type: K, listener: ((event: CustomEvent<RoomEvents[K]>) => void) | null, options?: boolean | EventListenerOptions): void
  removeEventListener(type: 'event', listener: ((event: CustomEvent<RoomEvent>) => void) | null, options?: boolean | EventListenerOptions): void
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: boolean | EventListenerOptions): void
}
interface LinkGiven {
  server: Server
  params(server: Server): Promise<{ since?: number, [name: string]: unknown }>
  joined(joined: Joined, again: boolean): void
  received(event: string, data: Data, seq?: number): void
  lost(): void
  failed(reason: string, error: Failure): void
  broken(error: Error): void
}
// TypeScript 4.8 does not know these; a newer one adds the rest.
interface VideoFrame { close(): void; clone(): VideoFrame }
interface OffscreenCanvas extends EventTarget { transferToImageBitmap(): ImageBitmap }
interface MediaStreamTrack { origin?: MediaStreamTrack; testDevice?: string } // of what was made of another track, and of a test source
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
  scalability?: string // the mode of a sent picture
}
// One room of a PK, as `room.pk.sides` shows it; `won` is known with the result.
interface PKSide extends Wire.PKMember { won: boolean }
// A gift that scores once: `giftId` is yours, 1 to 64 bytes. Either `points`, or `gift` of the rules with `count` (1).
type PKGift = Wire.PKGiftParams
// A PK after its end.
interface LastPK extends Wire.PKInfo { endedAt: number }
